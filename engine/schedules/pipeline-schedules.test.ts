// Schedules of stored pipelines come, change and go with them, and start runs of the newest version.
import { expect, onTestFinished, test } from "vitest";
import { scratchDatabase } from "../../test/support/scratch-database.ts";
import { engineOn } from "../../test/support/scratch-engine.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import type { Engine } from "../engine.ts";
import { cancelRun } from "../runs/change-runs.ts";
import { RunAdvancer } from "../runs/run-advancer.ts";
import { putPipeline, readPipeline, removePipeline } from "../runs/stored-pipelines.ts";
import { changeSchedule, createSchedule, deleteSchedule } from "./change-schedules.ts";
import { listSchedules } from "./read-schedules.ts";
import { ScheduleRunner } from "./schedule-runner.ts";

const ALL = { owner: undefined };
const YEARLY = '"0 0 1 1 *"';

function text(schedule: string, more = ""): string {
  return `on: { schedule: ${schedule} }\nrepository: https://example.com/a.git\n${more}steps: { a: { run: x } }\n`;
}

async function scene() {
  const url = await scratchDatabase();
  const engine = await engineOn(url);
  const query = async (sql: string, values: unknown[] = []) =>
    (await engine.database.pool.query(sql, values)).rows;
  return {
    ...{ engine, url, query },
    put: (name: string, pipeline: string, owner = "local") =>
      putPipeline(engine, { owner, name, text: pipeline, by: "ada" }),
    schedules: async () => (await listSchedules(engine.database, ALL, { limit: 50 })).schedules,
    runs: () =>
      query("select id, status, pipeline_version, started_by, event from croft.run order by id"),
    /** As if the time had come, and until it is dealt with. */
    makeDue: async () => {
      await query("update croft.schedule set next_at = croft.now() - interval '1 second'");
      await query("select pg_notify('croft_schedule', '')");
      const due = "select from croft.schedule where not is_paused and next_at <= croft.now()";
      await waitUntil("nothing to be due", async () => (await query(due)).length === 0);
    },
  };
}

function start(engine: Engine): void {
  const runner = ScheduleRunner.start(engine);
  onTestFinished(() => runner.close());
}

test("storing makes, changes and removes them; what stays keeps its pause", async () => {
  const { engine, put, schedules, query } = await scene();
  await createSchedule(engine, "local", {
    ...{ name: "nightly", cron: "0 0 * * *", time_zone: "UTC", overlap: "skip", paused: false },
    job: {
      type: "command",
      input: { repository: "https://example.com/a", command: "x" },
      priority: "normal",
    },
  });
  await put(
    "nightly",
    text(`[${YEARLY}, { cron: 0 6 * * mon, timezone: Europe/Berlin }, ${YEARLY}]`),
  );
  const ofPipeline = async () =>
    (await schedules())
      .filter(({ pipeline }) => pipeline !== null)
      .map(({ cron }) => cron)
      .sort();
  expect(await ofPipeline()).toEqual(["0 0 1 1 *", "0 6 * * mon"]);
  const weekly = (await schedules()).find(({ cron }) => cron === "0 6 * * mon");
  expect(weekly).toMatchObject({
    ...{ name: "nightly", pipeline: "nightly", job: null, time_zone: "Europe/Berlin" },
    ...{ overlap: "skip", paused: false, last_run_id: null },
  });
  await changeSchedule(engine, ALL, weekly?.id ?? "", { paused: true });
  await put(
    "nightly",
    text("[{ cron: 0 6 * * mon, timezone: Europe/Berlin, overlap: queue }, 5 5 * * *]"),
  );
  expect(await ofPipeline()).toEqual(["0 6 * * mon", "5 5 * * *"]);
  expect((await schedules()).find(({ id }) => id === weekly?.id)).toMatchObject({
    ...{ paused: true, overlap: "queue" },
  });
  await put("nightly", "steps: { a: { run: x } }\n");
  expect(await ofPipeline()).toEqual([]);
  await put("nightly", text(YEARLY));
  await removePipeline(engine.database, ALL, { owner: "local", name: "nightly" });
  expect(await ofPipeline()).toEqual([]);
  expect(await schedules()).toHaveLength(1);
  expect(await query("select from croft.schedule where job is null")).toEqual([]);
});

test("one that a pipeline asks for can be paused, and nothing else", async () => {
  const { engine, put, schedules } = await scene();
  await put("p", text(YEARLY));
  const [schedule] = await schedules();
  const id = schedule?.id ?? "";
  const refused = { code: "invalid-input", message: expect.stringContaining("pipeline 'p'") };
  await expect(changeSchedule(engine, ALL, id, { cron: "* * * * *" })).rejects.toMatchObject(
    refused,
  );
  await expect(deleteSchedule(engine.database, ALL, id)).rejects.toMatchObject(refused);
  expect(await changeSchedule(engine, ALL, id, { paused: true })).toMatchObject({ paused: true });
  expect(await schedules()).toHaveLength(1);
});

