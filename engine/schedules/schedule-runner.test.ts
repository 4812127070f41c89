// Every time gives one job, whatever happens to the processes that look after it.
import type { NewSchedule } from "@croft/contract";
import { expect, onTestFinished, test } from "vitest";
import { holdType, jobScene, noopType } from "../../test/support/job-scene.ts";
import { scratchDatabase } from "../../test/support/scratch-database.ts";
import { engineOn } from "../../test/support/scratch-engine.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import type { Engine } from "../engine.ts";
import { changeSchedule, createSchedule } from "./change-schedules.ts";
import { readSchedule } from "./read-schedules.ts";
import { ScheduleRunner } from "./schedule-runner.ts";

const ALL = { owner: undefined };
/** Far away: in these tests a schedule is due when the test says so. */
const YEARLY = "0 0 1 1 *";

function start(engine: Engine): ScheduleRunner {
  const runner = ScheduleRunner.start(engine);
  onTestFinished(() => runner.close());
  return runner;
}

function scheduleTools(engine: Engine) {
  const query = async (text: string, values: unknown[] = []) =>
    (await engine.database.pool.query(text, values)).rows;
  const create = (more: Partial<NewSchedule> = {}, owner = "local") =>
    createSchedule(engine, owner, {
      ...{ name: "nightly", cron: YEARLY, time_zone: "UTC", overlap: "skip", paused: false },
      job: { type: "noop", input: {}, priority: "normal" },
      ...more,
    });
  /** As if its time had come. */
  const makeDue = async (since = "1 second") => {
    await query("update croft.schedule set next_at = croft.now() - $1::interval", [since]);
    await query("select pg_notify('croft_schedule', '')");
  };
  const isNoneDue = async () =>
    (await query("select from croft.schedule where not is_paused and next_at <= croft.now()"))
      .length === 0;
  return {
    ...{ query, create, makeDue },
    schedule: (id: string) => readSchedule(engine.database, ALL, id),
    handled: () => waitUntil("nothing to be due", isNoneDue),
    jobs: () => query("select id, owner, status, input from croft.job order by created_at, id"),
  };
}

async function scene() {
  const parts = await jobScene();
  return { ...parts, ...scheduleTools(parts.engine) };
}

test("a schedule submits its job by the clock, and says when", async () => {
  const { engine, create, jobs, schedule } = await scene();
  start(engine);
  const { id } = await create(
    {
      cron: "* * * * * *",
      overlap: "queue",
      job: { type: "noop", input: { a: 1 }, priority: "normal", key: "k" },
    },
    "app:1",
  );
  await waitUntil("two jobs", async () => (await jobs()).length >= 2);
  expect((await jobs())[0]).toMatchObject({ owner: "app:1", input: { a: 1 } });
  const { last_job_id, last_at, last_error } = await schedule(id);
  expect({ last_job_id, last_at, last_error }).toEqual({
    ...{ last_job_id: expect.any(String), last_at: expect.any(String), last_error: null },
  });
});

test("the database's clock decides", async () => {
  const url = await scratchDatabase();
  const types = [holdType().type, noopType];
  const ahead = await engineOn(`${url}?options=-c%20croft.clock_offset%3D400days`, {}, types);
  const engine = await engineOn(url, {}, types);
  const { create, jobs, schedule } = scheduleTools(engine);
  const { id, next_at } = await create();
  start(engine);
  start(ahead);
  await waitUntil("the job of next year", async () => (await jobs()).length > 0);
  const after = await schedule(id);
  expect(Date.parse(after.next_at ?? "")).toBeGreaterThan(Date.parse(next_at ?? ""));
  expect(await jobs()).toHaveLength(1);
});

test("two processes together submit one job for each time", async () => {
  const url = await scratchDatabase();
  const engine = await engineOn(url, {}, [noopType]);
  const other = await engineOn(url, {}, [noopType]);
  const { create, makeDue, handled, query } = scheduleTools(engine);
  for (let nth = 0; nth < 15; nth++) await create({ name: `s${nth}`, overlap: "queue" });
  for (const one of [engine, other, engine]) start(one);
  for (let time = 1; time <= 5; time++) {
    await makeDue();
    await handled();
    const [row] = await query("select count(*)::integer as jobs from croft.job");
    expect(row).toEqual({ jobs: 15 * time });
  }
});

test("times missed while nothing ran give one job, then the next regular time", async () => {
  const { engine, create, jobs, makeDue, handled, schedule } = await scene();
  const { id } = await create({ cron: "*/5 * * * *", overlap: "queue" });
  await makeDue("3 days");
  start(engine);
  await handled();
  expect(await jobs()).toHaveLength(1);
  const { next_at } = await schedule(id);
  expect(Date.parse(next_at ?? "")).toBeGreaterThan(Date.now());
  expect(Date.parse(next_at ?? "")).toBeLessThanOrEqual(Date.now() + 300_000);
});

