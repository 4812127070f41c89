// A bulk action acts on each job that was there once, goes on where it was cut off, and touches nobody else's.
import type { BulkRequest } from "@croft/contract";
import { expect, onTestFinished, test } from "vitest";
import { holdType, jobScene, noopType } from "../../test/support/job-scene.ts";
import { scratchDatabase } from "../../test/support/scratch-database.ts";
import { engineOn } from "../../test/support/scratch-engine.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import type { Engine } from "../engine.ts";
import { cancelJobs, retryJob } from "../jobs/change-jobs.ts";
import { BulkRunner } from "./bulk-runner.ts";
import { abortBulk, createBulk } from "./change-bulk.ts";
import { readBulk } from "./read-bulk.ts";

const ALL = { owner: undefined };

function start(engine: Engine, batchMax?: number): BulkRunner {
  const runner = BulkRunner.start(engine, batchMax);
  onTestFinished(() => runner.close());
  return runner;
}

function bulkTools(engine: Engine) {
  const query = async (text: string, values: unknown[] = []) =>
    (await engine.database.pool.query(text, values)).rows;
  const submit = (owner: string, more: object = {}) =>
    engine.intake.submit({ type: "hold", input: {}, priority: "normal", owner, ...more });
  const bulk = (id: string) => readBulk(engine.database, ALL, id);
  return {
    ...{ query, submit, bulk },
    submitMany: async (owner: string, count: number, more: object = {}) =>
      await Promise.all(Array.from({ length: count }, () => submit(owner, more))),
    create: (request: BulkRequest, owner = "local") => createBulk(engine.database, owner, request),
    ended: async (id: string) => {
      await waitUntil("the bulk's end", async () => (await bulk(id)).status !== "running");
      return await bulk(id);
    },
    /** How many jobs there are of each owner and status. */
    counts: async () =>
      Object.fromEntries(
        (
          await query(
            "select owner || ' ' || status as what, count(*)::integer as jobs from croft.job group by 1",
          )
        ).map(({ what, jobs }) => [what, jobs]),
      ),
    events: async (id: string) =>
      (await query("select type from croft.event where subject = $1 order by seq", [id])).map(
        ({ type }) => type,
      ),
  };
}

async function scene() {
  const parts = await jobScene();
  return { ...parts, ...bulkTools(parts.engine) };
}

test("cancels what a filter names, in batches, and tells how far it is", async () => {
  const { engine, submitMany, create, ended, counts, events } = await scene();
  await submitMany("local", 7, { key: "a" });
  await submitMany("local", 3, { key: "b" });
  const made = await create({ action: "cancel", filter: { key: "a" } });
  expect(made).toMatchObject({ status: "running", total: 7, done: 0, skipped: 0 });
  start(engine, 3);
  expect(await ended(made.id)).toMatchObject({
    ...{ status: "done", total: 7, done: 7, skipped: 0, finished_at: expect.any(String) },
  });
  expect(await counts()).toEqual({ "local cancelled": 7, "local queued": 3 });
  expect(await events(made.id)).toEqual([
    ...["bulk.started", "bulk.progress", "bulk.progress", "bulk.done"],
  ]);
});

test("running jobs are asked to end, those that have ended are left", async () => {
  const { engine, submit, submitMany, startWorker, begun, create, ended, counts } = await scene();
  await startWorker();
  start(engine);
  await submit("local");
  await begun(1);
  const [queued] = await submitMany("local", 2, { key: "k", run_at: "2999-01-01T00:00:00Z" });
  await cancelJobs(engine.database.pool, [queued?.id ?? ""]);
  const made = await create({ action: "cancel", filter: {} });
  expect(await ended(made.id)).toMatchObject({ total: 2, done: 2, skipped: 0 });
  await waitUntil("all to end", async () => (await counts())["local cancelled"] === 3);
});

test("nothing to do is done at once", async () => {
  const { engine, create, ended } = await scene();
  start(engine);
  for (const action of ["cancel", "retry"] as const) {
    const { id } = await create({ action, filter: {} });
    expect(await ended(id)).toMatchObject({ status: "done", total: 0, done: 0, skipped: 0 });
  }
});

