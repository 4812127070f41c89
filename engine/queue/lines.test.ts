// Work in a line: it begins when all before it has ended, whatever becomes of that meanwhile.
import { decideApproval } from "@croft/engine";
import { expect, test } from "vitest";
import { checkQueue } from "../../test/support/check-queue.ts";
import { heldRuns } from "../../test/support/held-runs.ts";
import { jobScene } from "../../test/support/job-scene.ts";
import { seededRandom } from "../../test/support/seeded-random.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { inTransaction } from "../database/in-transaction.ts";
import { despiteDeadlocks } from "../database/try-again.ts";
import type { Engine } from "../engine.ts";
import { cancelJobs } from "../jobs/change-jobs.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import { readJob } from "../jobs/read-jobs.ts";
import type { SubmittedJob } from "../jobs/submit-jobs.ts";

const ALL = { owner: undefined };
const OWNER = "installation:7";

async function lineScene(flags: Record<string, string> = {}) {
  const scene = await jobScene(flags);
  const add = (name: string, job: Partial<SubmittedJob> = {}) => addTo(scene.engine, name, job);
  const names = () => scene.held.map(({ attempt }) => attempt.input.name);
  const end = async (name: string, error?: unknown) => {
    const held = await waitUntil(`${name} to begin`, () => scene.held.findLast(isNamed(name)));
    if (error === undefined) held.succeed();
    else held.fail(error);
  };
  const check = async () => expect(await checkQueue(scene.engine.database.pool)).toEqual([]);
  const waits = async (id: string) => (await readJob(scene.engine.database, ALL, id)).waiting_for;
  return { ...scene, add, names, end, check, waits };
}

const isNamed =
  (name: string) =>
  ({ attempt }: { attempt: { input: { name?: string | undefined } } }) =>
    attempt.input.name === name;

async function addTo(engine: Engine, name: string, job: Partial<SubmittedJob>): Promise<string> {
  const submitted: SubmittedJob = {
    ...{
      type: "hold",
      input: { name },
      priority: "normal" as const,
      owner: OWNER,
      key: OWNER,
      line: "pr",
    },
    ...job,
  };
  return await despiteDeadlocks(() =>
    inTransaction(engine.database, async (client) => {
      const [made] = await engine.intake.submitWithin(client, [submitted]);
      return made?.id ?? "";
    }),
  );
}

const later = (ms: number) => new JobFailure("transient", "busy", "not now", { retryAfterMs: ms });

test("in one lane they come in their order, and nobody else's is changed by it", async () => {
  const { add, end, names, startWorker, check } = await lineScene();
  await add("a");
  await add("b");
  await add("c", { line: "other" });
  await startWorker();
  for (const name of ["a", "b", "c"]) await end(name);
  await waitUntil("three", () => names().length === 3);
  expect(names()).toEqual(["a", "b", "c"]);
  await check();
});

test("one that is tried again is waited for, and others go on meanwhile", async () => {
  const { add, end, names, startWorker, check, waits, query } = await lineScene();
  await add("a");
  const b = await add("b");
  await add("c", { line: "other" });
  await startWorker();
  await end("a", later(3_600_000));
  await end("c");
  await waitUntil("c to end", async () => (await query(countDone))[0]?.n === 1);
  expect(names()).toEqual(["a", "c"]);
  expect(await waits(b)).toBe("line");
  await check();
  await query("update croft.job set run_at = croft.now() where input ->> 'name' = 'a'");
  await query("notify croft_wake");
  await waitUntil("a again", () => names().length === 3);
  await end("a");
  await end("b");
  expect(names()).toEqual(["a", "c", "a", "b"]);
  await waitUntil("all to end", async () => (await query(countDone))[0]?.n === 3);
  expect(await query("select * from croft.line_member")).toEqual([]);
  await check();
});

const countDone = "select count(*)::integer as n from croft.job where status = 'done'";