test("ended between the job and the schedule's next time, it submits one job, not two", async () => {
  const { engine, create, jobs, makeDue, handled, query } = await scene();
  await create();
  // The process is cut off at the worst moment: its job is written, its schedule is not.
  await query(`
    create table public.cut (one boolean);
    create function public.cut() returns trigger language plpgsql as $$
    begin
      if exists (select from public.cut) and exists (select from croft.job) then
        perform pg_terminate_backend(pg_backend_pid());
        perform pg_sleep(10);
      end if;
      return new;
    end $$;
    create trigger cut before update of last_job_id on croft.schedule for each row execute function public.cut();
  `);
  await makeDue();
  await query("insert into public.cut values (true)");
  const runner = start(engine);
  let cuts = 0;
  engine.database.pool.on("remove", () => cuts++);
  await waitUntil("the cut", () => cuts > 0);
  expect(await jobs()).toEqual([]);
  await runner.close();
  await query("delete from public.cut");
  start(engine);
  await handled();
  expect(await jobs()).toHaveLength(1);
});

test("overlap: a time is skipped, queued, or takes the place of the last job", async () => {
  const { engine, create, jobs, makeDue, handled, startWorker, begun, held } = await scene();
  await startWorker();
  start(engine);
  const hold = { type: "hold", input: {}, priority: "normal" as const };
  const { id } = await create({ overlap: "skip", job: hold });
  const statuses = async () => (await jobs()).map(({ status }) => status);
  await makeDue();
  await begun(1);
  await makeDue();
  await handled();
  expect(await statuses()).toEqual(["running"]);

  await changeSchedule(engine, ALL, id, { overlap: "queue" });
  await makeDue();
  await begun(2);
  await handled();
  expect(await statuses()).toEqual(["running", "running"]);

  await changeSchedule(engine, ALL, id, { overlap: "replace" });
  await makeDue();
  await begun(3);
  await waitUntil("the replaced one's end", async () => (await statuses()).includes("cancelled"));
  expect(await statuses()).toEqual(["running", "cancelled", "running"]);

  await changeSchedule(engine, ALL, id, { overlap: "skip" });
  held[2]?.succeed();
  await waitUntil("the end", async () => (await statuses())[2] === "done");
  await makeDue();
  await begun(4);
  expect(await statuses()).toEqual(["running", "cancelled", "done", "running"]);
});

test("what waits is replaced at once", async () => {
  const { engine, create, jobs, makeDue, handled } = await scene();
  start(engine);
  await create({ overlap: "replace" });
  for (let time = 0; time < 3; time++) {
    await makeDue();
    await handled();
  }
  expect((await jobs()).map(({ status }) => status)).toEqual(["cancelled", "cancelled", "queued"]);
});

test("paused it does nothing; resumed it goes on with the next regular time", async () => {
  const { engine, create, jobs, makeDue, handled, schedule } = await scene();
  const { id } = await create({ paused: true });
  await create({ name: "other" });
  expect(await schedule(id)).toMatchObject({ paused: true, next_at: null });
  start(engine);
  await makeDue();
  await handled();
  expect(await jobs()).toHaveLength(1); // the other's
  const resumed = await changeSchedule(engine, ALL, id, { paused: false });
  expect(Date.parse(resumed.next_at ?? "")).toBeGreaterThan(Date.now());
  await makeDue();
  await handled();
  expect((await schedule(id)).last_job_id).not.toBeNull();
});

test("a job that is refused is told with its reason, and keeps nobody else's from its turn", async () => {
  const { engine, create, jobs, makeDue, handled, schedule, query } = await scene();
  const { id } = await create({ name: "gone" });
  const { id: broken } = await create({ name: "broken" });
  const { id: fine } = await create({ name: "fine" });
  await query(`update croft.schedule set job = job || '{"type":"gone"}' where id = $1`, [id]);
  await query(`update croft.schedule set time_zone = 'Mars/Base' where id = $1`, [broken]);
  start(engine);
  await makeDue();
  await waitUntil("the job", async () => (await jobs()).length > 0);
  await waitUntil("the reason", async () => (await schedule(id)).last_error !== null);
  expect(await schedule(id)).toMatchObject({
    last_job_id: null,
    last_error: expect.stringContaining("there is no job type 'gone'"),
  });
  expect((await schedule(fine)).last_job_id).not.toBeNull();
  expect((await schedule(broken)).last_job_id).toBeNull();
  await query("delete from croft.schedule where id = $1", [broken]);
  await changeSchedule(engine, ALL, id, { job: { type: "noop", input: {}, priority: "normal" } });
  expect((await schedule(id)).last_error).toBeNull();
  await makeDue();
  await handled();
  expect((await schedule(id)).last_job_id).not.toBeNull();
});

test("closed, it submits nothing more", async () => {
  const { engine, create, makeDue, jobs } = await scene();
  await create();
  const runner = start(engine);
  await runner.close();
  await makeDue();
  await runner.close();
  expect(await jobs()).toEqual([]);
});
