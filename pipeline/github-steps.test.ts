// What pipelines say about GitHub: comments, pull requests of published branches, check runs.
import { expect, test } from "vitest";
import { parsePipeline } from "./parse-pipeline.ts";

function problemsOf(text: string): string[] {
  return parsePipeline(text).problems.map(({ path, message }) => `${path}: ${message}`);
}

const WHOLE = `
check: { name: "review of #\${{ event.number }}" }
steps:
  change: { run: "true" }
  push:
    needs: change
    publish:
      from: change
      branch: fix
      pull-request: { title: "Fix \${{ event.number }}", body: by Croft, base: main, draft: true }
  tell:
    needs: push
    comment: { body: "See \${{ steps.push.outputs.url }}", on: 7, per: pull-request, name: fix }
  more: { needs: tell, comment: { body: "After \${{ needs.tell.outputs.url }}", on: "\${{ event.other }}" } }
`;

test("comments, pull requests and check runs are read", () => {
  const { pipeline, problems } = parsePipeline(WHOLE);
  expect(problems).toEqual([]);
  expect(pipeline?.check).toEqual({ name: `review of #\${{ event.number }}` });
  expect(pipeline?.steps.slice(1)).toMatchObject([
    {
      kind: "publish",
      pullRequest: {
        title: `Fix \${{ event.number }}`,
        body: "by Croft",
        base: "main",
        draft: true,
      },
    },
    { kind: "comment", on: "7", per: "pull-request", title: "fix", name: "tell" },
    { kind: "comment", on: `\${{ event.other }}`, per: "run", title: "more" },
  ]);
});

test.each([
  ["true", {}],
  ["false", false],
])("check: %s", (given, expected) => {
  const { pipeline } = parsePipeline(`check: ${given}\nsteps: { a: { run: "true" } }`);
  expect(pipeline?.check).toEqual(expected);
});

test("without a word nothing is said about check runs and pull requests", () => {
  const text = "steps: { a: { run: x }, b: { needs: a, publish: { from: a, branch: c } } }";
  const { pipeline } = parsePipeline(text);
  expect(pipeline).not.toHaveProperty("check");
  expect(pipeline?.steps[1]).not.toHaveProperty("pullRequest");
});

test.each([
  ["comment: { on: 3 }", "'body' is missing"],
  ["comment: { body: x, on: 0 }", "number of an issue"],
  ["comment: { body: x, on: first }", "is no number of an issue or pull request"],
  ["comment: { body: x, per: job }", "expected run or pull-request"],
  ["comment: { body: x }, matrix: { a: [1] }", "has no meaning for 'comment'"],
  ["comment: { body: x }, run: y", "a step does one thing"],
  [`comment: { body: '\${{ secrets.a }}' }`, "secrets cannot be used"],
  ["publish: { from: a, branch: b, pull-request: { body: x } }", "'title' is missing"],
  ["publish: { from: a, branch: b, pull-request: { title: x, base: 'a..b' } }", "is no valid name"],
])("%s is refused", (step, reason) => {
  const found = problemsOf(`steps: { a: { run: x }, b: { needs: a, ${step} } }`);
  expect(found.join("\n")).toContain(reason);
});

test("outputs of a publication are those of its pull request", () => {
  const found = problemsOf(`
steps:
  a: { run: x }
  b: { needs: a, publish: { from: a, branch: c } }
  d: { needs: b, comment: { body: "\${{ steps.b.outputs.url }} \${{ steps.b.branch }}" } }
  e: { needs: d, comment: { body: "\${{ steps.d.outputs.number }}" } }`);
  expect(found).toHaveLength(2);
});
