// Whether the library reads a statement of a flowchart to its end: of one that it does not, it draws a part without a word.
import { parseMermaid } from "beautiful-mermaid";

const OTHER =
  /^\s*(?:$|%%|(?:[Gg]raph|[Ff]lowchart|classDef|class|style|linkStyle|direction|subgraph|end|click)(?=\s|$))/;
const END = "croft-end";

/** With its links as `spacedLinks` writes them. */
export function isDrawable(statement: string): boolean {
  return statement.split("\n").every((line) => !isNodeStatement(line) || isReadWhole(line));
}

/** Nodes, and links between them. */
export function isNodeStatement(statement: string): boolean {
  return !OTHER.test(statement);
}

/** Only whoever has read all before it comes to the last link. */
function isReadWhole(line: string): boolean {
  const { edges } = parseMermaid(`graph TD\n${line.replace(/\s%%.*$/, "")} --> ${END}`);
  return edges.some(({ target }) => target === END);
}