test.each([
  [
    "an input that nobody gives",
    text(YEARLY, "inputs:\n  who: { required: true }\n"),
    /4:\d+: no schedule can give input 'who'/,
  ],
  [
    "no repository",
    `on: { schedule: ${YEARLY} }\nsteps: { a: { run: x } }\n`,
    /1:\d+: a schedule needs 'repository'/,
  ],
  ["a time that never comes", text('"0 0 30 2 *"'), /1:\d+: cron: this time never comes/],
  ["an address that is not allowed", text(YEARLY).replace("https://", "http://"), /2:\d+: /],
  ["no cron line", text('"99 * * * *"'), /1:\d+: '99' is no minute/],
  ["what means another time in each process", text('"0 0 ? * *"'), /1:\d+: '\?' is no day/],
])("%s is told at its place, and nothing is stored", async (_, pipeline, told) => {
  const { put, query } = await scene();
  await expect(put("p", pipeline)).rejects.toMatchObject({
    ...{ code: "invalid-pipeline", message: expect.stringMatching(told) },
  });
  expect(await query("select from croft.pipeline")).toEqual([]);
});

test("each time starts one run of the newest version, however many processes look", async () => {
  const { engine, url, put, runs, makeDue, schedules } = await scene();
  const other = await engineOn(url);
  for (const one of [engine, other, engine]) start(one);
  await put("p", text("{ cron: 0 0 1 1 *, overlap: queue }"));
  await makeDue();
  await put("p", text("{ cron: 0 0 1 1 *, overlap: queue }", "env: { A: b }\n"));
  await makeDue();
  expect(await runs()).toMatchObject([
    { pipeline_version: 1, started_by: "schedule", status: "queued" },
    { pipeline_version: 2, event: { schedule: "0 0 1 1 *", time_zone: "UTC" } },
  ]);
  const [schedule] = await schedules();
  expect(schedule).toMatchObject({ last_run_id: (await runs())[1]?.id, last_error: null });
});

test("overlap: a time is skipped, queued, or takes the place of the last run", async () => {
  const { engine, put, runs, makeDue } = await scene();
  const advancer = RunAdvancer.start(engine);
  onTestFinished(() => advancer.close());
  start(engine);
  const overlap = (how: string) => text(`{ cron: 0 0 1 1 *, overlap: ${how} }`);
  const statuses = async () => (await runs()).map(({ status }) => status);
  await put("p", overlap("skip"));
  await makeDue();
  await makeDue();
  expect(await statuses()).toEqual(["queued"]);
  await put("p", overlap("queue"));
  await makeDue();
  expect(await statuses()).toEqual(["queued", "queued"]);
  await put("p", overlap("replace"));
  await makeDue();
  await waitUntil("the replaced one's end", async () => (await statuses())[1] === "cancelled");
  expect(await statuses()).toEqual(["queued", "cancelled", "queued"]);
  await put("p", overlap("skip"));
  const last = (await runs())[2]?.id;
  await cancelRun(engine, ALL, last);
  await waitUntil("its end", async () => (await statuses())[2] === "cancelled");
  await makeDue();
  expect(await statuses()).toHaveLength(4);
});

test("many missed times are one run; what cannot start is told and holds up nobody", async () => {
  const { engine, put, runs, query, schedules } = await scene();
  await put("often", text('"*/5 * * * *"'));
  await put("broken", text(YEARLY));
  await query("update croft.schedule set next_at = croft.now() - interval '3 days'");
  // As if it had been stored when this was allowed.
  await query(
    "update croft.pipeline_version set text = replace(text, 'https://', 'http://') where pipeline_id = (select id from croft.pipeline where name = 'broken')",
  );
  start(engine);
  await waitUntil("both", async () =>
    (await schedules()).every(({ next_at }) => Date.parse(next_at ?? "") > Date.now()),
  );
  expect(await runs()).toHaveLength(1);
  const broken = (await schedules()).find(({ name }) => name === "broken");
  expect(broken).toMatchObject({ last_run_id: null, last_error: expect.stringMatching(/http/) });
  expect(await query("select from croft.job")).toHaveLength(1);
});

test("what else starts it is kept with it, for whoever hears of such events", async () => {
  const { engine, put } = await scene();
  await put(
    "p",
    'on: { github: [issues.labeled], change: { paths: "docs/**" } }\nsteps: { a: { run: x } }\n',
  );
  expect((await readPipeline(engine.database, ALL, "p")).on).toEqual({
    ...{ github: [expect.objectContaining({ events: ["issues.labeled"] })], schedule: [] },
    change: { paths: ["docs/**"], paths_ignore: [], branches: [] },
  });
});
