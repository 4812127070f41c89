// How many artifacts a step may keep, and its expressions may name.
import { expect, test } from "vitest";
import { parsePipeline } from "../parse-pipeline.ts";

function problemsOf(kept: number, named: number): string[] {
  const half = Math.ceil(named / 2);
  const artifacts = (count: number) =>
    Array.from({ length: count }, (_, index) => `a${index}: f${index}`).join(", ");
  const env = (from: string, count: number) =>
    Array.from(
      { length: count },
      (_, index) => `${from}${index}: "\${{ artifacts.${from}.a${index} }}"`,
    );
  const { problems } = parsePipeline(`
steps:
  one: { run: x, artifacts: { ${artifacts(Math.max(kept, half))} } }
  two: { run: x, artifacts: { ${artifacts(half)} } }
  use: { needs: [one, two], run: x, env: { ${[...env("one", half), ...env("two", named - half)].join(", ")} } }
`);
  return problems.map(({ path, message }) => `${path}: ${message}`);
}

test("a hundred, and not one more", () => {
  expect(problemsOf(100, 100)).toEqual([]);
  expect(problemsOf(101, 2)).toEqual(["steps.one.artifacts: 101 artifacts: at most 100"]);
  expect(problemsOf(1, 101)).toEqual([
    "steps.use: expressions of step 'use' name 101 artifacts: at most 100",
  ]);
});
