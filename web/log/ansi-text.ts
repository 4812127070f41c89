// Text of a terminal as plain text with colours: a few looks are known, everything else a terminal obeys is left out.

export const ansiColors = [
  "black",
  "red",
  "green",
  "yellow",
  "blue",
  "magenta",
  "cyan",
  "white",
] as const;
export type AnsiColor = (typeof ansiColors)[number];

export interface AnsiLook {
  readonly color?: AnsiColor | undefined;
  readonly bold?: boolean | undefined;
  readonly dim?: boolean | undefined;
  readonly italic?: boolean | undefined;
  readonly underline?: boolean | undefined;
}

export interface AnsiRange {
  readonly start: number;
  readonly end: number;
  readonly look: AnsiLook;
}

export interface AnsiText {
  readonly text: string;
  /** Where it looks other than plain, in order. */
  readonly ranges: readonly AnsiRange[];
  /** The look that the next text goes on with. */
  readonly look: AnsiLook;
}

export const plainLook: AnsiLook = {};

/** CSI, OSC and the other strings, and escapes of one character; the first group is the arguments of a look (SGR). */
const escapes =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /\u001b\[([\d;:]*)m|\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]?/g;
/** What is left of control characters, and those that turn the direction of writing and so make text look like other text. */
const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: most lines have none, and are done at once.
const special = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

const tabWidth = 8;

/** One line, without its line break. */
export function readAnsi(raw: string, look: AnsiLook): AnsiText {
  if (!special.test(raw)) return { text: raw, ranges: rangesOf(raw, 0, look), look };
  const ranges: AnsiRange[] = [];
  let text = "";
  let current = look;
  let at = 0;
  const add = (piece: string) => {
    const start = text.length;
    text += expandTabs(piece.replace(unseen, ""), start);
    ranges.push(...rangesOf(text, start, current));
  };
  for (const match of raw.matchAll(escapes)) {
    add(raw.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[1] !== undefined) current = nextLook(current, match[1]);
  }
  add(raw.slice(at));
  return { text, ranges, look: current };
}

function rangesOf(text: string, start: number, look: AnsiLook): AnsiRange[] {
  return look === plainLook || start === text.length ? [] : [{ start, end: text.length, look }];
}

/** Spaces, so that a column of the text is a column on the screen. */
function expandTabs(piece: string, start: number): string {
  if (!piece.includes("\t")) return piece;
  let text = "";
  for (const part of piece.split(/(\t)/)) {
    text += part === "\t" ? " ".repeat(tabWidth - ((start + text.length) % tabWidth)) : part;
  }
  return text;
}

function nextLook(look: AnsiLook, codes: string): AnsiLook {
  const numbers = codes.split(/[;:]/).map(Number);
  let next = look;
  for (let index = 0; index < numbers.length; index++) {
    const code = numbers[index] ?? 0;
    if (code === 38 || code === 48) {
      // A colour of the larger palettes: `5;n` or `2;r;g;b`. Only the first sixteen are known here.
      const isIndexed = numbers[index + 1] === 5;
      const color = isIndexed ? numbers[index + 2] : undefined;
      if (code === 38)
        next = { ...next, color: color === undefined ? undefined : paletteOf(color) };
      index += isIndexed ? 2 : 4;
    } else next = changeLook(next, code);
  }
  return isPlain(next) ? plainLook : next;
}

function changeLook(look: AnsiLook, code: number): AnsiLook {
  if (code === 0) return plainLook;
  if (code === 1) return { ...look, bold: true };
  if (code === 2) return { ...look, dim: true };
  if (code === 3) return { ...look, italic: true };
  if (code === 4) return { ...look, underline: true };
  if (code === 22) return { ...look, bold: undefined, dim: undefined };
  if (code === 23) return { ...look, italic: undefined };
  if (code === 24) return { ...look, underline: undefined };
  if (code === 39) return { ...look, color: undefined };
  if (code >= 30 && code <= 37) return { ...look, color: ansiColors[code - 30] };
  if (code >= 90 && code <= 97) return { ...look, color: ansiColors[code - 90] };
  // Backgrounds, blinking and the rest: a page could not promise that the text stays readable.
  return look;
}

function paletteOf(index: number): AnsiColor | undefined {
  return index < 16 ? ansiColors[index % 8] : undefined;
}

function isPlain({ color, bold, dim, italic, underline }: AnsiLook): boolean {
  return color === undefined && !bold && !dim && !italic && !underline;
}