test("an app's bulk action touches only its own jobs, an admin's everybody's", async () => {
  const { engine, submitMany, create, ended, counts } = await scene();
  start(engine, 2);
  for (const owner of ["app:1", "app:2", "local"]) await submitMany(owner, 3);
  const foreign = await create({ action: "cancel", filter: { owner: "app:2" } }, "app:1");
  expect(await ended(foreign.id)).toMatchObject({ total: 0, done: 0 });
  const own = await create({ action: "cancel", filter: {} }, "app:1");
  expect(await ended(own.id)).toMatchObject({ total: 3, done: 3 });
  expect(await counts()).toEqual({
    ...{ "app:1 cancelled": 3, "app:2 queued": 3, "local queued": 3 },
  });
  const one = await create({ action: "cancel", filter: { owner: "app:2" } });
  expect(await ended(one.id)).toMatchObject({ total: 3, done: 3 });
  const all = await create({ action: "cancel", filter: {} });
  expect(await ended(all.id)).toMatchObject({ total: 3, done: 3 });
});

/** As many that have failed, without a worker. */
async function failAll({ query }: { query: (text: string) => Promise<unknown> }) {
  await query("update croft.lane set queued = 0, head_rank = null, head_class = null");
  await query(
    "update croft.owner set ready_background = 0, ready_normal = 0, ready_interactive = 0",
  );
  await query(
    "update croft.job set status = 'failed', finished_at = croft.now() where status = 'queued'",
  );
}

test("retries what failed, once each, and not what it made itself", async () => {
  const tools = await scene();
  const { engine, submitMany, submit, create, ended, counts, query } = tools;
  await submitMany("app:1", 5, { key: "k", source_task_id: "t", priority: "background" });
  await submitMany("app:2", 4, { type: "noop", input: { a: 1 } });
  const { id: again } = await submit("app:2");
  await failAll(tools);
  await retryJob(engine.database, engine.intake, ALL, again);
  start(engine, 2);
  const made = await create({ action: "retry", filter: {} });
  expect(made).toMatchObject({ total: 10, filter: { status: "failed" } });
  expect(await ended(made.id)).toMatchObject({ total: 10, done: 9, skipped: 1 });
  expect(await counts()).toEqual({
    ...{ "app:1 failed": 5, "app:1 queued": 5, "app:2 failed": 5, "app:2 queued": 5 },
  });
  const rows = await query("select retry_of, count(*)::integer as jobs from croft.job group by 1");
  expect(rows.filter(({ retry_of, jobs }) => retry_of !== null && jobs !== 1)).toEqual([]);
  const [copy] = await query(
    "select key, source_task_id, class from croft.job where status = 'queued' and owner = 'app:1'",
  );
  expect(copy).toEqual({ key: "k", source_task_id: "t", class: 0 });
  // Those that it made have ended before it has: they are not its business, whatever their ids say.
  await failAll(tools);
  await query(`update croft.bulk set status = 'running', after_id = null, done = 0, skipped = 0,
    until_id = 'ffffffff-ffff-7fff-bfff-ffffffffffff'`);
  await query("select pg_notify('croft_bulk', '')");
  expect(await ended(made.id)).toMatchObject({ total: 10, done: 10, skipped: 0 });
});

test("what can be retried no more is skipped", async () => {
  const tools = await scene();
  const { engine, submit, create, ended, query } = tools;
  await submit("local");
  const { id: gone } = await submit("local");
  const { id: odd } = await submit("local");
  await submit("local", { dedupe: "only one" });
  await failAll(tools);
  await submit("local", { dedupe: "only one" });
  await query("update croft.job set type = 'gone' where id = $1", [gone]);
  await query(`update croft.job set input = '{"more":1}' where id = $1`, [odd]);
  start(engine);
  const { id } = await create({ action: "retry", filter: {} });
  expect(await ended(id)).toMatchObject({ status: "done", total: 4, done: 1, skipped: 3 });
});

test("large inputs are retried a few at a time", async () => {
  const tools = await scene();
  const { engine, submit, create, ended, events } = tools;
  const input = { text: "x".repeat(900_000) };
  for (let nth = 0; nth < 20; nth++) await submit("local", { type: "noop", input });
  await failAll(tools);
  start(engine);
  const { id } = await create({ action: "retry", filter: {} });
  expect(await ended(id)).toMatchObject({ total: 20, done: 20, skipped: 0 });
  expect(await events(id)).toHaveLength(4);
});

test("aborted, it goes no further, and that is its end", async () => {
  const { engine, submitMany, create, counts, events } = await scene();
  await submitMany("local", 300);
  const { id } = await create({ action: "cancel", filter: {} });
  const runner = start(engine, 1);
  await waitUntil("progress", async () => (await events(id)).includes("bulk.progress"));
  const aborted = await abortBulk(engine.database, ALL, id);
  expect(aborted.status).toBe("aborted");
  expect(aborted.done).toBeLessThan(300);
  await runner.close();
  expect((await counts())["local cancelled"]).toBe(aborted.done);
  expect(await abortBulk(engine.database, ALL, id)).toEqual(aborted);
  expect((await events(id)).at(-1)).toBe("bulk.aborted");
});

