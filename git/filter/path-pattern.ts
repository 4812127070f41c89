// One pattern for paths, in the language of .gitignore: matched in steps that grow with its length, whoever wrote it.

/**
 * Regular expressions made of such patterns go back and try again: eight stars and a name of 120 letters kept one busy
 * for more than ten minutes. Here only the last star is ever tried again, which is enough, because what stood before it
 * has matched as early as it could.
 */
type Token =
  | { readonly kind: "letter"; readonly letter: string }
  | { readonly kind: "any" }
  | { readonly kind: "star" }
  | { readonly kind: "class"; readonly isNegated: boolean; readonly ranges: readonly Range[] };

type Range = readonly [from: number, to: number];

/** What stands between two slashes. */
type Segment = string | readonly Token[] | typeof ANY_DEPTH;

const ANY_DEPTH = Symbol("**");

export type PathPattern = readonly Segment[];

/** Counts comparisons, and throws when there were too many. */
export interface Effort {
  spend(steps: number): void;
}

/** Undefined for one that can match nothing: a bracket that is not closed, a backslash at the end. */
export function compilePattern(text: string): PathPattern | undefined {
  const segments: Segment[] = [];
  let tokens: Token[] = [];
  const endSegment = () => {
    segments.push(segmentOf(tokens));
    tokens = [];
  };
  for (let at = 0; at < text.length; ) {
    const letter = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (letter === "/") {
      endSegment();
    } else if (letter === "*") {
      tokens.push({ kind: "star" });
    } else if (letter === "?") {
      tokens.push({ kind: "any" });
    } else if (letter === "[") {
      const found = readClass(text, at + 1);
      if (found === undefined) return undefined;
      tokens.push(found.token);
      at = found.end;
      continue;
    } else {
      if (letter === "\\") at++;
      if (at >= text.length) return undefined;
      const literal = String.fromCodePoint(text.codePointAt(at) ?? 0);
      tokens.push({ kind: "letter", letter: literal });
      at += literal.length;
      continue;
    }
    at++;
  }
  endSegment();
  return segments.at(-1) === ANY_DEPTH ? [...segments, [{ kind: "star" }]] : segments; // `a/**` is not `a` itself
}

/** The first `count` parts of a path, which stand between its slashes. */
export function matchesPath(
  pattern: PathPattern,
  parts: readonly string[],
  count: number,
  effort: Effort,
): boolean {
  let segment = 0;
  let at = 0;
  let retry: { readonly segment: number; at: number } | undefined;
  while (at < count) {
    effort.spend(1);
    const current = pattern[segment];
    if (current === ANY_DEPTH) {
      segment++;
      retry = { segment, at };
    } else if (current !== undefined && matchesSegment(current, parts[at] ?? "", effort)) {
      segment++;
      at++;
    } else if (retry !== undefined) {
      segment = retry.segment;
      at = ++retry.at;
    } else {
      return false;
    }
  }
  while (pattern[segment] === ANY_DEPTH) segment++;
  return segment === pattern.length;
}

function matchesSegment(segment: string | readonly Token[], text: string, effort: Effort): boolean {
  if (typeof segment === "string") return segment === text;
  let token = 0;
  let at = 0;
  let steps = 0;
  let retryToken = -1;
  let retryAt = 0;
  for (; at < text.length; steps++) {
    const current = segment[token];
    if (current?.kind === "star") {
      retryToken = ++token;
      retryAt = at;
      continue;
    }
    const length = current === undefined ? 0 : lengthMatched(current, text, at);
    if (length > 0) {
      token++;
      at += length;
    } else if (retryToken !== -1) {
      token = retryToken;
      at = ++retryAt;
    } else {
      break;
    }
  }
  effort.spend(steps);
  if (at < text.length) return false;
  while (segment[token]?.kind === "star") token++;
  return token === segment.length;
}

/** 0 when it does not match. */
function lengthMatched(token: Token, text: string, at: number): number {
  if (token.kind === "letter") return text.startsWith(token.letter, at) ? token.letter.length : 0;
  const code = text.codePointAt(at) ?? 0;
  const length = code > 0xffff ? 2 : 1;
  if (token.kind !== "class") return length;
  const isInside = token.ranges.some(([from, to]) => code >= from && code <= to);
  return isInside !== token.isNegated ? length : 0;
}

function segmentOf(tokens: readonly Token[]): Segment {
  const stars = tokens.filter(({ kind }) => kind === "star").length;
  if (stars === 2 && tokens.length === 2) return ANY_DEPTH;
  if (tokens.every(({ kind }) => kind === "letter")) {
    return tokens.map((token) => (token.kind === "letter" ? token.letter : "")).join("");
  }
  return tokens.filter(({ kind }, at) => kind !== "star" || tokens[at - 1]?.kind !== "star");
}

const NAMED: Readonly<Record<string, readonly Range[]>> = {
  alnum: ranges("09AZaz"),
  alpha: ranges("AZaz"),
  blank: ranges("  \t\t"),
  cntrl: [
    [0, 31],
    [127, 127],
  ],
  digit: ranges("09"),
  graph: ranges("!~"),
  lower: ranges("az"),
  print: ranges(" ~"),
  punct: ranges("!/:@[`{~"),
  space: ranges("  \t\r"),
  upper: ranges("AZ"),
  xdigit: ranges("09AFaf"),
};

function ranges(pairs: string): Range[] {
  return Array.from({ length: pairs.length / 2 }, (_, index) => [
    pairs.charCodeAt(index * 2),
    pairs.charCodeAt(index * 2 + 1),
  ]);
}

/** From behind its bracket: `!a-z]`. A bracket that closes comes first as a letter. */
function readClass(text: string, begin: number): { token: Token; end: number } | undefined {
  const isNegated = text[begin] === "!" || text[begin] === "^";
  const first = isNegated ? begin + 1 : begin;
  const found: Range[] = [];
  for (let at = first; at < text.length; ) {
    if (text[at] === "]" && at > first) {
      return { token: { kind: "class", isNegated, ranges: found }, end: at + 1 };
    }
    const [, name] = /^\[:(\w*):\]/.exec(text.slice(at, at + 16)) ?? [];
    if (name !== undefined) {
      const named = NAMED[name];
      if (named === undefined) return undefined;
      found.push(...named);
      at += name.length + "[::]".length;
      continue;
    }
    const from = readLetter(text, at);
    const isRange = text[from.end] === "-" && text[from.end + 1] !== "]";
    const to = isRange ? readLetter(text, from.end + 1) : from;
    if (Number.isNaN(from.code) || Number.isNaN(to.code)) return undefined;
    found.push([from.code, to.code]);
    at = to.end;
  }
  return undefined;
}

function readLetter(text: string, at: number): { readonly code: number; readonly end: number } {
  const place = text[at] === "\\" ? at + 1 : at;
  const code = text.codePointAt(place) ?? Number.NaN;
  return { code, end: place + (code > 0xffff ? 2 : 1) };
}
