// What a reviewer broke the queue with: workers for some types, lanes that come back, moments in between.
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { checkQueue } from "../../test/support/check-queue.ts";
import { jobScene, noopType } from "../../test/support/job-scene.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { type Engine, hostIdentity } from "../engine.ts";
import { type JobType, jobTypes } from "../jobs/job-type.ts";
import { endDeadWorkers } from "../worker/end-dead-workers.ts";
import { JobWorker } from "../worker/worker.ts";

async function workerFor(engine: Engine, types: readonly JobType[], slots = 4) {
  const { database, listener, log, version, assets } = engine;
  const worker = await JobWorker.start({
    ...{ database, listener, log, version, assets, slots, types: jobTypes(...types) },
    ...{ host: hostIdentity(engine), timeoutMs: 60_000, maxLost: 20, logBytesMax: 1_000_000 },
  });
  onTestFinished(() => worker.close(0));
  return worker;
}

async function connection({ database }: Engine): Promise<pg.Client> {
  const client = new pg.Client(database.target);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

const countDone =
  "select count(*)::integer as n from croft.job where type = 'noop' and status = 'done'";

test("a worker for some types finds its jobs behind many lanes of others", async () => {
  const { engine, submit, query } = await jobScene();
  await Promise.all(Array.from({ length: 30 }, (_, n) => submit({ key: `other-${n}` })));
  await Promise.all(Array.from({ length: 5 }, (_, n) => submit({ type: "noop", key: `own-${n}` })));
  await workerFor(engine, [noopType]);
  await waitUntil("its five jobs", async () => (await query(countDone))[0]?.n === 5);
  expect(await checkQueue(engine.database.pool)).toEqual([]);
});

test("a lane that such a worker has passed by is not forgotten by the others", async () => {
  const { engine, submit, query, startWorker, begun } = await jobScene();
  await submit({ key: "passed-by" });
  const partial = await workerFor(engine, [noopType]);
  await Promise.all(Array.from({ length: 100 }, () => submit({ type: "noop", key: "busy" })));
  await waitUntil("a hundred turns", async () => (await query(countDone))[0]?.n === 100, 30_000);
  await partial.close(0);
  await startWorker();
  await begun(1);
});

test("a job's events come in their order, although who wrote the second began first", async () => {
  const { engine, submit, query } = await jobScene();
  const worker = "01a1e246-c651-7000-ba6e-0000000000aa";
  await query(
    `insert into croft.worker (id, host, host_name, pid, process_start, slots, types, version, lease_until)
     values ($1, 'h', 'h', 1, '1', 1, '{hold,noop,command}', '0', croft.now() + interval '1 hour')`,
    [worker],
  );
  const client = await connection(engine);
  await client.query("begin");
  await client.query("select pg_current_xact_id()"); // as if it waited for a lane from here on
  const { id } = await submit();
  const types = ["hold", "noop", "command", "run", "step"];
  await client.query("select * from croft.take_turn($1, null, 1, $2)", [worker, types]);
  await client.query("commit");
  const events = await query(
    "select seq from croft.event where subject = $1 order by event.xid, event.place",
    [id],
  );
  expect(events.map(({ seq }) => seq)).toEqual([1, 2]);
});

test("a lane that was cleared away and came back can be changed again", async () => {
  const { submit, query } = await jobScene();
  const { id } = await submit({ key: "k" });
  await query("select croft.cancel(array[$1::uuid])", [id]);
  const [lane] = await query("select id from croft.lane where key = 'k'");
  for (const isPaused of [true, false]) {
    await query("select croft.change_lane($1, null, false, $2)", [lane?.id, isPaused]);
  }
  await query("update croft.lane set used_at = croft.now() - interval '2 hours'");
  await query("select croft.forget_idle()");
  expect(await query("select from croft.lane where key = 'k'")).toEqual([]);
  await submit({ key: "k" });
  await query("select croft.change_lane($1, null, false, true)", [lane?.id]);
  const events = await query("select seq from croft.event where subject = $1 order by seq", [
    lane?.id,
  ]);
  expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3]);
});

test("a lane whose jobs wait for their time stays, so that none of them is miscounted", async () => {
  const { engine, submit, query } = await jobScene();
  const { id } = await submit({ key: "later", run_at: "2999-01-01T00:00:00Z" });
  await query("update croft.lane set used_at = croft.now() - interval '2 hours'");
  await query("select croft.forget_idle()");
  expect(await query("select key from croft.lane")).toContainEqual({ key: "later" });
  await query("select croft.cancel(array[$1::uuid])", [id]);
  expect(await checkQueue(engine.database.pool)).toEqual([]);
});

test("being shut down with its worker is no loss, however often", async () => {
  const { submit, query, startWorker, begun } = await jobScene({ "job.maxLost": "1" });
  const { id } = await submit();
  for (let nth = 1; nth <= 3; nth++) {
    const worker = await startWorker();
    await begun(nth);
    await worker.close(0);
  }
  const [job] = await query("select status, attempt, losses from croft.job where id = $1", [id]);
  expect(job).toEqual({ status: "queued", attempt: 3, losses: 0 });
});

test("the key of a job that is gone is free again", async () => {
  const { submit, query } = await jobScene();
  const request = { idempotency_key: "once" };
  const first = await submit(request);
  await query("delete from croft.job where id = $1", [first.id]);
  expect(await submit(request)).toMatchObject({ isNew: true });
});

test("one neighbour that cannot be cleared up after does not keep the others' jobs", async () => {
  const { engine, query } = await jobScene();
  const dead = [1, 2].map((n) => `01a1e246-c651-7000-ba6e-00000000000${n}`);
  for (const [index, id] of dead.entries()) {
    await query(
      `insert into croft.worker (id, host, host_name, pid, process_start, slots, types, version, lease_until)
       values ($1, $2, 'h', 1, 'never', 1, '{}', '0', croft.now() + ($3 || ' hours')::interval)`,
      [id, index === 0 ? engine.hostId : "elsewhere", index === 0 ? 1 : -1],
    );
  }
  const ending = endDeadWorkers(engine.database, {
    ...{ host: hostIdentity(engine), maxLost: 20 },
    onDeadNeighbour: async () => {
      throw new Error("its mounts cannot be removed");
    },
  });
  await expect(ending).rejects.toThrow("mounts");
  const left = await query("select id from croft.worker where ended_at is null");
  expect(left).toEqual([{ id: dead[0] }]);
});
