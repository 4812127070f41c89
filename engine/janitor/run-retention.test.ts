// Runs that have had their time go with everything that is theirs, in parts, and nothing that is still wanted goes.
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { DAY_MS, usualRetention } from "../../test/support/usual-retention.ts";
import { newId } from "../new-id.ts";
import { forgetInCheckouts } from "../runs/forget-in-checkouts.ts";
import { wantedRuns } from "../runs/wanted-runs.ts";
import { clean } from "./janitor.ts";

interface MadeRun {
  readonly ended?: string;
  readonly parent?: string;
  readonly jobs?: number;
}

async function scene() {
  const engine = await scratchEngine();
  const query = async (text: string, values: unknown[] = []) =>
    (await engine.database.pool.query(text, values)).rows;
  return {
    ...{ engine, query },
    /** As it stands when it ended so long ago; still running without. */
    make: async ({ ended, parent, jobs = 2 }: MadeRun = {}) => {
      const id = newId();
      await query(
        `insert into croft.run (id, owner, name, number, status, text, inputs, repository, parent_id, started_by, finished_at)
         values ($1, 'local', 'p', 1, $2, 'steps: { a: { run: x } }', '{}', 'https://example.com/a', $3, 'test',
           croft.now() - $4::interval)`,
        [id, ended === undefined ? "running" : "done", parent ?? null, ended ?? null],
      );
      await query(
        `with made as (
           insert into croft.job (id, owner, key, lane_id, type, class, status, run_at, input, run_id, step, finished_at)
           select gen_random_uuid(), 'local', '', croft.lane_id('local', ''), 'step', 1, 'done', croft.now(), '{}', $1,
             'a/' || n, croft.now() - coalesce($3::interval, '200 days')
           from generate_series(1, $2::integer) n returning id, step
         ), logged as (
           insert into croft.job_log (job_id, seq, attempt, stream, starts_at, text) select id, 1, 1, 'stdout', 0, 'x' from made
         ), told as (
           insert into croft.event (subject, seq, owner, type, data) select id, 1, 'local', 'job.done', '{}' from made
         )
         insert into croft.run_step (run_id, step, item, position, job_id) select $1, 'a', step, 1, id from made`,
        [id, jobs, ended ?? null],
      );
      return id;
    },
    left: async () => (await query("select id from croft.run order by id")).map(({ id }) => id),
    counts: async () =>
      await query(
        `select (select count(*)::int from croft.job) as jobs, (select count(*)::int from croft.run_step) as steps,
           (select count(*)::int from croft.job_log) as logs, (select count(*)::int from croft.event) as events`,
      ),
  };
}

test("ended long ago they go, with those inside of them; active and young ones stay", async () => {
  const { engine, make, left, counts } = await scene();
  const old = await make({ ended: "91 days" });
  await make({ ended: "95 days", parent: old });
  const young = await make({ ended: "89 days" });
  const active = await make();
  // One inside goes with the outermost, however long ago it ended.
  const inner = await make({ ended: "99 days", parent: active });
  await clean(engine.database, usualRetention);
  expect(await left()).toEqual([young, active, inner].sort());
  expect(await counts()).toEqual([{ jobs: 6, steps: 6, logs: 6, events: 6 }]);
  const wanted = await wantedRuns(engine.database, [old, young, active, inner, "no-id", newId()]);
  expect([...wanted].sort()).toEqual([active, inner].sort());
});

test("a run with more steps than one part can take goes in several", async () => {
  const { engine, query, make, left, counts } = await scene();
  await make({ ended: "91 days", jobs: 250 });
  const forget = async (part: number) =>
    (
      await query(`select croft.forget_runs(croft.now() - interval '90 days', $1) as more`, [part])
    )[0]?.more;
  await query("select croft.forget_results(croft.now() - interval '7 days', 100)");
  const seen: number[] = [];
  for (let calls = 0; calls < 20 && (await forget(100)); calls++) {
    seen.push((await counts())[0]?.jobs);
    expect(await left()).toHaveLength(1); // its own row is the last to go
  }
  expect(seen).toEqual([150, 50, 0, 0]);
  expect(await left()).toEqual([]);
  expect(await counts()).toEqual([{ jobs: 0, steps: 0, logs: 0, events: 0 }]);
  await clean(engine.database, usualRetention);
});

test("what is being gone on with at that moment is left alone", async () => {
  const { engine, query, make, left } = await scene();
  const id = await make({ ended: "91 days" });
  const client = await engine.database.pool.connect();
  try {
    await client.query("begin");
    await client.query("select from croft.run where id = $1 for update", [id]);
    await clean(engine.database, usualRetention);
    await client.query("update croft.run set finished_at = null, status = 'queued' where id = $1", [
      id,
    ]);
    await client.query("commit");
  } finally {
    client.release();
  }
  await clean(engine.database, usualRetention);
  expect(await left()).toEqual([id]);
  expect(await query("select results_removed_at from croft.run")).toEqual([
    { results_removed_at: null },
  ]);
});

test("jobs of a run stay as long as it does", async () => {
  const { engine, query, make, counts } = await scene();
  const id = await make(); // it runs, and its first jobs ended 200 days ago
  await clean(engine.database, {
    retention: { ...usualRetention.retention, events: 400 * DAY_MS },
  });
  expect((await counts())[0]).toMatchObject({ jobs: 2, logs: 2 });
  await query(
    "update croft.run set finished_at = croft.now() - interval '100 days', status = 'done' where id = $1",
    [id],
  );
  await clean(engine.database, usualRetention);
  expect((await counts())[0]).toMatchObject({ jobs: 0, logs: 0 });
});

test("what a run recorded in a checkout leaves it; branches stay", async () => {
  const { engine, query, make } = await scene();
  const checkout = join(await scratchDirectory(), "work");
  mkdirSync(checkout);
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", checkout, ...args], { encoding: "utf8" });
  git("init", "--quiet", "--initial-branch=main");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "-m", "x");
  const [old, young, lost] = [
    await make({ ended: "8 days" }),
    await make({ ended: "1 day" }),
    await make({ ended: "8 days" }),
  ];
  for (const id of [old, young]) git("update-ref", `refs/croft/runs/${id}/a`, "HEAD");
  await query("update croft.run set kind = 'worktree', repository = $1 where id = any ($2)", [
    checkout,
    [old, young],
  ]);
  await query("update croft.run set kind = 'worktree', repository = $1 where id = $2", [
    `${checkout}-gone`,
    lost,
  ]);
  await clean(engine.database, usualRetention);
  await forgetInCheckouts(engine);
  expect(git("for-each-ref", "--format=%(refname)").trim().split("\n")).toEqual([
    `refs/croft/runs/${young}/a`,
    "refs/heads/main",
  ]);
});
