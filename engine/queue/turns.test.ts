// Single turns at odd moments: who is seen, who goes next, and by which limits.
import type pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { checkQueue } from "../../test/support/check-queue.ts";
import { scratchDatabase } from "../../test/support/scratch-database.ts";
import {
  connectTo,
  enqueue,
  queueJob,
  registerWorker,
  resultOf,
  type TurnJob,
  takeTurn,
} from "../../test/support/turn-scene.ts";
import { waitUntil } from "../../test/support/wait-until.ts";

const NO_LIMIT = 2 ** 31 - 1;

async function scene(types: readonly string[] = ["noop"]) {
  const connectionString = await scratchDatabase();
  const open = async () => {
    const client = await connectTo({ connectionString });
    onTestFinished(() => client.end());
    return client;
  };
  const client = await open();
  onTestFinished(async () => expect(await checkQueue(client)).toEqual([]));
  const worker = { id: await registerWorker(client, types), types };
  let running: readonly TurnJob[] = [];
  return {
    ...{ client, open, worker },
    add: (count: number, more: object = {}, by: pg.Client = client) =>
      enqueue(
        by,
        Array.from({ length: count }, () => queueJob(more)),
      ),
    limit: (owner: number, lane: number) =>
      client.query("select croft.set_limits($1, $2, $3)", [NO_LIMIT, owner, lane]),
    /** All that ran has ended; what was claimed for so many slots. */
    turn: async (slots: number) => {
      const results = running.map((job) => resultOf(job));
      running = (await takeTurn(client, worker, results, slots)).claimed;
      return running;
    },
  };
}

/** Until another connection waits for what this one has. */
async function someoneWaits(client: pg.Client): Promise<void> {
  await waitUntil("somebody to wait", async () => {
    const { rowCount } = await client.query("select from pg_locks where not granted limit 1");
    return rowCount === 1;
  });
}

test("a lane that opens while a claim waits for another one has the next turn", async () => {
  const { client, open, add, limit, turn, worker } = await scene();
  await limit(1000, 1000);
  await add(2000, { key: "a" });
  const submits = await open();
  await submits.query("begin");
  await enqueue(submits, [queueJob({ key: "a" }), queueJob({ key: "b", class: 2 })]);
  const claimer = await open();
  const claiming = takeTurn(claimer, worker, [], 60);
  await someoneWaits(client);
  await submits.query("commit");
  const { claimed } = await claiming; // sixty of a: the clock is far beyond where b has begun
  expect(claimed.map(({ key }) => key)).toEqual(Array(60).fill("a"));
  const next = await turn(60);
  expect(next[0]?.key).toBe("b");
});

test("jobs of a type that nobody runs hold up no others, of their lane or elsewhere", async () => {
  const { add, turn } = await scene();
  await add(300, { type: "gone" });
  await add(1);
  for (let lane = 0; lane < 40; lane++) await add(1, { type: "gone", key: `gone-${lane}` });
  await add(1, { key: "own" });
  const claimed = [...(await turn(1)), ...(await turn(1)), ...(await turn(1))];
  expect(claimed.map(({ key }) => key).sort()).toEqual(["", "own"]);
});

test("what a worker for some types has passed by for long is not made up for by others", async () => {
  const { client, add, limit, worker } = await scene(["noop"]);
  await limit(1000, 1);
  await add(100, { key: "passed-by", type: "other" });
  await add(400, { key: "busy" });
  let running: readonly TurnJob[] = [];
  for (let nth = 0; nth < 200; nth++) {
    const results = running.map((job) => resultOf(job));
    running = (await takeTurn(client, worker, results, 1)).claimed;
  }
  const types = ["noop", "other"];
  const both = { id: await registerWorker(client, types), types };
  const keys: string[] = [];
  let others: readonly TurnJob[] = [];
  for (let nth = 0; nth < 100; nth++) {
    const ended = others.map((job) => resultOf(job));
    if (nth === 1) {
      await takeTurn(
        client,
        worker,
        running.map((job) => resultOf(job)),
        0,
      );
    }
    others = (await takeTurn(client, both, ended, 1)).claimed;
    keys.push(...others.map(({ key }) => key));
  }
  expect(keys[0]).toBe("passed-by");
  expect(keys.indexOf("busy")).toBeLessThanOrEqual(42);
});

test("an owner that gets room by a higher limit takes turns from then on", async () => {
  const { client, add, limit, turn, worker } = await scene();
  await limit(1, 1);
  await add(100, { owner: "app:a" });
  const { claimed: long } = await takeTurn(client, worker, [], 1); // its place is taken
  expect(long[0]?.owner).toBe("app:a");
  await add(300, { owner: "app:b" });
  for (let nth = 0; nth < 100; nth++) await turn(1);
  await limit(5, 1);
  const owners: string[] = [];
  for (let nth = 0; nth < 20; nth++) owners.push(...(await turn(1)).map(({ owner }) => owner));
  expect(owners.indexOf("app:b")).toBeLessThanOrEqual(6);
});

test.each([
  { what: "a lane", more: { key: "new" }, limits: [10, 1] as const, runs: 1 },
  { what: "an owner", more: { owner: "app:new" }, limits: [2, 5] as const, runs: 2 },
])("$what that is made while limits are lowered has the new one", async (each) => {
  const { client, open, add, limit, turn } = await scene();
  await limit(10, 5);
  const submits = await open();
  await submits.query("begin");
  await add(5, each.more, submits);
  const lowers = await open();
  const lowering = lowers.query("select croft.set_limits($1, $2, $3)", [NO_LIMIT, ...each.limits]);
  await someoneWaits(client);
  await submits.query("commit");
  await lowering;
  expect(await turn(5)).toHaveLength(each.runs);
});

test("a second attempt begins without the progress of the first; one that fails for good is due never more", async () => {
  const { client, add, turn, worker } = await scene();
  await add(1, { attempts: 2 });
  const failure = { class: "transient", error: { code: "x", class: "transient", message: "away" } };
  const [first] = await turn(1);
  if (first === undefined) throw new Error("nothing was claimed");
  const note = JSON.stringify({ fraction: 0.9, note: "nearly" });
  await client.query("select croft.report_progress($1, 1, $2, $3)", [first.id, worker.id, note]);
  const failed = (job: TurnJob, delay: number) =>
    resultOf(job, "failed", { ...failure, delay_ms: delay });
  await takeTurn(client, worker, [failed(first, 0)], 0);
  await client.query("select croft.admit_due(10)");
  const { claimed } = await takeTurn(client, worker, [], 1);
  const read = async () =>
    (await client.query("select attempt, progress, run_at > finished_at as is_late from croft.job"))
      .rows[0];
  expect(await read()).toEqual({ attempt: 2, progress: null, is_late: null });
  await takeTurn(
    client,
    worker,
    claimed.map((job) => failed(job, 3_600_000)),
    0,
  );
  expect(await read()).toMatchObject({ is_late: false });
});

test("cancelled between two attempts it says how the last one ended", async () => {
  const { client, add, turn, worker } = await scene();
  await add(1, { attempts: 3 });
  const error = { code: "network", class: "transient", message: "the remote is away" };
  const [job] = await turn(1);
  if (job === undefined) throw new Error("nothing was claimed");
  const failed = resultOf(job, "failed", { class: "transient", delay_ms: 60_000, error });
  await takeTurn(client, worker, [failed], 0);
  await client.query("select croft.cancel(array[$1::uuid])", [job.id]);
  const { rows } = await client.query("select error ->> 'message' as message from croft.job");
  expect(rows[0]?.message).toBe(
    "cancelled before its next attempt; the last one: the remote is away",
  );
});
