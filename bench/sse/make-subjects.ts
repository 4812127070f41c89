// Fifty apps with a token each, and a job of each that runs as long as the bench wants.
import { createApp, defineJobType, type Engine, startWorker } from "@croft/engine";
import { z } from "zod";
import { waitUntil } from "../../test/support/wait-until.ts";
import type { Scratch } from "../scratch.ts";
import { nowMs, type Stamp } from "./open-reader.ts";

export interface Subject {
  readonly jobId: string;
  readonly token: string;
  /** Writes one more event of the job. */
  report(): Promise<void>;
}

/** It runs until its worker is shut down. */
export const endlessJob = defineJobType({
  name: "endless",
  input: z.strictObject({}),
  run: ({ signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    }),
});

export async function makeSubjects(
  engine: Engine,
  scratch: Scratch,
  count: number,
): Promise<Subject[]> {
  const { database, intake } = engine;
  const apps = [];
  for (let number = 0; number < count; number++) {
    const { app, token } = await createApp(database, `bench ${number}`);
    const owner = `app:${app.id}`;
    const job = { type: "endless", priority: "normal" as const, input: {}, owner };
    const { id: jobId } = await intake.submit(job);
    apps.push({ jobId, token });
  }
  const worker = await startWorker({
    ...engine,
    config: { ...engine.config, worker: { slots: count } },
  });
  scratch.atEnd(() => worker.close(0));
  await waitUntil("all jobs to run", () => worker.runningCount === count);
  return apps.map(({ jobId, token }) => ({
    ...{ jobId, token },
    report: async () => {
      const stamp: Stamp = { sent_ms: nowMs() };
      const { rows } = await database.pool.query<{ done: boolean }>({
        name: "bench-report",
        text: "select croft.report_progress($1, 1, $2, $3) as done",
        values: [jobId, worker.id, JSON.stringify(stamp)],
      });
      if (rows[0]?.done !== true) throw new Error("an event could not be written");
    },
  }));
}
