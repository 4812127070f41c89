// An engine with a worker and a job type whose attempts the test holds in its hands.
import { type Attempt, defineJobType, type Engine, type JobType, startWorker } from "@croft/engine";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { scratchEngine } from "./scratch-engine.ts";
import { waitUntil } from "./wait-until.ts";

/** One attempt that has begun and ends when the test says so. */
export interface HeldAttempt {
  readonly attempt: Attempt<{ name?: string | undefined }>;
  succeed(result?: unknown): void;
  fail(error: unknown): void;
}

export interface HeldType {
  readonly type: JobType;
  readonly held: HeldAttempt[];
}

/** The type `hold`: it ends by the test's word, or by its signal. */
export function holdType(name = "hold"): HeldType {
  const held: HeldAttempt[] = [];
  const type = defineJobType<{ name?: string | undefined }>({
    name,
    input: z.strictObject({ name: z.string().optional() }),
    run: (attempt) =>
      new Promise((resolve, reject) => {
        held.push({ attempt, succeed: resolve, fail: reject });
        attempt.signal.addEventListener("abort", () => reject(attempt.signal.reason));
      }),
  });
  return { type, held };
}

/** The type `noop`, which does nothing, and tells what it was given. */
export const noopType = defineJobType({
  name: "noop",
  input: z.record(z.string(), z.unknown()),
  run: async ({ input }) => ({ echo: input }),
});

export async function jobScene(flags: Record<string, string> = {}) {
  const { type, held } = holdType();
  const engine = await scratchEngine(flags, [type, noopType]);
  const submit = (job: Partial<Parameters<Engine["intake"]["submit"]>[0]> = {}) =>
    engine.intake.submit({ type: "hold", input: {}, priority: "normal", owner: "local", ...job });
  return {
    ...{ engine, held, submit },
    startWorker: async () => {
      const worker = await startWorker(engine);
      onTestFinished(() => worker.close(0));
      return worker;
    },
    begun: (count: number) => waitUntil(`${count} attempts`, () => held.length >= count),
    query: async (text: string, values: unknown[] = []) =>
      (await engine.database.pool.query(text, values)).rows,
  };
}
