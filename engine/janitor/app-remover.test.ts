// A deleted app: nothing of it works from then on, and nothing of it is left in the end, whoever is killed meanwhile.
import { expect, onTestFinished, test } from "vitest";
import { assetsOf } from "../../test/support/asset-scene.ts";
import { checkQueue } from "../../test/support/check-queue.ts";
import { startEngineProcess } from "../../test/support/engine-process.ts";
import { jobScene } from "../../test/support/job-scene.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { isAppGone } from "../apps/app-gone.ts";
import { recogniseApp } from "../apps/app-token.ts";
import { deleteApp, previewDeletion } from "../apps/delete-app.ts";
import { onboardApp } from "../apps/onboard-app.ts";
import { createBulk } from "../bulk/change-bulk.ts";
import type { Engine } from "../engine.ts";
import { newId } from "../new-id.ts";
import { RunAdvancer } from "../runs/run-advancer.ts";
import { startRun } from "../runs/start-run.ts";
import { putPipeline } from "../runs/stored-pipelines.ts";
import { createSchedule } from "../schedules/change-schedules.ts";
import { putCredential } from "../secrets/credential-store.ts";
import { putSecret } from "../secrets/secret-store.ts";
import { openSigningSecrets } from "../secrets/signing-secret-store.ts";
import { AppRemover, forgetDeletedApps } from "./app-remover.ts";

const APP = { name: "app", email: "a@b", description: "", delivery_slots: 4 };
const PIPELINE = `
name: nightly
on: { schedule: "0 3 * * *" }
repository: https://example.com/a/b
steps:
  one: { run: "true" }
  last: { needs: [one], if: always(), run: "true" }
`;

