// One engine with a worker for all tests of a file, on which they run pipelines at the same time as others do.
import { join } from "node:path";
import type { RunDetail } from "@croft/contract";
import {
  type Engine,
  loadConfig,
  lookAtCheckout,
  openEngine,
  RunAdvancer,
  showRun,
  startRun,
  startWorker,
} from "@croft/engine";
import { afterAll, beforeAll } from "vitest";
import { findLeftovers } from "./find-leftovers.ts";
import { git, makeRepository } from "./make-repository.ts";
import { scratchDatabase } from "./scratch-database.ts";
import { scratchDirectory } from "./scratch-directory.ts";
import { silentLog } from "./silent-log.ts";
import { mirrorsIn } from "./stored-repositories.ts";
import { waitUntil } from "./wait-until.ts";

const RUN_CEILING_MS = 60_000;
const ALL = { owner: undefined };
const FLAGS = { "git.allowLocal": true, "worker.slots": "32", "concurrency.perOwner": "1000" };

export type Kind = "overlay" | "clone" | "worktree";

/** Those that can be made here: an overlay is mounted, which only root may. */
export const KINDS: readonly Kind[] =
  process.getuid?.() === 0 ? ["overlay", "clone", "worktree"] : ["clone", "worktree"];

type Wishes = Partial<Parameters<typeof startRun>[1]>;

export interface SharedRuns {
  readonly engine: Engine;
  readonly data: string;
  /** The bare repository that plays the remote. */
  readonly origin: string;
  /** A checkout of it, for worktrees. */
  readonly checkout: string;
  readonly databaseUrl: string;
  start(text: string, more?: Wishes): Promise<string>;
  /** With workspaces of this kind: a worktree is one of the checkout. */
  startIn(kind: Kind, text: string, more?: Wishes): Promise<string>;
  detail(id: string): Promise<RunDetail>;
  /** When it has ended. */
  end(id: string): Promise<RunDetail>;
  run(text: string, more?: Wishes): Promise<RunDetail>;
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  /** All that its attempts have written. */
  logOf(jobId: string | null | undefined): Promise<string>;
  /** Meanwhile others may take the jobs. */
  withoutWorker<T>(work: () => Promise<T>): Promise<T>;
  /** When nobody runs any more: what is still there of workspaces, processes and mounts. */
  leftovers(): Promise<string[]>;
}

/** To be called at the top of a test file. */
export function sharedRuns(
  flags: Record<string, string | boolean> = {},
  log: Engine["log"] = silentLog,
): () => SharedRuns {
  let runs: SharedRuns | undefined;
  const ends: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    runs = await openRuns(flags, log, (clearUp) => void ends.push(clearUp));
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });
  return () => {
    if (runs === undefined) throw new Error("the tests have not begun");
    return runs;
  };
}

export async function openRuns(
  flags: Record<string, string | boolean>,
  log: Engine["log"],
  atEnd: (clearUp: () => Promise<void>) => void,
): Promise<SharedRuns> {
  const root = await scratchDirectory(atEnd);
  const databaseUrl = await scratchDatabase(atEnd);
  const origin = await makeRepository(join(root, "remotes"), "app", { files: 20, commits: 2 });
  const checkout = join(root, "checkout");
  await git(["clone", "--quiet", origin, checkout]);
  const data = join(root, "data");
  const { config } = await loadConfig({
    flags: { data, ...FLAGS, ...flags },
    env: { DATABASE_URL: databaseUrl },
    directory: root,
    uid: process.getuid?.(),
    home: root,
  });
  const engine = await openEngine({ config, log, version: "test", types: [] });
  atEnd(() => engine.close());
  const advancer = RunAdvancer.start(engine);
  atEnd(() => advancer.close());
  let worker = await startWorker(engine);
  atEnd(() => worker.close(0));
  return {
    ...runsOn(engine, { data: config.data, origin, checkout, databaseUrl }),
    withoutWorker: async (work) => {
      await worker.close(0);
      const result = await work();
      worker = await startWorker(engine);
      return result;
    },
  };
}

type Places = Pick<SharedRuns, "data" | "origin" | "checkout" | "databaseUrl">;

function runsOn(engine: Engine, places: Places): Omit<SharedRuns, "withoutWorker"> {
  const { database } = engine;
  const { data, origin, checkout } = places;
  const query = async <Row extends object>(text: string, values: unknown[] = []) =>
    (await database.pool.query<Row>(text, values)).rows;
  const runs: ReturnType<typeof runsOn> = {
    ...{ engine, ...places, query },
    start: (text, more = {}) =>
      startRun(engine, {
        ...{ owner: "local", text, inputs: {}, repository: origin },
        ...{ priority: "normal", startedBy: "test", ...more },
      }),
    startIn: async (kind, text, more) => {
      const whole = `defaults: { workspace: { kind: ${kind} } }\n${text}`;
      if (kind !== "worktree") return await runs.start(whole, more);
      const found = await lookAtCheckout(engine, { path: checkout });
      return await runs.start(whole, { ...more, repository: undefined, checkout: found });
    },
    detail: (id) => showRun(database, ALL, id),
    end: async (id) => {
      const isEnded = async () => (await runs.detail(id)).finished_at !== null;
      await waitUntil(`the end of run ${id}`, isEnded, RUN_CEILING_MS);
      return await runs.detail(id);
    },
    run: async (text, more) => await runs.end(await runs.start(text, more)),
    logOf: async (jobId) => {
      const pieces = await query<{ text: string }>(
        "select text from croft.job_log where job_id = $1 order by seq",
        [jobId],
      );
      return pieces.map(({ text }) => text).join("");
    },
    leftovers: async () => {
      const rows = await query<{ id: string }>("select id from croft.workspace");
      const left = findLeftovers(data, [...mirrorsIn(data), join(checkout, ".git")]);
      return [...rows.map(({ id }) => `ledger ${id}`), ...left];
    },
  };
  return runs;
}
