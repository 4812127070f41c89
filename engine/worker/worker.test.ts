// A job goes its way: queued, running, done, failed or cancelled, each with its event, and none gets lost.
import { expect, test } from "vitest";
import { jobScene } from "../../test/support/job-scene.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { cancelJob, retryJob } from "../jobs/change-jobs.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import { readJob } from "../jobs/read-jobs.ts";

const ALL = { owner: undefined };

async function scene(flags: Record<string, string> = {}) {
  const parts = await jobScene(flags);
  const { database } = parts.engine;
  const job = (id: string) => readJob(database, ALL, id);
  const ended = async (id: string) => {
    await waitUntil("the end", async () => (await job(id)).finished_at !== null);
    return await job(id);
  };
  const events = async (id: string) =>
    (await parts.query("select type from croft.event where subject = $1 order by seq", [id])).map(
      ({ type }) => type,
    );
  return { ...parts, database, job, ended, events };
}

test("a job runs, and its result and events are kept", async () => {
  const { submit, startWorker, ended, events } = await scene();
  await startWorker();
  const { id, isNew } = await submit({ type: "noop", input: { a: 1 } });
  expect(isNew).toBe(true);
  expect(await ended(id)).toMatchObject({
    status: "done",
    result: { echo: { a: 1 } },
    attempt: 1,
    error: null,
  });
  expect(await events(id)).toEqual(["job.queued", "job.started", "job.done"]);
});

test("what waits says why, and its place", async () => {
  const { submit, startWorker, begun, job, held, ended } = await scene();
  await startWorker();
  const ids = [];
  for (let nth = 0; nth < 3; nth++) ids.push((await submit({ key: "k" })).id);
  await begun(1);
  const [first = "", second = "", third = ""] = ids;
  expect(await job(first)).toMatchObject({ status: "running", waiting_for: null, position: null });
  expect(await job(second)).toMatchObject({ waiting_for: "lane", position: 1 });
  expect(await job(third)).toMatchObject({ waiting_for: "lane", position: 2 });
  const { id: later } = await submit({ run_at: "2999-01-01T00:00:00Z" });
  expect(await job(later)).toMatchObject({ waiting_for: "time", position: null });
  held[0]?.succeed();
  await ended(first);
  await begun(2);
  expect(await job(third)).toMatchObject({ waiting_for: "lane", position: 1 });
});

test("a passing fault is tried again after a while, a wrong input never, a failing command once", async () => {
  const { submit, startWorker, begun, held, ended, events, job, query } = await scene();
  await startWorker();
  const { id } = await submit();
  await begun(1);
  held[0]?.fail(new Error("the network was away"));
  await waitUntil("the retry", async () => (await events(id)).includes("job.retrying"));
  expect(await job(id)).toMatchObject({
    status: "queued",
    waiting_for: "time",
    error: { class: "transient", message: "the network was away" },
  });
  await query("update croft.job set run_at = croft.now() where id = $1", [id]);
  await begun(2);
  held[1]?.succeed("well");
  expect(await ended(id)).toMatchObject({
    status: "done",
    attempt: 2,
    result: "well",
    error: null,
  });
  for (const [index, failureClass] of (["invalid", "command", "timeout"] as const).entries()) {
    const { id: other } = await submit();
    await begun(3 + index);
    held[2 + index]?.fail(new JobFailure(failureClass, "why", "no"));
    expect(await ended(other)).toMatchObject({ status: "failed", error: { class: failureClass } });
  }
});

test("cancelled: at once what waits, by its signal what runs, and only then the lane is free", async () => {
  const { submit, startWorker, begun, held, ended, database, job } = await scene();
  await startWorker();
  const { id: running } = await submit({ key: "k" });
  const { id: waiting } = await submit({ key: "k" });
  const { id: next } = await submit({ key: "k" });
  await begun(1);
  expect(await cancelJob(database, ALL, waiting)).toMatchObject({ status: "cancelled" });
  await cancelJob(database, ALL, running);
  expect(await ended(running)).toMatchObject({
    status: "cancelled",
    error: { class: "cancelled" },
  });
  await begun(2);
  expect(held[1]?.attempt.id).toBe(next);
  expect((await job(next)).status).toBe("running");
  await expect(cancelJob(database, ALL, running)).rejects.toMatchObject({ code: "job-ended" });
});

