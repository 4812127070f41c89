// A job's files are there with its end, or not at all.
import { Readable } from "node:stream";
import { listAssets, openAsset, readAsset, readJob, storeStream, sweepAssets } from "@croft/engine";
import { expect, test } from "vitest";
import { jobScene } from "../../test/support/job-scene.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import type { Attempt } from "../jobs/job-type.ts";

const EVERYBODY = { owner: undefined };
const bytes = (text: string) => Readable.from([Buffer.from(text)]);

async function scene() {
  const parts = await jobScene({ "assets.maxBytes": "1000" });
  const { engine, query, submit } = parts;
  const ended = (id: string) =>
    waitUntil("the end of the job", async () => {
      const job = await readJob(engine.database, EVERYBODY, id);
      return ["done", "failed", "cancelled"].includes(job.status) ? job : undefined;
    });
  const begin = async (): Promise<{ id: string; attempt: Attempt }> => {
    const before = parts.held.length;
    const { id } = await submit({ source_task_id: "task-7" });
    await parts.begun(before + 1);
    const attempt = parts.held[before]?.attempt;
    if (attempt === undefined) throw new Error("it has not begun");
    return { id, attempt };
  };
  await parts.startWorker();
  const files = async () =>
    (await query("select from croft.asset_file union all select from croft.asset_removal")).length;
  const list = () => listAssets(engine.database, EVERYBODY, { limit: 50 });
  return { ...parts, ended, begin, files, list };
}

test("nobody sees them before the job is done, and then all at once", async () => {
  const { engine, begin, held, ended, list, query } = await scene();
  const { id, attempt } = await begin();
  const one = await attempt.assets.put("one.txt", bytes("first"), { mediaType: "text/plain" });
  const two = await attempt.assets.put("two.txt", bytes("second"), { commit: "a".repeat(40) });
  expect(await list()).toMatchObject({ assets: [] });
  await expect(readAsset(engine.database, EVERYBODY, one.id)).rejects.toMatchObject({
    code: "not-found",
  });
  held[0]?.succeed({ made: 2 });
  const job = await ended(id);
  expect(job).toMatchObject({ status: "done", result_assets: [one.id, two.id] });
  const first = await readAsset(engine.database, EVERYBODY, one.id);
  expect(first).toMatchObject({
    ...{ name: "one.txt", media_type: "text/plain", kind: "generated", owner: "local" },
    ...{ job_id: id, source_task_id: "task-7", bytes: 5 },
  });
  expect(await readAsset(engine.database, EVERYBODY, two.id)).toMatchObject({
    commit: "a".repeat(40),
  });
  const opened = await openAsset(engine.assets, first);
  expect(Buffer.concat(await opened.stream().toArray()).toString()).toBe("first");
  const [event] = await query(
    "select data from croft.event where subject = $1 and type = 'job.done'",
    [id],
  );
  expect(event.data).toEqual({ attempt: 1, assets: [one.id, two.id] });
  const told = await query(
    "select subject from croft.event where type = 'asset.created' order by subject",
  );
  expect(told.map(({ subject }) => subject)).toEqual([one.id, two.id]);
});

test("of a job that fails there are none, and the next sweep removes what it stored", async () => {
  const { engine, begin, held, ended, list, files, query } = await scene();
  const { id, attempt } = await begin();
  await attempt.assets.put("lost.txt", bytes("lost"));
  await query("update croft.asset_file set due_at = croft.now()");
  await sweepAssets(engine.assets);
  expect(await files()).toBe(1); // it may still be recorded, however long the job takes
  held[0]?.fail(new Error("no"));
  await waitUntil(
    "the failure",
    async () => (await readJob(engine.database, EVERYBODY, id)).error ?? undefined,
  );
  await sweepAssets(engine.assets);
  expect(await files()).toBe(0);
  await engine.database.pool.query("select croft.cancel($1)", [[id]]);
  expect(await ended(id)).toMatchObject({ status: "cancelled", result_assets: [] });
  expect(await list()).toMatchObject({ assets: [] });
});

test("what a killed worker's job had stored goes when another attempt has begun; what that one stores stays", async () => {
  const { engine, begin, held, ended, files, query } = await scene();
  const { id, attempt } = await begin();
  await attempt.assets.put("one.txt", bytes("of the first"));
  await attempt.assets.put("same.txt", bytes("of both"));
  await query("update croft.job set attempt = attempt + 1 where id = $1", [id]); // as if another had taken it over
  const taken = { jobId: id, attempt: attempt.attempt + 1 };
  await storeStream(engine.assets, bytes("of both"), { attempt: taken });
  await sweepAssets(engine.assets);
  expect(await query("select bytes::int from croft.asset_file")).toEqual([{ bytes: 7 }]);
  await query("update croft.job set attempt = attempt - 1 where id = $1", [id]);
  held[0]?.fail(new JobFailure("invalid", "no", "no"));
  await ended(id);
  await sweepAssets(engine.assets);
  expect(await files()).toBe(0);
});

test("an attempt that lost its lease records nothing", async () => {
  const { begin, held, query, list, submit, ended } = await scene();
  const { id, attempt } = await begin();
  await attempt.assets.put("late.txt", bytes("late"));
  await query("update croft.job set attempt = attempt + 1 where id = $1", [id]); // as if another had taken it over
  held[0]?.succeed();
  const { id: next } = await submit({ type: "noop" }); // told after it, or with it
  await ended(next);
  expect(await list()).toMatchObject({ assets: [] });
});

test("a file that comes when its attempt is over is not kept", async () => {
  const { engine, begin, held } = await scene();
  const { id, attempt } = await begin();
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  async function* late() {
    yield Buffer.from("late");
    await released;
  }
  const putting = attempt.assets.put("late.txt", late());
  held[0]?.fail(new Error("no"));
  await waitUntil(
    "the failure",
    async () => (await readJob(engine.database, EVERYBODY, id)).error ?? undefined,
  );
  release();
  await expect(putting).rejects.toMatchObject({ code: "stale" });
});

test("a file that has gone before the end is a failure, not a missing asset", async () => {
  const { engine, begin, held, query, list } = await scene();
  const { id, attempt } = await begin();
  await attempt.assets.put("gone.txt", bytes("gone"));
  await query("delete from croft.asset_claim");
  await query("delete from croft.asset_file");
  held[0]?.succeed();
  const error = await waitUntil(
    "the failure",
    async () => (await readJob(engine.database, EVERYBODY, id)).error ?? undefined,
  );
  expect(error).toMatchObject({ code: "asset-gone", class: "transient" });
  expect(await list()).toMatchObject({ assets: [] });
});

test("what is too large, or has no name is refused as the job's own fault", async () => {
  const { begin } = await scene();
  const { attempt } = await begin();
  await expect(attempt.assets.put("large", bytes("x".repeat(1001)))).rejects.toMatchObject({
    ...{ code: "asset-too-large", failureClass: "invalid" },
  });
  await expect(attempt.assets.put("", bytes("x"))).rejects.toMatchObject({ code: "invalid-name" });
});
