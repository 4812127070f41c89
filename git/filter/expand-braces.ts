// Writes a pattern with alternatives in braces as several without: `*.{md,txt}` is `*.md` and `*.txt`.

/** Undefined when there would be more than `max`. Braces without a comma are letters, as in a shell. */
export function expandBraces(pattern: string, max: number): string[] | undefined {
  const expanded: string[] = [];
  const open = [pattern];
  while (open.length > 0) {
    if (expanded.length + open.length > max) return undefined;
    const next = open.pop() ?? "";
    const group = findGroup(next);
    if (group === undefined) expanded.push(next);
    else open.push(...group.toReversed());
  }
  return expanded;
}

/** The pattern once for each alternative of the first group that has some. */
function findGroup(pattern: string): string[] | undefined {
  for (let begin = 0; begin < pattern.length; begin++) {
    if (pattern[begin] === "\\") begin++;
    else if (pattern[begin] === "{") {
      const parts = readGroup(pattern, begin);
      if (parts === undefined) continue;
      const rest = pattern.slice(parts.end);
      return parts.alternatives.map((part) => pattern.slice(0, begin) + part + rest);
    }
  }
  return undefined;
}

function readGroup(pattern: string, begin: number) {
  const alternatives: string[] = [];
  let depth = 0;
  let from = begin + 1;
  for (let at = begin; at < pattern.length; at++) {
    const letter = pattern[at];
    if (letter === "\\") at++;
    else if (letter === "{") depth++;
    else if (letter === "," && depth === 1) {
      alternatives.push(pattern.slice(from, at));
      from = at + 1;
    } else if (letter === "}" && --depth === 0) {
      if (alternatives.length === 0) return undefined;
      return { alternatives: [...alternatives, pattern.slice(from, at)], end: at + 1 };
    }
  }
  return undefined;
}
