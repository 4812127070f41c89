// A turn that was carried out while its answer got lost: nothing is forgotten, and nothing is done twice.
import { expect, onTestFinished, test } from "vitest";
import { checkQueue } from "../../test/support/check-queue.ts";
import { cuttingProxy } from "../../test/support/cutting-proxy.ts";
import { holdType, noopType } from "../../test/support/job-scene.ts";
import { scratchDatabase } from "../../test/support/scratch-database.ts";
import { engineOn } from "../../test/support/scratch-engine.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { readEvents } from "../events/read-events.ts";
import { readJob } from "../jobs/read-jobs.ts";
import { startWorker } from "./start-worker.ts";

async function scene() {
  const databaseUrl = await scratchDatabase();
  const proxy = await cuttingProxy(databaseUrl);
  const { type, held } = holdType();
  const engine = await engineOn(proxy.databaseUrl, {}, [type, noopType]);
  const { database } = await engineOn(databaseUrl); // to look at it past the proxy
  const worker = await startWorker(engine);
  onTestFinished(() => worker.close(0));
  const submit = async (kind = "hold") => {
    const job = { type: kind, input: {}, priority: "normal" as const, owner: "local", key: "k" };
    return (await engine.intake.submit(job)).id;
  };
  const ended = async (id: string) =>
    await waitUntil("the end", async () => {
      const job = await readJob(database, { owner: undefined }, id);
      return job.finished_at === null ? undefined : job;
    });
  const events = async (id: string) =>
    (await readEvents(database, id, 0)).map(({ type: name }) => name);
  const begun = (count: number) => waitUntil(`${count} attempts`, () => held.length >= count);
  const isSound = async () => expect(await checkQueue(database.pool)).toEqual([]);
  return { proxy, held, submit, ended, events, begun, isSound, database };
}

test("a claim that the worker never heard of is given back, and runs as the next attempt", async () => {
  const { proxy, held, submit, ended, events, begun, isSound } = await scene();
  const cut = proxy.cut("take-turn", (answer) => /"type" ?: ?"hold"/.test(answer));
  const id = await submit();
  await cut;
  await begun(1);
  expect(held[0]?.attempt).toMatchObject({ id, attempt: 2 });
  held[0]?.succeed();
  expect(await ended(id)).toMatchObject({ status: "done", attempt: 2 });
  const all = ["job.queued", "job.started", "job.retrying", "job.started", "job.done"];
  expect(await events(id)).toEqual(all);
  expect(held).toHaveLength(1);
  await isSound();
});

test("a result whose receipt was lost counts once, and the worker goes on", async () => {
  const { proxy, held, submit, ended, events, begun, isSound } = await scene();
  const id = await submit();
  await begun(1);
  const cut = proxy.cut(id); // the turn that tells of it
  held[0]?.succeed("well");
  await cut;
  expect(await ended(id)).toMatchObject({ status: "done", attempt: 1, result: "well" });
  expect((await ended(await submit("noop"))).status).toBe("done");
  expect(await events(id)).toEqual(["job.queued", "job.started", "job.done"]);
  await isSound();
});

test("result and next claim lost in one answer: the one counts, the other is given back", async () => {
  const { proxy, held, submit, ended, begun, isSound } = await scene();
  const first = await submit();
  await begun(1);
  const second = await submit();
  const cut = proxy.cut(first, (answer) => answer.includes(second));
  held[0]?.succeed();
  await cut;
  await begun(2);
  expect(held[1]?.attempt).toMatchObject({ id: second, attempt: 2 });
  held[1]?.succeed();
  expect(await ended(second)).toMatchObject({ status: "done", attempt: 2 });
  expect(await ended(first)).toMatchObject({ status: "done", attempt: 1 });
  await isSound();
});

test("a turn that is carried out long after its connection broke leaves no job that nobody runs", async () => {
  const { proxy, held, submit, begun, ended, isSound, database } = await scene();
  const holder = await database.pool.connect();
  onTestFinished(() => holder.release());
  await holder.query("begin");
  await holder.query("select croft.lock_queue()");
  const waiting = (count: number) =>
    waitUntil(`${count} turns that wait`, async () => {
      const { rows } = await holder.query<{ n: number }>(
        `select count(*)::integer as n from pg_locks l join pg_database d on d.oid = l.database
         where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`,
      );
      return rows[0]?.n === count;
    });
  const id = await submit();
  await waiting(1);
  proxy.breakOff("take-turn"); // the network; the database has not noticed
  await waiting(2);
  await holder.query("commit");
  await begun(1);
  held[0]?.succeed();
  expect(await ended(id)).toMatchObject({ status: "done" });
  await isSound();
});

test("a result that cannot be stored fails its own job, and costs no other its own", async () => {
  const { held, submit, ended, begun, isSound } = await scene();
  const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
  const bad = ["\ud800", "a\0b", nested(6000), "x".repeat(2 ** 21), () => 1, 1n];
  for (const [index, result] of bad.entries()) {
    const id = await submit();
    await begun(index + 1);
    held[index]?.succeed({ result });
    const job = await ended(id);
    if (typeof result === "function") expect(job).toMatchObject({ status: "done", result: {} });
    else expect(job).toMatchObject({ status: "failed", error: { class: "invalid" } });
  }
  const id = await submit();
  await begun(bad.length + 1);
  held[bad.length]?.succeed("\\u0000 is but six characters");
  expect(await ended(id)).toMatchObject({ status: "done" });
  await isSound();
});

test("a connection that falls silent is given up after a while, and the worker goes on with another", async () => {
  const { proxy, submit, ended, isSound } = await scene();
  const silence = proxy.silence("take-turn");
  const id = await submit("noop");
  await silence;
  expect(await ended(id)).toMatchObject({ status: "done" });
  await isSound();
});
