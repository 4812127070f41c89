// Gives a Graphviz source our fonts and colours, which it can still set otherwise.

export interface DotColours {
  readonly bg: string;
  readonly fg: string;
  readonly line: string;
}

/**
 * As the first words of the graph itself, so that all that follows is stronger; the library's own way to set them would be
 * stronger than the source. On the same line: errors are told by line.
 */
export function styledDot(source: string, { bg, fg, line }: DotColours): string {
  const at = bodyStart(source);
  if (at === undefined) return source; // an error, which Graphviz can tell better
  const font = `fontname="Helvetica,Arial,sans-serif"`;
  const style = [
    `graph [bgcolor="${bg}", color="${line}", fontcolor="${fg}", ${font}];`,
    `node [color="${line}", fontcolor="${fg}", ${font}];`,
    `edge [color="${line}", fontcolor="${fg}", ${font}];`,
  ].join(" ");
  return `${source.slice(0, at)} ${style} ${source.slice(at)}`;
}

/** Comments, and names in quotes or angle brackets, may have braces too. */
function bodyStart(source: string): number | undefined {
  const token = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\]|\\[\s\S])*"|^#[^\n]*|<|\{/gm;
  for (const found of source.matchAll(token)) {
    if (found[0] === "<") return undefined;
    if (found[0] === "{") return found.index + 1;
  }
  return undefined;
}
