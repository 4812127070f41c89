// Pipelines that steps use: their time, their retries, their outputs, their lane, and their end with the one that uses them.
import { cancelRun, decideApproval, listRuns, retryRun } from "@croft/engine";
import { expect, test } from "vitest";
import { heldRuns } from "../../test/support/held-runs.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { JobFailure } from "../jobs/job-failure.ts";

const ALL = { owner: undefined };
const broken = () => new JobFailure("invalid", "bad", "it ended badly");

async function childOf(query: Awaited<ReturnType<typeof heldRuns>>["query"], id: string) {
  const find = () => query("select * from croft.run where parent_id = $1", [id]);
  return await waitUntil("the sub-pipeline", async () => (await find())[0]);
}

test("a circle that got past the check ends by its depth, and a cancel catches up with it", async () => {
  const cyc = "steps:\n  one: { uses: cyc.yaml }\n";
  const { start, ended, query, engine } = await heldRuns({ uses: { "cyc.yaml": cyc } });
  const id = await start("steps:\n  c: { uses: cyc.yaml }\n");
  await ended(id, "failed");
  expect(await query("select count(*)::int as n from croft.run")).toEqual([{ n: 11 }]);
  const [run] = await query("select error ->> 'message' as message from croft.run where id = $1", [
    id,
  ]);
  expect(run?.["message"]).toContain("more than 10 deep");
  const other = await start("steps:\n  c: { uses: cyc.yaml }\n");
  await childOf(query, other);
  await cancelRun(engine, ALL, other).catch(() => undefined); // it may have ended
  const open = () => query("select from croft.run where finished_at is null");
  await waitUntil("all to end", async () => (await open()).length === 0);
});

test("what a run was made for is what all its jobs, and those of pipelines that it uses, were made for", async () => {
  const uses = { "a.yaml": "steps:\n  inner: { run: x }\n" };
  const { start, begun, ended, query, engine } = await heldRuns({ uses });
  const text = "steps:\n  outer: { run: x }\n  a: { needs: [outer], uses: a.yaml }\n";
  const id = await start(text, { sourceTaskId: "talk-1" });
  (await begun("outer")).succeed({});
  (await begun("inner")).succeed({});
  await ended(id, "done");
  const jobs = await query("select type, step, source_task_id from croft.job order by id");
  expect(jobs).toEqual([
    { type: "run", step: null, source_task_id: "talk-1" },
    { type: "step", step: "outer", source_task_id: "talk-1" },
    { type: "step", step: "inner", source_task_id: "talk-1" },
  ]);
  await start("steps:\n  other: { run: x }\n");
  const { runs } = await listRuns(engine.database, ALL, { source_task_id: "talk-1", limit: 9 });
  expect(runs).toMatchObject([
    { parent_id: id, source_task_id: "talk-1" },
    { id, source_task_id: "talk-1" },
  ]);
});

test("a cancel reaches all that is used, however deep", async () => {
  const uses = {
    "a.yaml": "steps:\n  b: { uses: b.yaml }\n",
    "b.yaml": "steps:\n  work: { run: x }\n",
  };
  const { start, begun, ended, query, engine } = await heldRuns({ uses });
  const id = await start("steps:\n  a: { uses: a.yaml }\n");
  await begun("work");
  await cancelRun(engine, ALL, id);
  await ended(id, "cancelled");
  expect(await query("select status from croft.run where cancel_requested_at is not null")).toEqual(
    Array(3).fill({ status: "cancelled" }),
  );
});

test("a sub-pipeline that takes too long is cancelled, and its step fails; its policy gives it another attempt", async () => {
  const uses = { "c.yaml": "steps:\n  first: { run: x }\n  slow: { needs: [first], run: x }\n" };
  const { start, begun, ended, query, held, engine } = await heldRuns({ uses });
  const id = await start(`steps:
  use: { uses: c.yaml, timeout: 1h, retry: { attempts: 2, delay: 1ms, on: [timeout] } }
`);
  (await begun("first")).succeed({});
  const slow = await begun("slow");
  const late = () =>
    query("update croft.run_step set deadline_at = now() where run_id = $1 and step = 'use'", [id]);
  await late();
  await waitUntil("it to be stopped", () => slow.attempt.signal.aborted);
  await waitUntil("it to run again", () => held.filter(({ name }) => name === "slow").length === 2);
  expect(held.filter(({ name }) => name === "first")).toHaveLength(1);
  await late();
  await ended(id, "failed");
  const [run] = await query("select error from croft.run where id = $1", [id]);
  expect(run?.["error"]).toMatchObject({ code: "step-timeout", class: "timeout" });
  expect(await childOf(query, id)).toMatchObject({ status: "cancelled", attempt: 2 });
  await expect(cancelRun(engine, ALL, id)).rejects.toMatchObject({ code: "job-ended" });
});