test("a retry is a new job, and the same new one while that lives", async () => {
  const { submit, startWorker, begun, held, ended, database, engine } = await scene();
  await startWorker();
  const { id } = await submit({ key: "k", source_task_id: "task" });
  await begun(1);
  await expect(retryJob(database, engine.intake, ALL, id)).rejects.toMatchObject({
    code: "job-not-ended",
  });
  held[0]?.fail(new JobFailure("invalid", "bad", "bad"));
  await ended(id);
  const first = await retryJob(database, engine.intake, ALL, id);
  const second = await retryJob(database, engine.intake, ALL, id);
  expect(first.isNew).toBe(true);
  expect(second).toEqual({ id: first.id, isNew: false });
  await begun(2);
  held[1]?.succeed();
  expect(await ended(first.id)).toMatchObject({ retry_of: id, key: "k", source_task_id: "task" });
});

test("a terminal state is final, whoever writes", async () => {
  const { submit, startWorker, ended, query } = await scene();
  await startWorker();
  const { id } = await submit({ type: "noop" });
  await ended(id);
  await expect(query("update croft.job set status = 'queued' where id = $1", [id])).rejects.toThrow(
    "which is final",
  );
});

test("a worker that is shut down waits for its jobs, and gives back those that take too long", async () => {
  const { submit, startWorker, begun, held, ended, events, job } = await scene();
  const worker = await startWorker();
  const { id: quick } = await submit();
  const { id: slow } = await submit();
  await begun(2);
  const closing = worker.close(1000);
  held.find(({ attempt }) => attempt.id === quick)?.succeed();
  await closing;
  expect((await ended(quick)).status).toBe("done");
  expect(await job(slow)).toMatchObject({ status: "queued", error: { class: "drained" } });
  expect(await events(slow)).toEqual(["job.queued", "job.started", "job.retrying"]);
  await startWorker();
  await begun(3);
  held[2]?.succeed();
  expect(await ended(slow)).toMatchObject({ status: "done", attempt: 2 });
});

test("the same request twice is one job, and another request under its key is refused", async () => {
  const { submit, query } = await scene();
  const request = { type: "noop", input: { a: 1, b: 2 }, idempotency_key: "key" };
  const [one, two] = await Promise.all([submit(request), submit(request)]);
  const again = await submit({ ...request, input: { b: 2, a: 1 } });
  expect(new Set([one.id, two.id, again.id]).size).toBe(1);
  await expect(submit({ ...request, input: { a: 2 } })).rejects.toMatchObject({
    code: "idempotency-key-reused",
  });
  expect((await submit({ ...request, owner: "app:other" })).isNew).toBe(true);
  expect(await query("select count(*)::int from croft.job")).toEqual([{ count: 2 }]);
});

test("only one job under a dedupe key is queued or running, then there may be another", async () => {
  const { submit, startWorker, begun, held, ended } = await scene();
  const results = await Promise.all(Array.from({ length: 10 }, () => submit({ dedupe: "d" })));
  expect(new Set(results.map(({ id }) => id)).size).toBe(1);
  expect(results.filter(({ isNew }) => isNew)).toHaveLength(1);
  await startWorker();
  await begun(1);
  expect((await submit({ dedupe: "d" })).isNew).toBe(false);
  held[0]?.succeed();
  await ended(results[0]?.id ?? "");
  expect((await submit({ dedupe: "d" })).isNew).toBe(true);
});

test("an unknown type is refused with the known ones, and a wrong input with the reason", async () => {
  const { submit } = await scene();
  await expect(submit({ type: "nope" })).rejects.toMatchObject({
    code: "unknown-type",
    message:
      "there is no job type 'nope'; there are: archive, command, diagram, hold, noop, report",
  });
  await expect(submit({ input: { name: 1 } })).rejects.toMatchObject({ code: "invalid-input" });
});

test("what a worker took ahead and has no slot for runs on another", async () => {
  const { submit, startWorker, begun, query, held } = await scene({ "worker.slots": "2" });
  await startWorker();
  const noop = { type: "noop", input: {} };
  await Promise.all(Array.from({ length: 40 }, () => submit(noop)));
  const count = async (status: string) =>
    (await query("select id from croft.job where status = $1", [status])).length;
  await waitUntil("the short ones", async () => (await count("done")) === 40);
  await Promise.all(Array.from({ length: 8 }, () => submit()));
  await waitUntil("two to run, and all others back in line", async () => {
    return (await count("running")) === 2 && (await count("queued")) === 6;
  });
  expect(held.length).toBe(2);
  await startWorker();
  await begun(4);
});
