// graphile-worker, as it comes and with its local queue and batched completion.
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import pg from "pg";
import { type BenchDatabase, tidyDatabase } from "./bench-databases.ts";
import type { Contender, ContenderName } from "./contender.ts";

export interface GraphileOptions {
  readonly name: ContenderName;
  readonly title: string;
  readonly note: string;
  readonly preset?: GraphileConfig.Preset;
}

const BULK = 1000;
/** Beyond its slots: one listens, and some complete. */
const SPARE_CONNECTIONS = 5;
const tell = (error: Error) => process.stderr.write(`graphile-worker: ${error.message}\n`);
const logger = new Logger(() => (level, message) => {
  if (level === "error") process.stderr.write(`graphile-worker: ${message}\n`);
});

export async function openGraphile(
  database: BenchDatabase,
  { name, title, note, preset = {} }: GraphileOptions,
): Promise<Contender> {
  const poolOf = (max: number) =>
    new pg.Pool({ ...database.target, max })
      .on("error", tell)
      .on("connect", (client) => client.on("error", tell));
  const pool = poolOf(10);
  const utils = await makeWorkerUtils({ pgPool: pool, logger, preset });
  await utils.migrate();
  let count = 0;
  return {
    ...{ name, title, note, share: 1 },
    enqueue: async () => void (await utils.addJob("noop", { n: count++ })),
    fill: async (jobs) => {
      for (let done = 0; done < jobs; done += BULK) {
        const length = Math.min(BULK, jobs - done);
        await utils.addJobs(
          Array.from({ length }, () => ({ identifier: "noop", payload: { n: count++ } })),
        );
      }
    },
    work: async (concurrency, onStart) => {
      const pgPool = poolOf(concurrency + SPARE_CONNECTIONS);
      const taskList = { noop: async () => onStart() };
      const runner = await run({
        ...{ pgPool, taskList, logger },
        noHandleSignals: true,
        preset: { ...preset, worker: { ...preset.worker, concurrentJobs: concurrency } },
      });
      return {
        close: async () => {
          await runner.stop();
          await pgPool.end();
        },
      };
    },
    left: async () => {
      const { rows } = await pool.query<{ left: number }>(
        "select count(*)::integer as left from graphile_worker._private_jobs",
      );
      return rows[0]?.left ?? Number.NaN;
    },
    tidy: () => tidyDatabase(database.target),
    close: async () => {
      await utils.release();
      await pool.end();
    },
  };
}