test("a retry goes on with the sub-pipeline that failed; what had ended well in it is kept", async () => {
  const uses = { "c.yaml": "steps:\n  good: { run: x }\n  bad: { needs: [good], run: x }\n" };
  const { start, begun, ended, query, held, engine } = await heldRuns({ uses });
  const id = await start("steps:\n  use: { uses: c.yaml }\n");
  (await begun("good")).succeed({});
  (await begun("bad")).fail(broken());
  await ended(id, "failed");
  await retryRun(engine, ALL, id);
  await waitUntil("it again", () => held.filter(({ name }) => name === "bad").length === 2);
  held.at(-1)?.succeed({});
  await ended(id, "done");
  expect(held.map(({ name }) => name)).toEqual(["good", "bad", "bad"]);
  expect(await query("select attempt, status from croft.run where parent_id = $1", [id])).toEqual([
    { attempt: 2, status: "done" },
  ]);
});

test("outputs that are lists or objects come as JSON", async () => {
  const uses = {
    "c.yaml": `outputs: { list: "\${{ fromJSON('[1,2]') }}", one: "\${{ fromJSON('{\\"a\\":1}') }}", n: "\${{ 3 }}" }
steps:
  a: { run: x }
`,
  };
  const { start, begun, ended, query } = await heldRuns({ uses });
  const id = await start(`outputs: { second: "\${{ fromJSON(steps.use.outputs.list)[1] }}" }
steps:
  use: { uses: c.yaml, outputs: [list, one, n] }
`);
  (await begun("a")).succeed({});
  await ended(id, "done");
  const [step] = await query("select outputs from croft.run_step where run_id = $1", [id]);
  expect(step).toEqual({ outputs: { list: "[1,2]", one: '{"a":1}', n: "3" } });
  expect(await query("select outputs from croft.run where id = $1", [id])).toEqual([
    { outputs: { second: 2 } },
  ]);
});

test("while somebody is asked in a sub-pipeline others have the lane; it goes on when it has it again", async () => {
  const uses = {
    "outer.yaml": "steps:\n  inner: { uses: inner.yaml }\n",
    "inner.yaml": "steps:\n  ask: { approval: true }\n  go: { needs: [ask], run: x }\n",
  };
  const { start, begun, ended, query, held, engine } = await heldRuns({ uses });
  const id = await start("concurrency: one\nsteps:\n  use: { uses: outer.yaml }\n");
  await ended(id, "waiting");
  const other = await start("concurrency: one\nsteps:\n  work: { run: x }\n");
  const work = await begun("work"); // it has the lane
  const { id: outer } = await childOf(query, id);
  const { id: inner } = await childOf(query, String(outer));
  await decideApproval(engine, ALL, String(inner), { step: "ask", isApproved: true, by: "ada" });
  await ended(id, "queued");
  expect(held.map(({ name }) => name)).toEqual(["work"]);
  work.succeed({});
  await ended(other, "done");
  (await begun("go")).succeed({});
  await ended(id, "done");
  expect(await query("select from croft.lane_hold")).toEqual([]);
});

test("cancelled while it waits for the lane with its sub-pipeline, everything ends", async () => {
  const uses = { "c.yaml": "steps:\n  ask: { approval: true }\n  go: { needs: [ask], run: x }\n" };
  const { start, begun, ended, query, engine } = await heldRuns({ uses });
  const id = await start("concurrency: one\nsteps:\n  use: { uses: c.yaml }\n");
  await ended(id, "waiting");
  const other = await start("concurrency: one\nsteps:\n  work: { run: x }\n");
  const work = await begun("work");
  const { id: child } = await childOf(query, id);
  await decideApproval(engine, ALL, String(child), { step: "ask", isApproved: true, by: "ada" });
  await ended(id, "queued");
  await cancelRun(engine, ALL, id);
  await ended(id, "cancelled");
  await ended(String(child), "cancelled");
  work.succeed({});
  await ended(other, "done");
  expect(
    await query("select from croft.run_step where status in ('pending', 'running', 'waiting')"),
  ).toEqual([]);
});

test("a second cancel also stops what runs always(), in sub-pipelines too", async () => {
  const uses = {
    "c.yaml": "steps:\n  deep: { run: x }\n  after: { needs: [deep], if: always(), run: x }\n",
  };
  const { start, begun, ended, steps, engine } = await heldRuns({ uses });
  const id = await start(`steps:
  a: { run: x }
  tidy: { needs: [a], if: always(), run: x }
  last: { needs: [tidy], if: always(), run: x }
  use: { uses: c.yaml }
`);
  await begun("a");
  await begun("deep");
  await cancelRun(engine, ALL, id);
  const tidy = await begun("tidy");
  const after = await begun("after");
  expect(tidy.attempt.signal.aborted).toBe(false);
  await cancelRun(engine, ALL, id);
  await ended(id, "cancelled");
  expect([tidy, after].map(({ attempt }) => attempt.signal.aborted)).toEqual([true, true]);
  expect(await steps(id)).toEqual({
    a: "cancelled",
    tidy: "cancelled",
    last: "cancelled",
    use: "cancelled",
  });
});
