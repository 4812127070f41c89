// Retries of runs: whatever was built on a step that is done again is done again too.
import { listAssets, retryRun } from "@croft/engine";
import { expect, test } from "vitest";
import { git } from "./support/make-repository.ts";
import { type RunScene, runScene } from "./support/run-scene.ts";
import { waitUntil } from "./support/wait-until.ts";

const ALL = { owner: undefined };

async function retried(scene: RunScene, id: string, from?: string) {
  const { attempt } = await scene.detail(id);
  await retryRun(scene.engine, ALL, id, from);
  return await waitUntil(
    `the end of attempt ${attempt + 1}`,
    async () => {
      const now = await scene.detail(id);
      return now.attempt > attempt && now.finished_at !== null && now;
    },
    60_000,
  );
}

function statuses({ steps }: Awaited<ReturnType<RunScene["detail"]>>): Record<string, string> {
  return Object.fromEntries(
    steps.map(({ step, item, status }) => [item === null ? step : `${step}/${item}`, status]),
  );
}

test("what was merged before an item succeeded is merged again, and nothing is published without it", async () => {
  const scene = await runScene();
  const first = await scene.run(`
steps:
  build:
    matrix: { v: [a, b, c] }
    continue-on-error: true
    run: 'if [ "$CROFT_ITEM" = b ] && [ "\${{ run.attempt }}" = 1 ]; then exit 1; fi; echo 1 > "file-\${{ matrix.v }}"'
  merge: { needs: [build], integrate: build }
  gate: { needs: [merge], run: 'test "\${{ run.attempt }}" != 1' }
  push: { needs: [gate, merge], publish: { from: merge, branch: out/lost } }
  report:
    needs: [build]
    if: always()
    run: 'echo "r=\${{ needs.build.result }}" >> $CROFT_OUTPUT'
    outputs: [r]
  beside: { run: "true" }
`);
  expect(statuses(first)).toMatchObject({ "build/b": "failed", merge: "done", gate: "failed" });
  expect(first.steps.find(({ step }) => step === "merge")?.integration).toMatchObject({
    integrated: ["a", "c"],
    left_out: [{ id: "b", result: "failed" }],
  });
  const second = await retried(scene, first.id);
  expect(new Set(Object.values(statuses(second)))).toEqual(new Set(["done"]));
  const files = await git(["ls-tree", "--name-only", "out/lost"], scene.origin);
  expect(files.split("\n")).toEqual(expect.arrayContaining(["file-a", "file-b", "file-c"]));
  const [before, after] = [first, second].map(
    ({ steps }) =>
      (name: string, item: string | null) =>
        steps.find((each) => each.step === name && each.item === item),
  );
  expect(after?.("report", null)?.outputs).toEqual({ r: "done" });
  for (const [name, item] of [
    ["build", "a"],
    ["build", "c"],
    ["beside", null],
  ] as const) {
    expect(after?.(name, item)?.job_id).toBe(before?.(name, item)?.job_id);
  }
}, 120_000);

test("a run in which no step failed is not retried, unless from a step", async () => {
  const scene = await runScene();
  const done = await scene.run(`
steps:
  a: { run: "true" }
  off: { if: "false", run: "true" }
  last: { needs: [off], if: always(), run: "true" }
`);
  expect(statuses(done)).toEqual({ a: "done", off: "skipped", last: "done" });
  await expect(retryRun(scene.engine, ALL, done.id)).rejects.toMatchObject({
    code: "job-ended",
    message: expect.stringContaining("nothing to do"),
  });
  const again = await retried(scene, done.id, "off");
  expect(statuses(again)).toEqual({ a: "done", off: "skipped", last: "done" });
  const job = (run: typeof again, name: string) =>
    run.steps.find(({ step }) => step === name)?.job_id;
  expect(job(again, "a")).toBe(job(done, "a"));
  expect(job(again, "last")).not.toBe(job(done, "last"));
}, 60_000);

test("artifacts of an earlier attempt are neither injected nor read, and are marked", async () => {
  const scene = await runScene();
  const first = await scene.run(`
steps:
  make:
    run: 'test "\${{ run.attempt }}" != 1 || echo old > note.txt'
    artifacts: { note: { path: note.txt, optional: true } }
  use:
    needs: [make]
    inject: { note: in/note.txt }
    env: { NOTE: "\${{ artifacts.make.note }}" }
    run: 'echo "read=$NOTE" >> $CROFT_OUTPUT; echo "found=$(cat in/note.txt || true)" >> $CROFT_OUTPUT'
    outputs: [read, found]
`);
  const outputs = ({ steps }: typeof first) => steps.find(({ step }) => step === "use")?.outputs;
  expect(first.status).toBe("done");
  expect(outputs(first)).toEqual({ read: "old", found: "old" });
  const query = { run: first.id, kind: "artifact" as const, limit: 10 };
  const listed = async () => (await listAssets(scene.engine.database, ALL, query)).assets;
  expect((await listed()).map(({ superseded }) => superseded)).toEqual([false]);
  const second = await retried(scene, first.id, "make");
  expect(second.status).toBe("done");
  expect(outputs(second)).toEqual({ read: "", found: "" });
  expect((await listed()).map(({ superseded }) => superseded)).toEqual([true]);
}, 60_000);
