// Diagrams are drawn, faults of their sources are told by line, and no source holds anybody up.
import { expect, test } from "vitest";
import { importCommits, treeOf } from "../../test/support/import-commits.ts";
import { makeRepository } from "../../test/support/make-repository.ts";
import { rendererScene } from "../../test/support/renderer-scene.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { askDiagramProcess, DrawingGaveUp } from "./ask-diagram-process.ts";
import { drawDiagram } from "./draw-diagram.ts";

const SOURCES = {
  mermaid: [
    "graph TD\n  A[Start] --> B{Choice}\n  B -->|yes| C[End]",
    "%% said before\nsequenceDiagram\n  Ann->>Bob: Hello",
    "---\ntitle: x\n---\nstateDiagram-v2\n  [*] --> Still",
    "classDiagram\n  class Animal {\n    +String name\n  }",
    "erDiagram\n  A ||--o{ B : has",
    "xychart-beta\n  x-axis [a, b]\n  bar [1, 2]",
  ],
  graphviz: [
    'digraph { a -> b [label="to"] }',
    '/* { */ strict graph "x{y" { a -- b }',
    "digraph { node [shape=box, color=red]; a [label=<<b>bold</b>>] }",
  ],
} as const;

const cases = Object.entries(SOURCES).flatMap(([language, sources]) =>
  sources.map((source) => [language, source] as const),
);

test("every kind of diagram is drawn, in light and dark, as an SVG that asks for nothing", async () => {
  const { render } = await rendererScene();
  for (const [index, [language, source]] of cases.entries()) {
    const theme = index % 2 === 0 ? "light" : "dark";
    const { job, files } = await render("diagram", { language, source, theme });
    expect({ source, status: job.status, error: job.error }).toEqual({
      ...{ source, status: "done", error: null },
    });
    const [file] = files;
    expect(file).toMatchObject({ name: "diagram.svg", media_type: "image/svg+xml" });
    expect(file?.content.toString()).toMatch(/^<svg xmlns=[\s\S]*<\/svg>\n$/);
    expect(file?.content.toString()).not.toMatch(/https?:\/\/(?!www\.w3\.org\/2000\/svg)|@import/);
  }
});

test("the same source gives the same SVG, from the input and from a file of a repository", async () => {
  const [source] = SOURCES.mermaid;
  const repository = await makeRepository(await scratchDirectory(), "app", { files: 0 });
  const [commit] = await importCommits(repository, "main", [treeOf({ "docs/flow.mmd": source })]);
  const { render } = await rendererScene();
  const one = await render("diagram", { language: "mermaid", source });
  const two = await render("diagram", { language: "mermaid", repository, path: "docs/flow.mmd" });
  expect(two.files).toMatchObject([{ name: "flow.svg", commit, sha256: one.files[0]?.sha256 }]);
  const { job } = await render("diagram", { language: "mermaid", repository, path: "docs" });
  expect(job.error).toMatchObject({ class: "invalid", code: "no-such-path" });
});

test.each([
  ["mermaid", "\n\npie title x\n", "line 3: 'pie title x' is no kind of diagram", 3],
  ["mermaid", "%% nothing", "nothing to draw", undefined],
  ["mermaid", "graph TD\nA-->B\nÄpfel-->B", "line 3: 'Äpfel --> B' cannot be drawn", 3],
  ["mermaid", "graph TD; A-->B; B e1@--> C", "line 1: 'B e1@ --> C' cannot be drawn", 1],
  ["graphviz", "digraph {\n a -> b\n b -> -> c\n}", "syntax error in line 3", 3],
  ["graphviz", "not a graph", "syntax error in line 1", 1],
])("%s: a fault in %j is told", async (language, source, message, line) => {
  const { render } = await rendererScene();
  const { job } = await render("diagram", { language, source });
  expect(job).toMatchObject({ status: "failed", attempt: 1 });
  expect(job.error).toMatchObject({ class: "invalid", code: "invalid-diagram" });
  expect(job.error?.message).toContain(message);
  expect(job.error?.details).toEqual(line === undefined ? undefined : { line });
});

test("several statements of a flowchart in one line are as good as in lines of their own", async () => {
  const draw = (source: string) => drawDiagram({ language: "mermaid", source, theme: "light" });
  const drawn = await draw('graph TD; A-->B; B["x; y"]-->C;');
  expect(drawn).toMatchObject({ kind: "drawn", svg: expect.stringContaining("x; y") });
  expect(drawn).toEqual(await draw('graph TD\n A-->B\n B["x; y"]-->C'));
});

test("links without spaces, and files that begin with a mark, are drawn as any other", async () => {
  const draw = (language: "mermaid" | "graphviz", source: string) =>
    drawDiagram({ language, source, theme: "light" });
  const drawn = await draw("mermaid", "graph TD\nA-->|yes|B");
  expect(drawn).toMatchObject({ kind: "drawn", svg: expect.stringContaining("yes") });
  expect(drawn).toEqual(await draw("mermaid", "\ufeffgraph TD\nA -->|yes| B"));
  expect(await draw("graphviz", "\ufeffgraph { a -- b }")).toMatchObject({ kind: "drawn" });
});

test("a label counts wherever it stands, and leaves its node in its subgraph", async () => {
  const draw = (source: string) => drawDiagram({ language: "mermaid", source, theme: "light" });
  const drawn = await draw("graph TD\nA-->B\nB-->C\nB[Bread]\nsubgraph s\nD-->E(x)\nend\nD{Dew}");
  expect(drawn).toMatchObject({ kind: "drawn", svg: expect.stringMatching(/Bread[\s\S]*Dew/) });
  expect(drawn).toEqual(
    await draw("graph TD\nA --> B[Bread]\nB --> C\nsubgraph s\nD{Dew} --> E(x)\nend"),
  );
  expect(await draw("graph TD\nA-->TD[x]")).toMatchObject({ kind: "drawn" });
  const last = await draw("graph TD\nA[one]-->B\nA[two]");
  expect(last).toEqual(await draw("graph TD\nA[two] --> B"));
});

test("source and repository together, or neither, are refused when they are submitted", async () => {
  const { submit } = await rendererScene();
  const both = { source: "graph TD", repository: "https://example.org/x", path: "y" };
  for (const input of [{}, both, { repository: "https://example.org/x" }]) {
    await expect(submit("diagram", { language: "mermaid", ...input })).rejects.toMatchObject({
      code: "invalid-input",
    });
  }
});

/** Every node with every other: Graphviz would be at it for hours. */
const COSTLY = `digraph { ${Array.from({ length: 700 }, (_, one) => `n${one} -> {${Array.from({ length: 60 }, (_, two) => `n${(one * 7 + two * 13) % 700}`).join(" ")}}`).join("; ")} }`;

test("a drawing that is no longer wanted ends at once", async () => {
  const stop = new AbortController();
  const question = { language: "graphviz", theme: "light", source: COSTLY } as const;
  const asked = askDiagramProcess(question, stop.signal);
  setTimeout(() => stop.abort(new Error("enough")), 200);
  await expect(asked).rejects.toThrow("enough");
});

test("a source that needs more than a diagram is given fails by itself", async () => {
  const source = `graph TD\n${Array.from({ length: 4000 }, (_, n) => `a${n} --> b${n % 40} & c${n % 50} & d${n % 60}`).join("\n")}`;
  const question = { language: "mermaid", theme: "light", source } as const;
  await expect(askDiagramProcess(question, new AbortController().signal, 3000)).rejects.toThrow(
    DrawingGaveUp,
  );
}, 60_000);
