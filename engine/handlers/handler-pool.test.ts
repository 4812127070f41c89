// Processes that are kept for the next job, when that is not allowed to begin.
import { EventEmitter, once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findProcesses } from "../../test/support/find-processes.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { HandlerPool } from "./handler-pool.ts";
import type { HandledAttempt } from "./handler-process.ts";

const CONFIG = `import { appendFileSync, existsSync } from "node:fs";
  appendFileSync("loaded", process.pid + "\\n");
  if (existsSync("unfit")) throw new Error("unfit");
  while (existsSync("slow")) await new Promise((again) => setTimeout(again, 10));
  const input = { "~standard": { version: 1, vendor: "x", validate: (value) => ({ value }) } };
  const pid = async () => {
    while (existsSync("busy")) await new Promise((again) => setTimeout(again, 1));
    return process.pid;
  };
  export default { handlers: { pid: { input, run: pid } } };`;

async function poolScene(patienceMs?: number) {
  const root = await scratchDirectory();
  const bundle = join(root, "config.mjs");
  await writeFile(bundle, CONFIG);
  const errors: unknown[] = [];
  const pool = new HandlerPool({
    ...{ root, bundle, cwd: root, environment: {}, memoryMb: 64, slots: 2 },
    ...(patienceMs === undefined ? {} : { patienceMs }),
    onError: (error, what) => void errors.push({ error, what }),
  });
  const run = (guard: () => Promise<void>, signal = new AbortController().signal) => {
    const attempt = { id: "j", owner: "local", type: "pid", attempt: 1, input: {}, signal, guard };
    const handled = { attempt: { ...attempt, log: () => undefined, progress: () => undefined } };
    return pool.run({
      ...(handled as unknown as Pick<HandledAttempt, "attempt">),
      ...{ directory: root, graceMs: () => 100, answer: async () => ({ value: null }) },
    });
  };
  return {
    root,
    loaded: () => pidsIn(root),
    pool,
    run,
    errors,
    processes: () => findProcesses([root]),
  };
}

/** Of all that have loaded the configuration, in this order. */
async function pidsIn(root: string): Promise<number[]> {
  const text = await readFile(join(root, "loaded"), "utf8");
  return text.trim().split("\n").map(Number);
}

test("one that was kept ends when nobody may watch over it, and the next job has another", async () => {
  const { pool, run, processes, errors } = await poolScene();
  const first = await run(async () => {});
  expect(await run(async () => {})).toBe(first); // it was kept
  const refusal = new Error("the lease is over");
  await expect(run(() => Promise.reject(refusal))).rejects.toBe(refusal);
  expect(processes()).toEqual([]);
  expect(await run(async () => {})).not.toBe(first);
  await pool.close();
  expect({ left: processes(), errors }).toEqual({ left: [], errors: [] });
}, 60_000);

test("one that waits to be watched over when all are to end, ends with them", async () => {
  const { pool, run, processes } = await poolScene();
  await run(async () => {});
  const watch = new EventEmitter();
  const asked = once(watch, "asked");
  const refused = expect(
    run(async () => {
      watch.emit("asked");
      await once(watch, "allowed");
    }),
  ).rejects.toThrow("shut down");
  await asked;
  await pool.close();
  expect(processes()).toEqual([]);
  watch.emit("allowed");
  await refused;
}, 60_000);

const OLD_AT_JOBS = 50;
const JOBS_MAX = 100;

async function runMany(run: () => Promise<unknown>, count: number): Promise<unknown[]> {
  const pids: unknown[] = [];
  for (let nth = 0; nth < count; nth++) pids.push(await run());
  return pids;
}

test("an old one goes when its successor is ready, and at the latest when it is worn", async () => {
  const { root, pool, run, loaded, processes, errors } = await poolScene();
  const next = () => run(async () => {});
  const [first] = await runMany(next, OLD_AT_JOBS - 1);
  expect(await loaded()).toEqual([first]); // nobody before
  await writeFile(join(root, "slow"), "");
  expect(await runMany(next, JOBS_MAX - OLD_AT_JOBS + 1)).toEqual(
    Array(JOBS_MAX - OLD_AT_JOBS + 1).fill(first),
  );
  const waiting = next(); // for the one that is being started
  await rm(join(root, "slow"));
  const second = await waiting;
  expect(await loaded()).toEqual([first, second]);
  await runMany(next, OLD_AT_JOBS - 1);
  await waitUntil("its successor has its place", async () => (await next()) !== second);
  expect((await loaded()).slice(0, 3)).toEqual([first, second, await next()]);
  await pool.close();
  expect({ left: processes(), errors }).toEqual({ left: [], errors: [] });
}, 60_000);