type Query = (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;

/** One of each thing that an app can have, except jobs. */
async function furnish(engine: Engine, query: Query, id: string): Promise<void> {
  const owner = `app:${id}`;
  const { database, vault, intake } = engine;
  await putSecret(vault, owner, { name: "TOKEN", value: "v" });
  await putCredential(vault, owner, { kind: "token", url: "https://example.com", value: "v" });
  const job = { type: "noop", input: {}, priority: "normal" } as const;
  await createSchedule({ database, intake }, owner, {
    ...{ name: "daily", cron: "0 0 * * *", time_zone: "UTC", overlap: "skip", paused: false, job },
  });
  await putPipeline(engine, { owner, name: "nightly", text: PIPELINE, by: "test" });
  await createBulk(database, owner, { action: "cancel", filter: { key: "none" } });
  await startRun(engine, {
    ...{ owner, text: PIPELINE, inputs: {}, priority: "normal", startedBy: "test" },
    idempotency: { key: "k", request: {} },
  });
  await watch(query, id, "https://example.com/own.git", 3);
}

/** A watch, and deliveries of it: one that it got, the others on their way. */
async function watch(query: Query, id: string, url: string, deliveries: number): Promise<void> {
  const [repository] = await query(
    `insert into croft.repository (id, url, poll_ms) values ($1, $2, 60000)
     on conflict (url) do update set url = excluded.url returning id`,
    [newId(), url],
  );
  const [made] = await query(
    "insert into croft.watch (id, app_id, repository_id, ref) values ($1, $2, $3, '') returning id",
    [newId(), id, repository?.["id"]],
  );
  const sync = newId();
  await query(
    "insert into croft.sync (id, watch_id, dispatcher_id, host, to_commit, ref) values ($1, $2, $1, 'h', 'c', 'r')",
    [sync, made?.["id"]],
  );
  await query(
    `insert into croft.delivery (id, app_id, watch_id, sync_id, type, number, state)
     select gen_random_uuid(), $1, $2, $3, 'files.changed', n, case when n = 1 then 'delivered' else 'pending' end
     from generate_series(1, $4::int) n`,
    [id, made?.["id"], sync, deliveries],
  );
  await query(
    `insert into croft.delivery_attempt (delivery_id, attempt, duration_ms, request)
     select id, 1, 1, '{}' from croft.delivery where watch_id = $1`,
    [made?.["id"]],
  );
}

/** Every row of every table that names the app, as owner or by its id. */
async function rowsOf(query: Query, id: string): Promise<Record<string, number>> {
  const columns = await query(
    `select table_name as table, column_name as column from information_schema.columns
     where table_schema = 'croft' and (column_name in ('owner', 'app_id')
       or (table_name in ('app', 'owner') and column_name = 'id'))`,
  );
  expect(columns.length).toBeGreaterThan(18);
  const counts: Record<string, number> = {};
  for (const { table, column } of columns) {
    const text = `select count(*)::int as count from croft.${table} where ${column}::text in ($1, 'app:' || $1)`;
    const [row] = await query(text, [id]);
    if (row?.["count"] !== 0) counts[`${table}.${column}`] = Number(row?.["count"]);
  }
  return counts;
}

const LOOSE = `
  select 'run_step' as of from croft.run_step union all select 'removed_workspace' from croft.removed_workspace
  union all select 'lane_hold' from croft.lane_hold union all select 'run_due' from croft.run_due
  union all select 'job_log' from croft.job_log union all select 'pipeline_version' from croft.pipeline_version
  union all select 'sync' from croft.sync union all select 'delivery_attempt' from croft.delivery_attempt`;

test("with a worker at work: cancelled, and when that has ended nothing is left of it, and all of the others", async () => {
  const { engine, held, submit, startWorker, begun, query } = await jobScene({
    "worker.slots": "1",
  });
  const { database, vault } = engine;
  const { keep, files } = assetsOf(engine);
  const [gone, stays] = [await onboardApp(engine, APP), await onboardApp(engine, APP)];
  const owner = `app:${gone.id}`;
  const advancer = RunAdvancer.start(engine);
  onTestFinished(() => advancer.close());
  const running = await submit({ owner, key: "k" });
  await startWorker();
  await begun(1);
  await submit({ owner, key: "k", idempotency_key: "i" });
  await submit({ owner, run_at: "2999-01-01T00:00:00Z" });
  await furnish(engine, query, gone.id);
  await watch(query, gone.id, "https://example.com/shared.git", 2);
  await watch(query, stays.id, "https://example.com/shared.git", 2);
  await keep("only its own", { owner });
  await keep("both have it", { owner });
  await keep("both have it", { owner: `app:${stays.id}` });
  held[0]?.attempt.log("text\n", "stdout");

  expect(await previewDeletion(database, gone.id)).toEqual({
    ...{ name: "app", watches: 2, repositories: 1, undelivered: 3, deliveries: 5, credentials: 1 },
    ...{ secrets: 1, schedules: 2, pipelines: 1, open_jobs: 4, ended_jobs: 0, open_runs: 1 },
    ...{ ended_runs: 0, assets: 2, asset_bytes: 24 },
  });
  await deleteApp(database, gone.id);
  await expect(deleteApp(database, gone.id)).rejects.toMatchObject({ code: "not-found" });
  expect(await recogniseApp(database, gone.token)).toBeUndefined();
  expect(await openSigningSecrets(vault, gone.id)).toEqual([]);
  await waitUntil("the attempt's end", () => held[0]?.attempt.signal.aborted);
  const left = await rowsOf(query, gone.id);
  expect(Object.keys(left)).toEqual(expect.arrayContaining(["app.id", "job.owner", "run.owner"]));
  for (const table of ["watch", "delivery", "app_token", "signing_secret"]) {
    expect(left).not.toHaveProperty(`${table}.app_id`);
  }
  for (const table of ["secret", "credential", "schedule", "pipeline"]) {
    expect(left).not.toHaveProperty(`${table}.owner`);
  }
  expect(await query("select url from croft.repository")).toEqual([
    { url: "https://example.com/shared.git" },
  ]);

  const remover = AppRemover.start(engine);
  onTestFinished(() => remover.close());
  await waitUntil("its end", async () => Object.keys(await rowsOf(query, gone.id)).length === 0);
  expect(
    await query(`${LOOSE} union all select 'job' from croft.job where id = '${running.id}'`),
  ).toEqual([{ of: "sync" }, { of: "delivery_attempt" }, { of: "delivery_attempt" }]);
  expect(
    await query("select type from croft.event where subject = $1 order by seq", [gone.id]),
  ).toEqual([{ type: "app.created" }, { type: "app.deleted" }]);
  await waitUntil("its file", () => files().length === 1);
  expect(await recogniseApp(database, stays.token)).toBeDefined();
  expect(await checkQueue(database.pool)).toEqual([]);
});

test("what a request that was let in before brings too late is refused, or does not start and goes", async () => {
  const { engine, held, submit, startWorker, query } = await jobScene();
  const { id } = await onboardApp(engine, APP);
  const owner = `app:${id}`;
  await submit({ owner });
  await deleteApp(engine.database, id);
  await startWorker();
  await submit({ owner }); // the lane is there still
  const refused = [
    submit({ owner, key: "new" }),
    putSecret(engine.vault, owner, { name: "TOKEN", value: "v" }),
    createBulk(engine.database, owner, { action: "cancel", filter: { key: "none" } }),
    putPipeline(engine, { owner, name: "nightly", text: PIPELINE, by: "test" }),
    watch(query, id, "https://example.com/late.git", 1),
  ];
  for (const result of await Promise.allSettled(refused)) {
    expect(result.status === "rejected" && isAppGone(result.reason)).toBe(true);
  }
  await submit();
  await waitUntil("another's job", () => held.length > 0);
  await waitUntil("its end", async () => !(await forgetDeletedApps(engine)));
  expect(await rowsOf(query, id)).toEqual({});
  await expect(submit({ owner })).rejects.toSatisfy(isAppGone);
  expect(await rowsOf(query, id)).toEqual({});
  expect(held).toHaveLength(1);
  expect(await checkQueue(engine.database.pool)).toEqual([]);
});

test("more than one part of everything, with the remover killed again and again: another goes on to the end", async () => {
  const { engine, submit, query } = await jobScene();
  const { id } = await onboardApp(engine, APP);
  const owner = `app:${id}`;
  await furnish(engine, query, id);
  await watch(query, id, "https://example.com/large.git", 2500);
  const { keep } = assetsOf(engine);
  for (let number = 0; number < 20; number++) await keep(`file ${number}`, { owner });
  const submitted = Array.from({ length: 1500 }, (_, number) =>
    submit({ owner, key: `${number % 7}` }),
  );
  await Promise.all(submitted);
  await submit();
  await deleteApp(engine.database, id);
  expect(await rowsOf(query, id)).toMatchObject({ "delivery.app_id": expect.any(Number) });
  for (let nth = 1; nth <= 3; nth++) {
    const remover = startEngineProcess(
      engine.config,
      `let looks = 0;
       await croft.forgetDeletedApps(engine, () => {
         say("part " + ++looks);
         if (looks === ${nth}) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); // until it is killed
         return false;
       });`,
    );
    await waitUntil("some parts", () => remover.said().length >= nth);
    await remover.kill();
  }
  const both = [forgetDeletedApps(engine), forgetDeletedApps(engine)];
  await Promise.all(both);
  await waitUntil("its end", async () => !(await forgetDeletedApps(engine)));
  expect(await rowsOf(query, id)).toEqual({});
  expect(await query(LOOSE)).toEqual([]);
  expect(await query("select owner, status from croft.job")).toEqual([
    { owner: "local", status: "queued" },
  ]);
  expect(await checkQueue(engine.database.pool)).toEqual([]);
});
