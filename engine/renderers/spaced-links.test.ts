// Every way to write a link gives the nodes and the edge that it means.
import { parseMermaid } from "beautiful-mermaid";
import { expect, test } from "vitest";
import { spacedLinks } from "./spaced-links.ts";

function edgesOf(...statements: readonly string[]): string[] {
  const lines = ["graph TD", ...statements.map(spacedLinks).join("\n").split("\n")];
  const { nodes, edges } = parseMermaid(lines.join("\n"));
  const labels = [...nodes.values()].map(({ label }) => label);
  const links = edges.map(({ source, target, label, style, hasArrowEnd, hasArrowStart }) =>
    [
      ...[source, hasArrowStart ? "<" : "", style, hasArrowEnd ? ">" : "", target],
      ...(label === undefined ? [] : [`: ${label}`]),
    ].join(" "),
  );
  return [labels.join(","), ...links.map((link) => link.replaceAll(/ +/g, " "))];
}

test.each([
  ["A-->B", "A solid > B"],
  ["A --> B", "A solid > B"],
  ["A---->B", "A solid > B"],
  ["A---B", "A solid B"],
  ["A-.->B", "A dotted > B"],
  ["A-..->B", "A dotted > B"],
  ["A-.-B", "A dotted B"],
  ["A==>B", "A thick > B"],
  ["A===B", "A thick B"],
  ["A<-->B", "A < solid > B"],
  ["A--xB", "A solid > B"],
  ["A o--o B", "A < solid > B"],
  ["A-->|yes|B", "A solid > B : yes"],
  ["A --> |yes| B", "A solid > B : yes"],
  ['A-->|"a b"|B', "A solid > B : a b"],
  ["A--yes-->B", "A solid > B : yes"],
  ["A-- not so -->B", "A solid > B : not so"],
  ["A--well-known---B", "A solid B : well-known"],
  ["A-. maybe .->B", "A dotted > B : maybe"],
  ["A==sure==>B", "A thick > B : sure"],
])("%s", (statement, edge) => {
  expect(edgesOf(statement)).toEqual(["A,B", edge]);
});

test("chains, groups, classes, and names with dashes", () => {
  expect(edgesOf("A-->B-->C")).toEqual(["A,B,C", "A solid > B", "B solid > C"]);
  expect(edgesOf("A & B-->C")).toEqual(["A,B,C", "A solid > C", "B solid > C"]);
  expect(edgesOf("A:::hot-->B")).toEqual(["A,B", "A solid > B"]);
  expect(edgesOf("class-a-->end-b")).toEqual(["class-a,end-b", "class-a solid > end-b"]);
  expect(edgesOf("my-node-->other-node")).toEqual([
    ...["my-node,other-node", "my-node solid > other-node"],
  ]);
});

test("texts stay as they are, whatever they look like", () => {
  expect(edgesOf('A["x-->y"]-->B(a--b)', "B-->C{is it == 3?}", "C-->D[(data)]")).toEqual([
    ...["x-->y,a--b,is it == 3?,data", "A solid > B", "B solid > C", "C solid > D"],
  ]);
  expect(spacedLinks("style my-node--x fill:#fff")).toBe("style my-node--x fill:#fff");
  expect(spacedLinks("subgraph a-->b")).toBe("subgraph a-->b");
});

test("an invisible link keeps its nodes and is not seen", () => {
  expect(edgesOf("A~~~B")).toEqual(["A,B"]);
});