test("aborted before it began, it does nothing", async () => {
  const { engine, submitMany, create, counts, events } = await scene();
  await submitMany("local", 3);
  const { id } = await create({ action: "cancel", filter: {} });
  expect(await abortBulk(engine.database, ALL, id)).toMatchObject({ status: "aborted", done: 0 });
  start(engine);
  const other = await create({ action: "cancel", filter: { key: "none" } });
  await waitUntil("the other", async () => (await events(other.id)).includes("bulk.done"));
  expect(await counts()).toEqual({ "local queued": 3 });
  expect(await events(id)).toEqual(["bulk.started", "bulk.aborted"]);
});

test.each(["cancel", "retry"] as const)(
  "%s: cut off in the middle of a batch, another process goes on, and nothing is done twice",
  async (action) => {
    const url = await scratchDatabase();
    const engine = await engineOn(url, {}, [holdType().type, noopType]);
    const other = await engineOn(url, {}, [holdType().type, noopType]);
    const tools = bulkTools(engine);
    const { query, submitMany, create, ended, bulk } = tools;
    await submitMany("local", 25);
    if (action === "retry") await failAll(tools);
    const { id } = await create({ action, filter: {} });
    // The batch is carried out, and the process ends before its place is kept.
    await query(`
      create function public.cut() returns trigger language plpgsql as $$
      begin
        if new.done >= 15 and current_setting('application_name') = 'doomed' then
          perform pg_terminate_backend(pg_backend_pid());
          perform pg_sleep(10);
        end if;
        return new;
      end $$;
      create trigger cut before update on croft.bulk for each row execute function public.cut();
    `);
    const doomed = await engineOn(`${url}?application_name=doomed`, {}, [holdType().type]);
    doomed.database.pool.options.application_name = "doomed";
    let cuts = 0;
    doomed.database.pool.on("remove", () => cuts++);
    const runner = start(doomed, 5);
    await waitUntil("the cut", () => cuts > 0);
    expect(await bulk(id)).toMatchObject({ status: "running", done: 10, skipped: 0 });
    await runner.close();
    start(other, 5);
    expect(await ended(id)).toMatchObject({ status: "done", total: 25, done: 25, skipped: 0 });
    const [row] = await query(
      `select count(*) filter (where status = 'cancelled')::integer as cancelled,
         count(*) filter (where retry_of is not null)::integer as retried,
         count(distinct retry_of)::integer as once from croft.job`,
    );
    const done = action === "cancel" ? [25, 0, 0] : [0, 25, 25];
    expect(Object.values(row)).toEqual(done);
  },
);

test("two processes share several bulk actions", async () => {
  const url = await scratchDatabase();
  const engines = [
    await engineOn(url, {}, [holdType().type]),
    await engineOn(url, {}, [holdType().type]),
  ] as const;
  const { submitMany, create, ended, counts } = bulkTools(engines[0]);
  for (let nth = 0; nth < 4; nth++) await submitMany("local", 30, { key: `k${nth}` });
  for (const engine of engines) start(engine, 4);
  const made = await Promise.all(
    [0, 1, 2, 3].map((nth) => create({ action: "cancel", filter: { key: `k${nth}` } })),
  );
  for (const { id } of made) expect(await ended(id)).toMatchObject({ done: 30, skipped: 0 });
  expect(await counts()).toEqual({ "local cancelled": 120 });
});

test("jobs that come after it was made are not its business", async () => {
  const { engine, submitMany, create, ended, counts } = await scene();
  await submitMany("local", 4);
  const { id } = await create({ action: "cancel", filter: {} });
  await submitMany("local", 4);
  start(engine, 3);
  expect(await ended(id)).toMatchObject({ total: 4, done: 4 });
  expect(await counts()).toEqual({ "local cancelled": 4, "local queued": 4 });
});

test("what has ended meanwhile counts as skipped", async () => {
  const { engine, submitMany, create, ended } = await scene();
  const jobs = await submitMany("local", 6);
  const { id } = await create({ action: "cancel", filter: { status: "queued" } });
  await cancelJobs(engine.database.pool, [jobs[1]?.id ?? "", jobs[4]?.id ?? ""]);
  start(engine, 2);
  expect(await ended(id)).toMatchObject({ total: 6, done: 4, skipped: 2 });
});
