// Check runs: one for its place, each annotation once, whatever is lost on the way.
import { expect, test } from "vitest";
import { githubResultsScene } from "../../../test/support/github-results-scene.ts";
import { type Annotation, readAnnotations } from "./annotations.ts";
import { putCheckRun } from "./put-check-run.ts";

function annotationsTo(count: number): Annotation[] {
  return Array.from({ length: count }, (_, index) => ({
    ...{ path: "a.txt", start_line: index + 1, end_line: index + 1 },
    ...{ annotation_level: "warning", message: `line ${index + 1}` },
  }));
}

const SHOWN = { name: "tests", title: "Tests", summary: "All of them" };

test("a check run is made, goes on, and is completed with all annotations, fifty a request", async () => {
  const { begin, parts, place, repository, pull, writes } = await githubResultsScene();
  const { attempt } = await begin();
  const wish = { ...SHOWN, headSha: pull.headSha, externalId: attempt.id };
  const put = (more: Partial<Parameters<typeof putCheckRun>[2]>) =>
    putCheckRun(parts(attempt), place(attempt, "check"), {
      ...{ ...wish, status: "in_progress" },
      ...more,
    });
  await put({ status: "queued" });
  await put({});
  await put({});
  const annotations = annotationsTo(120);
  const end = { status: "completed", conclusion: "failure", annotations } as const;
  const { id } = await put(end);
  expect(await put(end)).toMatchObject({ id });
  expect(repository.checkRuns).toHaveLength(1);
  expect(repository.checkRuns[0]).toMatchObject({
    ...{ id, externalId: attempt.id, status: "completed", conclusion: "failure" },
    history: ["queued", ...Array(3).fill("in_progress"), "completed/failure"],
  });
  expect(repository.checkRuns[0]?.annotations).toEqual(annotations);
  expect(writes()).toHaveLength(1 + 1 + 3);
});

test.each([
  ["when it is made", /POST .*check-runs$/, 1],
  ["after the first fifty", /PATCH .*check-runs/, 1],
  ["after the second fifty", /PATCH .*check-runs/, 2],
  ["at its end", /PATCH .*check-runs/, 3],
])("an answer that is lost %s doubles nothing", async (_when, of, nth) => {
  const { begin, parts, place, repository, pull, fake } = await githubResultsScene();
  const { attempt } = await begin();
  const annotations = annotationsTo(120);
  const put = () =>
    putCheckRun(parts(attempt), place(attempt, "check"), {
      ...{ ...SHOWN, headSha: pull.headSha, externalId: attempt.id, annotations },
      ...{ status: "completed", conclusion: "success" },
    });
  const passed = Promise.resolve();
  fake.faults = [
    { kind: "gate", opened: passed, of, times: nth - 1 },
    { kind: "cut", isDone: true, of, times: 1 },
  ];
  await expect(put()).rejects.toMatchObject({ code: "github-unavailable" });
  await put();
  expect(repository.checkRuns).toHaveLength(1);
  expect(repository.checkRuns[0]?.annotations).toEqual(annotations);
  expect(repository.checkRuns[0]).toMatchObject({ status: "completed", conclusion: "success" });
});

test("a summary that is too long is cut", async () => {
  const { begin, parts, place, repository, pull } = await githubResultsScene();
  const { attempt } = await begin();
  await putCheckRun(parts(attempt), place(attempt, "check"), {
    ...{ ...SHOWN, headSha: pull.headSha, externalId: attempt.id, status: "in_progress" },
    ...{ summary: "x".repeat(100_000), text: "y".repeat(100_000), title: "z".repeat(1000) },
  });
  const { summary, text, title } = repository.checkRuns[0]?.output ?? {};
  expect(summary?.length).toBeLessThanOrEqual(65_535);
  expect(text?.length).toBeLessThanOrEqual(65_535);
  expect(title).toHaveLength(255);
});

test("annotations are read one by one: what is wrong spoils no other", () => {
  const good = { path: "src/a.ts", start_line: 3, level: "warning", message: "too long" };
  const text = JSON.stringify({
    annotations: [
      good,
      { ...good, path: "/etc/passwd" },
      { ...good, path: "../b" },
      { ...good, start_line: 0 },
      { ...good, start_line: 5, end_line: 4 },
      { ...good, level: "fatal" },
      { ...good, title: "Length", end_line: 9, level: "failure" },
      "nothing",
    ],
  });
  const { annotations, faults } = readAnnotations(text);
  expect(annotations).toEqual([
    {
      ...{ path: "src/a.ts", start_line: 3, end_line: 3 },
      ...{ annotation_level: "warning", message: "too long" },
    },
    {
      ...{ path: "src/a.ts", start_line: 3, end_line: 9, title: "Length" },
      ...{ annotation_level: "failure", message: "too long" },
    },
  ]);
  expect(faults).toHaveLength(6);
  expect(faults[0]).toBe("annotation 2: path must be relative to the workspace");
});

test.each([["no json"], ["null"], ["7"], ['{"annotations": {}}'], ["[1"]])(
  "%s has no annotations, and says so",
  (text) => {
    const { annotations, faults } = readAnnotations(text);
    expect(annotations).toEqual([]);
    expect(faults).toHaveLength(1);
  },
);

test("at most 500 annotations are read", () => {
  const one = { path: "a", start_line: 1, level: "notice", message: "m" };
  const { annotations } = readAnnotations(JSON.stringify(Array(2000).fill(one)));
  expect(annotations).toHaveLength(500);
});