test("in lanes of their own they still come one after the other; a cancelled one is passed by", async () => {
  const { add, end, names, startWorker, check, engine, query } = await lineScene();
  await add("a", { key: "one" });
  const b = await add("b", { key: "two" });
  await add("c", { key: "three", priority: "interactive" });
  await startWorker();
  await waitUntil("the first", () => names().length === 1);
  await query("select croft.cancel(array[$1::uuid])", [b]);
  await check();
  await end("a");
  await end("c");
  expect(names()).toEqual(["a", "c"]);
  expect((await readJob(engine.database, ALL, b)).status).toBe("cancelled");
});

test("an urgent one carries those before it", async () => {
  const { add, end, names, startWorker, check } = await lineScene();
  await add("first", { line: "other" });
  await add("second", { line: "other" });
  await add("a");
  await add("b", { priority: "interactive" });
  await check();
  await startWorker();
  for (const name of ["a", "b", "first", "second"]) await end(name);
  expect(names()).toEqual(["a", "b", "first", "second"]);
});

test("a lane that gets more places still lets none pass", async () => {
  const { add, end, names, startWorker, check, query } = await lineScene();
  await add("a");
  await add("b");
  await add("c", { line: "other" });
  await query("select croft.change_lane(croft.lane_id($1, $1), 5, true, null)", [OWNER]);
  await check();
  await startWorker();
  await waitUntil("two", () => names().length === 2);
  expect(names()).toEqual(["a", "c"]);
  await end("a");
  await end("b");
  await check();
});

test("a run that waits for an approval is waited for", async () => {
  const { start, begun, ended, engine, held } = await heldRuns();
  const more = { owner: "local", line: "pr" };
  const ask =
    "concurrency: one\nsteps:\n  ask: { approval: true }\n  go: { needs: [ask], run: x }\n";
  const first = await start(ask, more);
  await ended(first, "waiting");
  const second = await start("concurrency: one\nsteps:\n  late: { run: x }\n", more);
  const other = await start("concurrency: one\nsteps:\n  free: { run: x }\n");
  (await begun("free")).succeed({});
  await ended(other, "done");
  expect(await checkQueue(engine.database.pool)).toEqual([]);
  await decideApproval(engine, ALL, first, { step: "ask", isApproved: true, by: "ada" });
  (await begun("go")).succeed({});
  await ended(first, "done");
  (await begun("late")).succeed({});
  await ended(second, "done");
  expect(held.map(({ name }) => name)).toEqual(["free", "go", "late"]);
  expect(await checkQueue(engine.database.pool)).toEqual([]);
});

test("whatever ends, fails, is cancelled or comes at the same time, none begins too early", async () => {
  const { engine, add, held, startWorker, check, query } = await lineScene();
  const random = seededRandom(81_411);
  await startWorker();
  for (let nth = 0; nth < 60; nth++) {
    const line = random.below(3);
    const name = `${line}-${nth}`;
    const key = ["x", "y", OWNER][random.below(3)] ?? OWNER;
    const priority = random.below(4) === 0 ? "interactive" : "normal";
    const id = await add(name, { line: `line-${line}`, key, priority, attempts: 3 });
    if (random.below(6) === 0) {
      await despiteDeadlocks(() => cancelJobs(engine.database.pool, [id]));
    }
    for (const each of held.splice(0)) {
      const way = random.below(3);
      if (way === 0) each.fail(later(random.below(30)));
      else if (way === 1) each.fail(new JobFailure("invalid", "bad", "no"));
      else each.succeed();
    }
  }
  await waitUntil("all to end", async () => {
    for (const each of held.splice(0)) each.succeed();
    const [row] = await query(
      "select count(*)::integer as n from croft.job where status in ('queued', 'running')",
    );
    return row?.n === 0;
  });
  const early = await query(`
    select j.input ->> 'name' as name from croft.job j join croft.job before
      on split_part(before.input ->> 'name', '-', 1) = split_part(j.input ->> 'name', '-', 1)
      and split_part(before.input ->> 'name', '-', 2)::integer < split_part(j.input ->> 'name', '-', 2)::integer
    join croft.event ended on ended.subject = before.id and ended.type in ('job.done', 'job.failed', 'job.cancelled')
    join croft.event began on began.subject = j.id and began.type = 'job.started' and began.place < ended.place`);
  expect(early).toEqual([]);
  expect(await query("select * from croft.line_member")).toEqual([]);
  await check();
});
