// An engine that runs pipelines on a repository of this machine, with all it logs.

import type { RunDetail } from "@croft/contract";
import {
  type Engine,
  type Log,
  loadConfig,
  openEngine,
  RunAdvancer,
  showRun,
  startRun,
  startWorker,
} from "@croft/engine";
import { onTestFinished } from "vitest";
import { makeRepository } from "./make-repository.ts";
import { scratchDatabase } from "./scratch-database.ts";
import { scratchDirectory } from "./scratch-directory.ts";
import { waitUntil } from "./wait-until.ts";

const ALL = { owner: undefined };

export interface LoggedLine extends Readonly<Record<string, unknown>> {
  readonly level: keyof Log;
  readonly message: string;
}

export interface RunScene {
  readonly engine: Engine;
  readonly origin: string;
  readonly logged: LoggedLine[];
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  start(text: string, more?: Partial<Parameters<typeof startRun>[1]>): Promise<string>;
  detail(id: string): Promise<RunDetail>;
  until(id: string, status: RunDetail["status"]): Promise<RunDetail>;
  /** To its end, whatever that is. */
  run(text: string, more?: Partial<Parameters<typeof startRun>[1]>): Promise<RunDetail>;
}

export interface RunSceneOptions {
  /** Settings by path, as on the command line. */
  readonly flags?: Record<string, string | boolean>;
  /** How much later it is for the engine, as PostgreSQL says it. */
  readonly later?: string;
  readonly databaseUrl?: string;
}

export async function runScene({
  flags = {},
  later,
  databaseUrl,
}: RunSceneOptions = {}): Promise<RunScene> {
  const directory = await scratchDirectory();
  const logged: LoggedLine[] = [];
  const url = databaseUrl ?? (await scratchDatabase());
  const offset = later === undefined ? "" : `?options=-c%20croft.clock_offset%3D${later}`;
  const { config } = await loadConfig({
    flags: { data: `${directory}/data`, "git.allowLocal": true, ...flags },
    env: { DATABASE_URL: url + offset },
    ...{ directory, uid: process.getuid?.(), home: directory },
  });
  const engine = await openEngine({ config, log: logInto(logged), version: "test" });
  onTestFinished(() => engine.close());
  const worker = await startWorker(engine);
  onTestFinished(() => worker.close(0));
  const advancer = RunAdvancer.start(engine);
  onTestFinished(() => advancer.close());
  const origin = await makeRepository(directory, "origin", { files: 3 });
  const detail = (id: string) => showRun(engine.database, ALL, id);
  const start: RunScene["start"] = (text, more = {}) =>
    startRun(engine, {
      ...{ owner: "local", text, inputs: {}, repository: origin, priority: "normal" },
      ...{ startedBy: "test", ...more },
    });
  return {
    ...{ engine, origin, logged, detail, start },
    query: async (text, values = []) => (await engine.database.pool.query(text, values)).rows,
    until: (id, status) =>
      waitUntil(
        `run ${id} to be ${status}`,
        async () => {
          const now = await detail(id);
          return now.status === status ? now : undefined;
        },
        60_000,
      ),
    run: async (text, more) => {
      const id = await start(text, more);
      const isOver = async () => (await detail(id)).finished_at !== null;
      await waitUntil(`the end of run ${id}`, isOver, 60_000);
      return await detail(id);
    },
  };
}

function logInto(lines: LoggedLine[]): Log {
  const write =
    (level: keyof Log) => (details: Readonly<Record<string, unknown>>, message: string) =>
      void lines.push({ ...details, level, message });
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}
