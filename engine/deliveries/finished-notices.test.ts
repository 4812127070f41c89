// An app that asked for it is told of the end of a job or run: once for each end, in the transaction that ends it.
import { expect, onTestFinished, test } from "vitest";
import { heldRuns } from "../../test/support/held-runs.ts";
import { jobScene } from "../../test/support/job-scene.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { webhookReceiver } from "../../test/support/webhook-receiver.ts";
import { createApp } from "../apps/app-token.ts";
import { onboardApp } from "../apps/onboard-app.ts";
import { startDispatching } from "../dispatch/start-dispatching.ts";
import { cancelJob, retryJob } from "../jobs/change-jobs.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import { retryRun } from "../runs/change-runs.ts";

const ALL = { owner: undefined };
const APP = { name: "app", email: "a@b", description: "", delivery_slots: 4 };

async function scene(flags: Record<string, string> = {}) {
  const receiver = await webhookReceiver();
  const parts = await jobScene({ allowPrivate: receiver.host, ...flags });
  const app = await onboardApp(parts.engine, { ...APP, base_url: receiver.url });
  return {
    ...{ ...parts, receiver, app, owner: `app:${app.id}` },
    /** What is to be told, by the job's id, and whether it was written with the job's end. */
    told: async () =>
      (await parts.query(
        `select d.app_id, d.data -> 'job' ->> 'status' as status, j.id, d.xmin::text = j.xmin::text as is_together
         from croft.delivery d join croft.job j on j.id = (d.data -> 'job' ->> 'id')::uuid
         where d.type = 'job.finished' order by d.id`,
      )) as { app_id: string; status: string; id: string; is_together: boolean }[],
  };
}

test("done, failed and cancelled, each once; a job that did not ask is silent", async () => {
  const { engine, held, submit, startWorker, begun, told, query, app, owner } = await scene();
  const asks = { owner, notify: true };
  const never = await submit({ ...asks, run_at: "2999-01-01T00:00:00Z" });
  await cancelJob(engine.database, ALL, never.id);
  await startWorker();
  const good = await submit(asks);
  const bad = await submit({ ...asks, attempts: 2 });
  const stopped = await submit(asks);
  const silent = await submit({ owner });
  await begun(4);
  const of = (id: string) => held.filter(({ attempt }) => attempt.id === id).at(-1);
  of(good.id)?.succeed({ much: "x".repeat(1000) });
  of(silent.id)?.succeed();
  const failure = new JobFailure("transient", "no", "it does not");
  of(bad.id)?.fail(failure);
  await cancelJob(engine.database, ALL, stopped.id);
  await query("update croft.job set run_at = now() where status = 'queued'");
  await begun(5);
  of(bad.id)?.fail(failure);
  await waitUntil(
    "all to end",
    async () => (await query("select 1 from croft.job where finished_at is null")).length === 0,
  );
  const app_id = app.id;
  const expected = [
    { id: never.id, status: "cancelled" },
    { id: good.id, status: "done" },
    { id: bad.id, status: "failed" },
    { id: stopped.id, status: "cancelled" },
  ].map((each) => ({ ...each, app_id, is_together: true }));
  expect((await told()).sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(expected);
  const [message] = await query(
    "select data from croft.delivery where data -> 'job' ->> 'id' = $1",
    [bad.id],
  );
  expect(message.data.job).toEqual({
    ...{ id: bad.id, type: "hold", key: null, status: "failed", attempt: 2, retry_of: null },
    ...{ error: { code: "no", message: "it does not", class: "transient" }, source_task_id: null },
    ...{ created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/) },
    ...{ started_at: expect.any(String), finished_at: expect.any(String) },
  });
});

test("a retry tells too; the same request again is the same job, told once", async () => {
  const { engine, held, submit, startWorker, begun, told, owner } = await scene();
  const request = { owner, notify: true, idempotency_key: "k" };
  const [first, again] = [await submit(request), await submit(request)];
  expect(again).toEqual({ id: first.id, isNew: false });
  await startWorker();
  await begun(1);
  held[0]?.fail(new JobFailure("command", "no", "no"));
  await waitUntil("its end", async () => (await told()).length === 1);
  const { id } = await retryJob(engine.database, engine.intake, ALL, first.id);
  await begun(2);
  held[1]?.succeed();
  await waitUntil("the retry's end", async () => (await told()).length === 2);
  expect((await told()).map((each) => each.id)).toEqual([first.id, id]);
});

test("it is delivered, signed; an app without an address is told nothing, and others cannot ask", async () => {
  const { engine, submit, startWorker, told, receiver, owner, query } = await scene();
  const dispatching = await startDispatching(engine);
  onTestFinished(() => dispatching.close(1000));
  await startWorker();
  const { app: silent } = await createApp(engine.database, "only asks");
  await submit({ type: "noop", owner: `app:${silent.id}`, notify: true });
  const { id } = await submit({ type: "noop", owner, notify: true, source_task_id: "t-1" });
  await waitUntil("the message", () => receiver.received.length > 0);
  expect(receiver.received[0]?.body).toMatchObject({
    type: "job.finished",
    data: { job: { id, type: "noop", status: "done", source_task_id: "t-1" } },
  });
  expect(receiver.received[0]?.headers["webhook-signature"]).toMatch(/^v1,/);
  await waitUntil(
    "both to end",
    async () => (await query("select 1 from croft.job where finished_at is null")).length === 0,
  );
  expect(await told()).toHaveLength(1);
  await expect(submit({ notify: true })).rejects.toMatchObject({ code: "invalid-input" });
});

test("a job that loses its worker too often has ended too", async () => {
  const { submit, startWorker, begun, told, query, owner } = await scene({ "job.maxLost": "1" });
  await submit({ owner, notify: true });
  await startWorker();
  for (const nth of [1, 2]) {
    await begun(nth);
    await query("update croft.worker set lease_until = now() - interval '1 second'");
  }
  await waitUntil("its end", async () => (await told()).length > 0, 60_000);
  expect(await told()).toMatchObject([{ status: "failed", is_together: true }]);
});

test("a run is told of whenever it has ended", async () => {
  const { start, begun, ended, query, engine, held } = await heldRuns();
  const app = await onboardApp(engine, APP);
  await query("update croft.app set base_url = 'https://example.com'");
  const owner = `app:${app.id}`;
  const id = await start("steps: { a: { run: x } }", { owner, notify: true, sourceTaskId: "t-1" });
  const silent = await start("steps: { b: { run: x } }", { owner });
  (await begun("b")).succeed({});
  (await begun("a")).fail(new JobFailure("invalid", "no", "no"));
  await ended(id, "failed");
  await ended(silent, "done");
  await retryRun(engine, ALL, id);
  await waitUntil("its second attempt", () => held.length === 3);
  held[2]?.succeed({});
  await ended(id, "done");
  const told = await query("select type, data from croft.delivery order by id");
  expect(told).toMatchObject([
    { type: "run.finished", data: { run: { id, status: "failed", source_task_id: "t-1" } } },
    { type: "run.finished", data: { run: { id, status: "done", attempt: 2, error: null } } },
  ]);
  await expect(start("steps: { a: { run: x } }", { notify: true })).rejects.toMatchObject({
    code: "invalid-input",
  });
});
