// The right to run: kept while a handler blocks the process, given up in time when it cannot be renewed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readProcessState } from "@croft/git";
import { expect, onTestFinished, test } from "vitest";
import { findProcesses } from "../../test/support/find-processes.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { silentLog } from "../../test/support/silent-log.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { newId } from "../new-id.ts";
import { Lease, type LeaseTimes } from "./lease.ts";

/** Long enough that a thread and a watchdog start in it on a machine that has much to do. */
const TIMES: LeaseTimes = { leaseMs: 4000, renewEveryMs: 200, stopBeforeEndMs: 1000 };

async function scene(times = TIMES) {
  const { database } = await scratchEngine();
  const workerId = newId();
  await database.pool.query(
    `insert into croft.worker (id, host, host_name, pid, process_start, slots, types, version, lease_until)
     values ($1, 'h', 'h', 1, '', 1, '{}', 'test', croft.now() + make_interval(secs => $2::float8 / 1000))`,
    [workerId, times.leaseMs],
  );
  const seen = { renewals: 0, lost: [] as string[], cancelled: [] as string[] };
  const lease = new Lease({
    ...{ database, workerId, times, log: silentLog },
    onRenewed: () => seen.renewals++,
    onLost: (reason) => seen.lost.push(reason),
    onCancelled: (jobs) => seen.cancelled.push(...jobs),
  });
  onTestFinished(() => lease.close());
  const isOver = async () => {
    const { rows } = await database.pool.query<{ over: boolean }>(
      "select lease_until <= clock_timestamp() as over from croft.worker where id = $1",
      [workerId],
    );
    return rows[0]?.over;
  };
  return { database, workerId, lease, seen, isOver };
}

/** A process that the watchdog is to find by its working directory. */
async function sleeper(directory: string) {
  const child = spawn("sleep", ["1000"], { cwd: directory, stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "spawn");
  return child;
}

test("a handler that blocks the process does not cost the lease", async () => {
  const { seen, isOver } = await scene();
  await waitUntil("a renewal", () => seen.renewals > 0);
  const until = performance.now() + 2 * TIMES.leaseMs;
  while (performance.now() < until); // what a careless handler does
  expect(await isOver()).toBe(false);
  const renewals = seen.renewals;
  await waitUntil("another", () => seen.renewals > renewals);
  expect(seen.lost).toEqual([]);
});

test("a worker that was taken for dead hears it, once", async () => {
  const { seen, database, workerId } = await scene();
  await waitUntil("a renewal", () => seen.renewals > 0);
  await database.pool.query("select croft.end_worker($1, 'lost', 'test', 20)", [workerId]);
  await waitUntil("the loss", () => seen.lost.length > 0);
  expect(seen.lost).toEqual(["the lease was given to others"]);
});

test("a worker that cannot reach the database gives up before others take over", async () => {
  const { seen, isOver, database } = await scene();
  await waitUntil("a renewal", () => seen.renewals > 0);
  // The thread's connections hang on the row from now on.
  const client = await database.pool.connect();
  await client.query("begin");
  await client.query("lock table croft.worker in exclusive mode");
  await waitUntil("the loss", () => seen.lost.length > 0);
  await client.query("rollback");
  client.release();
  expect(await isOver()).toBe(false);
  expect(seen.lost).toEqual(["the lease could not be renewed in time"]);
});

test("the watchdog ends commands when renewals stop, and when the worker is gone", async () => {
  const { seen, lease, database, workerId } = await scene();
  const [watched, forgotten, left] = [
    await scratchDirectory(),
    await scratchDirectory(),
    await scratchDirectory(),
  ];
  const uid = process.getuid?.() ?? 0;
  await lease.watch(watched, uid);
  await lease.watch(forgotten, uid);
  lease.forget(forgotten);
  const [victim, survivor] = [await sleeper(watched), await sleeper(forgotten)];
  const victimEnd = once(victim, "exit");
  await database.pool.query("select croft.end_worker($1, 'lost', 'test', 20)", [workerId]);
  await waitUntil("the loss", () => seen.lost.length > 0);
  expect(await victimEnd).toEqual([null, "SIGKILL"]);
  expect(survivor.exitCode).toBeNull();
  expect(survivor.signalCode).toBeNull();

  await expect(lease.watch(left, uid)).rejects.toThrow("the lease is over");
  const other = await scene();
  await other.lease.watch(left, uid);
  const last = once(await sleeper(left), "exit");
  await other.lease.close();
  expect(await last).toEqual([null, "SIGKILL"]);
});

test("what a worker was about to start is ended too, when it begins after the worker's end", async () => {
  const { lease } = await scene();
  const directory = await scratchDirectory();
  await lease.watch(directory, process.getuid?.() ?? 0);
  const first = once(await sleeper(directory), "exit");
  const closed = lease.close();
  await first; // it has looked
  const slow = ["-c", `sleep 0.3; CROFT_WORKSPACE=${directory} exec sleep 1000`];
  const late = spawn("sh", slow, { stdio: "ignore" });
  onTestFinished(() => void late.kill("SIGKILL"));
  expect(await once(late, "exit")).toEqual([null, "SIGKILL"]);
  await closed;
});

test("a watchdog that was killed is followed by one that watches the same", async () => {
  const { lease } = await scene({ ...TIMES, leaseMs: 20_000 });
  const directory = await scratchDirectory();
  await lease.watch(directory, process.getuid?.() ?? 0);
  const dogs = () =>
    findProcesses(["watchdog.ts"]).filter((text) => parentOf(text) === process.pid);
  const [first = ""] = dogs();
  process.kill(Number.parseInt(first, 10), "SIGKILL");
  // Of the killed one its number is left for a moment, without a command line.
  const isFirst = (text: string) => Number.parseInt(text, 10) === Number.parseInt(first, 10);
  const second = await waitUntil("another", () => dogs().find((text) => !isFirst(text)));
  const other = await scratchDirectory();
  await lease.watch(other, process.getuid?.() ?? 0); // answered after what it was told at its start
  expect(dogs().filter((text) => !isFirst(text))).toEqual([second]);
  const ends = [once(await sleeper(directory), "exit"), once(await sleeper(other), "exit")];
  await lease.close();
  expect(await Promise.all(ends)).toEqual([
    [null, "SIGKILL"],
    [null, "SIGKILL"],
  ]);
});

/** Of one that has just ended: nobody's. */
function parentOf(process: string): number | undefined {
  return readProcessState(Number.parseInt(process, 10))?.parent;
}

test("what two attempts have watched stays so until both have forgotten it", async () => {
  const { lease } = await scene();
  const uid = process.getuid?.() ?? 0;
  const [shared, forgotten] = [await scratchDirectory(), await scratchDirectory()];
  for (const directory of [shared, shared, forgotten, forgotten]) await lease.watch(directory, uid);
  for (const directory of [shared, forgotten, forgotten]) lease.forget(directory);
  const [victim, survivor] = [await sleeper(shared), await sleeper(forgotten)];
  await Promise.all([once(victim, "exit"), lease.close()]);
  expect(survivor.exitCode ?? survivor.signalCode).toBeNull();
});
