// Expressions in a file: misspelt names are told at their very place, in every kind of YAML text.
import { expect, test } from "vitest";
import { parsePipeline } from "../parse-pipeline.ts";

test("places are those of the file, in every kind of YAML text", () => {
  const text = `steps:
  plain:
    run: a \${{ zz1 }}
      and \${{ zz2 }}
  double: { run: "q \\"\\u0041\\U0001F600\\n\\t \${{ zz3 }} \\
      \${{ zz4 }}" }
  single: { run: 'it''s
      \${{ zz5 }}' }
  literal:
    run: |-   # comment
      one
        \${{ zz6 }}

      \${{ zz7 }}
  folded:
    run: >2
        more
      text \${{ zz8 }}
      and \${{
        zz9 }}
  bare: { run: x, if: zz0 }
`;
  const { problems } = parsePipeline(text);
  const lines = text.split("\n");
  const told = problems.map(({ line, column, message }) => ({
    message,
    there: lines[line - 1]?.slice(column - 1, column + 2),
  }));
  const names = ["zz1", "zz2", "zz3", "zz4", "zz5", "zz6", "zz7", "zz8", "zz9", "zz0"];
  expect(told).toEqual(names.map((name) => ({ message: `unknown name '${name}'`, there: name })));
});

test("what is not there at a place is told before anything runs", () => {
  const { problems } = parsePipeline(`inputs: { a: }
concurrency: "\${{ steps.one.result }}"
outputs: { x: "\${{ steps.one.outputs.out }}", y: "\${{ steps.one.outputs.no }}" }
steps:
  one: { run: x, outputs: [out], artifacts: { log: l }, if: matrix.v == 1 }
  two:
    needs: one
    matrix: { v: [{ id: 1 }, { id: 2 }], id: "\${{ matrix.v.id }}", w: "\${{ matrix.v }}" }
    run: |
      \${{ matrix.v.name }} \${{ matrix.z }} \${{ needs.one.outputs.no }}
      \${{ artifacts.one.lgo }} \${{ artifacts.one[env.X] }}
  three:
    needs: two
    run: |
      \${{ needs.one.result }} \${{ steps.one.outputs.out }} \${{ needs.two.outputs.x }}
      \${{ needs.two.items.*.result }} \${{ steps.four.result }}
    with: { x: "\${{ run.idd }}" }
  four:
    run: "\${{ secrets.x }} \${{ github.sha }} \${{ env.NO }}"
    matrix: { v: [1], id: "\${{ run.id }}" }
`);
  expect(problems.map(({ message }) => message)).toEqual([
    "'steps' is not available in this place",
    "unknown output of step 'one' 'no'",
    "'matrix' is not available in 'if'",
    "'matrix' is not available in the lists of a matrix",
    "unknown member of 'matrix.v' 'name'",
    "unknown matrix value 'z'",
    "unknown output of step 'one' 'no'",
    "unknown artifact of step 'one' 'lgo'",
    "the name of an artifact of step 'one' must be written out, not computed",
    "unknown variable 'X'",
    "'three' needs 'one' only through others: use steps.one",
    "step 'two' has a matrix: its items have 'outputs', as in items.*.outputs",
    "'three' does not need 'four': add it to its needs",
    "'with' has no meaning for 'run'",
    "unknown member of 'run' 'idd'",
    "secrets cannot be used in expressions: list them in 'secrets' and read $CROFT_SECRETS/<name>",
    "there is no 'github': use 'event', 'repository' and 'run'",
    "unknown variable 'NO'",
  ]);
});

test("expressions where none are evaluated are told, not taken literally", () => {
  const { problems } = parsePipeline(`steps:
  a: { run: x, name: "n \${{ run.id }}", workspace: { sparse: ["\${{ run.id }}"] } }
`);
  expect(problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([
    "steps.a.name: expressions are not allowed here",
    "steps.a.workspace.sparse[0]: expressions are not allowed here",
  ]);
});