test("short jobs that come together share a process", async () => {
  const { pool, run, loaded } = await poolScene(30_000);
  const next = () => run(async () => {});
  const first = await next();
  expect(await Promise.all([next(), next(), next()])).toEqual([first, first, first]);
  expect(await loaded()).toEqual([first]);
  await pool.close();
}, 60_000);

test("no job waits for long for one that another keeps busy", async () => {
  const { root, pool, run, loaded } = await poolScene();
  const next = () => run(async () => {});
  await next();
  await writeFile(join(root, "busy"), "");
  const both = [next(), next()];
  await waitUntil("a second one", async () => (await loaded()).length === 2);
  await rm(join(root, "busy"));
  expect(new Set(await Promise.all(both)).size).toBe(2);
  await pool.close();
}, 60_000);

test("who waits for one that ends with its job looks elsewhere at once", async () => {
  const { root, pool, run, loaded } = await poolScene(30_000);
  const next = () => run(async () => {});
  const [first] = await runMany(next, OLD_AT_JOBS - 1);
  await writeFile(join(root, "slow"), "");
  await runMany(next, JOBS_MAX - OLD_AT_JOBS); // one more, and it is worn
  await writeFile(join(root, "busy"), "");
  const both = [next(), next()];
  await rm(join(root, "slow"));
  await rm(join(root, "busy"));
  const [last, other] = await Promise.all(both);
  expect(last).toBe(first);
  expect(await loaded()).toEqual([first, other]);
  await pool.close();
}, 60_000);

test("a successor that nobody has had yet ends with the pool", async () => {
  const { pool, run, processes, errors } = await poolScene();
  await runMany(() => run(async () => {}), OLD_AT_JOBS);
  await pool.close(); // while it starts
  expect({ left: processes(), errors }).toEqual({ left: [], errors: [] });
}, 60_000);

test("a successor that cannot be started is told of, and fails no job", async () => {
  const { root, pool, run, processes, errors } = await poolScene();
  const next = () => run(async () => {});
  await runMany(next, OLD_AT_JOBS - 1);
  await writeFile(join(root, "unfit"), "");
  await next();
  await waitUntil("its end", () => errors.length === 1);
  expect(errors).toMatchObject([{ what: expect.stringContaining("could not be started") }]);
  await rm(join(root, "unfit"));
  await runMany(next, JOBS_MAX - OLD_AT_JOBS + 1);
  await pool.close();
  expect(processes()).toEqual([]);
}, 60_000);

test("a successor that has fallen is not given a job", async () => {
  const { pool, run, loaded, processes } = await poolScene();
  const next = () => run(async () => {});
  await runMany(next, OLD_AT_JOBS);
  await waitUntil("its successor", async () => (await loaded()).length === 2);
  const [, successor = Number.NaN] = await loaded();
  process.kill(successor, "SIGKILL"); // ready or not
  const others = await runMany(next, JOBS_MAX - OLD_AT_JOBS + 1);
  expect(others).not.toContain(successor);
  await pool.close();
  expect(processes()).toEqual([]);
}, 60_000);

test("a job that is stopped while it waits for a successor ends at once", async () => {
  const { root, pool, run, processes } = await poolScene();
  const next = () => run(async () => {});
  await next();
  await writeFile(join(root, "slow"), "");
  await runMany(next, JOBS_MAX - 1);
  const stop = new AbortController();
  const reason = new Error("cancelled");
  const waiting = expect(run(async () => {}, stop.signal)).rejects.toBe(reason);
  stop.abort(reason);
  await waiting;
  await rm(join(root, "slow"));
  expect(await next()).toEqual(expect.any(Number));
  await pool.close();
  expect(processes()).toEqual([]);
}, 60_000);
