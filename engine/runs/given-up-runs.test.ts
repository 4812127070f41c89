// What becomes of a run that was given up: its lane, its page, another attempt.
import { RunAdvancer, retryRun, showRun, startRun, startWorker } from "@croft/engine";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { checkQueue } from "../../test/support/check-queue.ts";
import { COMMIT, HEADER, heldRuns } from "../../test/support/held-runs.ts";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { defineJobType } from "../jobs/job-type.ts";

const ALL = { owner: undefined };

test("one that is given up while it gets its lane leaves no place taken, and can be retried", async () => {
  const starts: (() => void)[] = [];
  const run = defineJobType({
    ...{ name: "run", input: z.strictObject({ run_id: z.uuid() }), holdsLane: true },
    // Deaf to a cancel, as what has just ended is.
    run: async () => {
      if (starts.length === 0) await new Promise<void>((resolve) => starts.push(resolve));
      return { commit: COMMIT, uses: {} };
    },
  });
  const step = defineJobType({
    ...{ name: "step", isOfRuns: true, input: z.looseObject({}), run: async () => ({}) },
  });
  const engine = await scratchEngine({}, [run, step]);
  const worker = await startWorker(engine);
  onTestFinished(() => worker.close(0));
  const advancer = RunAdvancer.start(engine);
  onTestFinished(() => advancer.close());
  const { pool } = engine.database;
  const until = (status: string) =>
    waitUntil(`the run to be ${status}`, async () => {
      const { rows } = await pool.query("select status from croft.run");
      return rows[0]?.status === status;
    });
  const text = `${HEADER}concurrency: one\nsteps:\n  a: { run: x }\n`;
  const id = await startRun(engine, {
    ...{ owner: "local", text, inputs: {}, priority: "normal", startedBy: "test" },
  });
  await waitUntil("its start", () => starts.length === 1);
  await pool.query(
    `update croft.run set text = 'steps: 7', advance_failures = 4, advance_failing_since = now() - interval '1 hour'
     where id = $1`,
    [id],
  );
  await pool.query("select croft.mark_due(array[$1::uuid])", [id]);
  await until("failed");
  await pool.query("update croft.run set text = $2 where id = $1", [id, text]);
  await retryRun(engine, ALL, id); // while the job of the first attempt has the lane still
  starts[0]?.();
  await until("done");
  expect(await checkQueue(pool)).toEqual([]);
  const { rows } = await pool.query("select from croft.lane_hold");
  expect(rows).toEqual([]);
});

test("one that has a place although it has ended gives it back when it is due", async () => {
  const { start, begun, ended, query, engine } = await heldRuns();
  const id = await start("concurrency: one\nsteps:\n  a: { run: x }\n");
  (await begun("a")).succeed({});
  await ended(id, "done");
  await query(
    `with place as (update croft.lane set running = running + 1 where key = 'one' returning id)
     insert into croft.lane_hold (run_id, lane_id) select $1, id from place`,
    [id],
  );
  await query("select croft.mark_due(array[$1::uuid])", [id]);
  const holds = () => query("select from croft.lane_hold");
  await waitUntil("the place to be free", async () => (await holds()).length === 0);
  expect(await checkQueue(engine.database.pool)).toEqual([]);
});

test("one whose text cannot be read any more is shown, with what its steps did", async () => {
  const { start, begun, ended, query, engine } = await heldRuns();
  const id = await start(
    "steps:\n  a: { run: x, name: first }\n  ask: { needs: [a], approval: true }\n",
  );
  (await begun("a")).succeed({ outputs: {} });
  await ended(id, "waiting");
  await query("update croft.run set text = 'steps: 7' where id = $1", [id]);
  const shown = await showRun(engine.database, ALL, id);
  expect(shown.steps).toMatchObject([
    { step: "a", name: "a", status: "done" },
    { step: "ask", status: "waiting" },
  ]);
});

test("it is not done again while pipelines that it used are still ending", async () => {
  const uses = { "c.yaml": "steps:\n  work: { run: x }\n" };
  const scene = await heldRuns({ uses, advancers: 0 });
  const { start, begun, ended, query, engine, advancer, held } = scene;
  const first = advancer();
  const id = await start("steps:\n  use: { uses: c.yaml }\n");
  const work = await begun("work");
  await first.close();
  await query("update croft.run set status = 'failed', finished_at = now() where id = $1", [id]);
  await query("update croft.run_step set status = 'cancelled' where run_id = $1", [id]);
  await expect(retryRun(engine, ALL, id)).rejects.toMatchObject({ code: "job-not-ended" });
  advancer();
  work.fail(new Error("no"));
  await query("select croft.cancel(array(select id from croft.job where step = 'work'))");
  const open = () => query("select from croft.run where finished_at is null");
  await waitUntil("all to end", async () => (await open()).length === 0);
  await retryRun(engine, ALL, id);
  await waitUntil("it to go on", () => held.length === 2);
  held.at(-1)?.succeed({});
  await ended(id, "done");
  expect(await query("select attempt from croft.run where parent_id = $1", [id])).toEqual([
    { attempt: 2 },
  ]);
});
