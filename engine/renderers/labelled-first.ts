// Gives the nodes of a flowchart their labels where they come first: the library forgets those that come later.
import { isNodeStatement } from "./is-drawable.ts";

const NODE =
  /\|[^|]*\||:::[\w-]+|(?<id>\w(?:\w|-(?![->.]))*)(?<shape>\[(?:"[^"]*"|[^\]])*\]+|\((?:"[^"]*"|[^)])*\)+|\{(?:"[^"]*"|[^}])*\}+|>[^\]]*\])?/g;

/** Of several labels the last counts, as in Mermaid. Where a node comes first it also belongs to its subgraph: no other way. */
export function labelledFirst(statements: readonly string[]): string[] {
  const shapes = new Map<string, string>();
  for (const statement of statements.filter(isNodeStatement)) {
    for (const { groups } of statement.matchAll(NODE)) {
      const { id, shape } = groups ?? {};
      if (id !== undefined && shape !== undefined) shapes.set(id, shape);
    }
  }
  const seen = new Set<string>();
  return statements.map((statement) =>
    isNodeStatement(statement)
      ? statement.replaceAll(NODE, (text, id: string | undefined) => {
          if (id === undefined || seen.has(id)) return text;
          seen.add(id);
          return id + (shapes.get(id) ?? "");
        })
      : statement,
  );
}
