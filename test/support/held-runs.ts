// Runs on the real queue whose steps end by the test's word; their commits are made up.
import { defineJobType, type Engine, RunAdvancer, startRun, startWorker } from "@croft/engine";
import { onTestFinished } from "vitest";
import { z } from "zod";
import type { HeldAttempt } from "./job-scene.ts";
import { scratchEngine } from "./scratch-engine.ts";
import { waitUntil } from "./wait-until.ts";

export const COMMIT = "a".repeat(40);
export const HEADER = "repository: https://example.com/a.git\n";

export interface HeldStep extends HeldAttempt {
  readonly name: string;
}

export interface HeldRuns {
  readonly engine: Engine;
  readonly held: HeldStep[];
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  start(text: string, more?: object): Promise<string>;
  begun(name: string): Promise<HeldStep>;
  ended(id: string, status: string): Promise<void>;
  steps(id: string): Promise<Record<string, unknown>>;
  advancer(): RunAdvancer;
}

/** `uses` are the texts of pipelines that steps use, by name; `advancers` how many go on with runs at once. */
export async function heldRuns({
  uses = {},
  advancers = 2,
}: {
  readonly uses?: Readonly<Record<string, string>>;
  readonly advancers?: number;
} = {}): Promise<HeldRuns> {
  const held: HeldStep[] = [];
  const step = defineJobType<{ run_id: string; step: string; item: string }>({
    ...{ name: "step", isOfRuns: true },
    input: z.strictObject({ run_id: z.uuid(), step: z.string(), item: z.string() }),
    run: (attempt) =>
      new Promise((resolve, reject) => {
        const { step: id, item } = attempt.input;
        const name = item === "" ? id : `${id}/${item}`;
        held.push({ attempt: attempt as never, name, succeed: resolve, fail: reject });
        attempt.signal.addEventListener("abort", () => reject(attempt.signal.reason));
      }),
  });
  const run = defineJobType({
    ...{ name: "run", input: z.strictObject({ run_id: z.uuid() }), holdsLane: true },
    run: async () => ({ commit: COMMIT, uses }),
  });
  const engine = await scratchEngine({}, [run, step]);
  const worker = await startWorker(engine);
  onTestFinished(() => worker.close(0));
  const advancer = () => {
    const started = RunAdvancer.start(engine);
    onTestFinished(() => started.close());
    return started;
  };
  for (let nth = 0; nth < advancers; nth++) advancer();
  const query = async (text: string, values: unknown[] = []) =>
    (await engine.database.pool.query(text, values)).rows;
  return {
    ...{ engine, held, query, advancer },
    start: (text, more = {}) =>
      startRun(engine, {
        ...{ owner: "local", text: HEADER + text, inputs: {}, priority: "normal" as const },
        ...{ startedBy: "test", ...more },
      }),
    begun: (name) =>
      waitUntil(`${name} to begin`, () => held.findLast((each) => each.name === name)),
    ended: async (id, status) => {
      const isSo = async () => {
        const [found] = await query("select status from croft.run where id = $1", [id]);
        return found?.["status"] === status;
      };
      await waitUntil(`${id} to be ${status}`, isSo);
    },
    steps: async (id) =>
      Object.fromEntries(
        (await query("select step, item, status from croft.run_step where run_id = $1", [id])).map(
          (row) => [
            row["item"] === "" ? row["step"] : `${row["step"]}/${row["item"]}`,
            row["status"],
          ],
        ),
      ),
  };
}
