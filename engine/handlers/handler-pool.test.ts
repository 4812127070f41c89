// Processes that are kept for the next job, when that is not allowed to begin.
import { EventEmitter, once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findProcesses } from "../../test/support/find-processes.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { HandlerPool } from "./handler-pool.ts";
import type { HandledAttempt } from "./handler-process.ts";

const CONFIG = `const input = { "~standard": { version: 1, vendor: "x", validate: (value) => ({ value }) } };
  export default { handlers: { pid: { input, run: () => process.pid } } };`;

async function poolScene() {
  const root = await scratchDirectory();
  const bundle = join(root, "config.mjs");
  await writeFile(bundle, CONFIG);
  const errors: unknown[] = [];
  const pool = new HandlerPool({
    ...{ root, bundle, cwd: root, environment: {}, memoryMb: 64, slots: 2 },
    onError: (error) => void errors.push(error),
  });
  const run = (guard: () => Promise<void>) => {
    const signal = new AbortController().signal;
    const attempt = { id: "j", owner: "local", type: "pid", attempt: 1, input: {}, signal, guard };
    const handled = { attempt: { ...attempt, log: () => undefined, progress: () => undefined } };
    return pool.run({
      ...(handled as unknown as Pick<HandledAttempt, "attempt">),
      ...{ directory: root, graceMs: () => 100, answer: async () => ({ value: null }) },
    });
  };
  return { pool, run, errors, processes: () => findProcesses([root]) };
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
