// Clears away what has had its time: at start, and every minute; by whichever process comes first.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { checkAssets } from "../assets/check-assets.ts";
import { sweepAssets } from "../assets/sweep-assets.ts";
import type { Config } from "../config/config.ts";
import type { Database } from "../database/open-database.ts";
import type { Engine } from "../engine.ts";
import type { Log } from "../log.ts";
import { forgetInCheckouts } from "../runs/forget-in-checkouts.ts";
import { finishRotation } from "../secrets/rotate-key.ts";
import { warnExpiring } from "../secrets/warn-expiring.ts";
import { AppRemover } from "./app-remover.ts";

export interface Janitor {
  close(): Promise<void>;
}

const EVERY_MS = 60_000;
/** Short transactions: a long one would hold back readers of events and make claims slow. */
const BATCH = 5000;
const BATCHES_MAX = 100;
/** Any number that no other lock of ours has. */
const LOCK_KEY = 727_563_820;

/** What GitHub may still send again must be known, or it would be handled twice. */
const INBOX_MS_MIN = 7 * 86_400_000;

/** Comparing every file with every row takes its time, and seldom finds anything. */
const CHECK_EVERY_MS = 3_600_000;

export type JanitorDoor = Pick<
  Engine,
  "database" | "config" | "log" | "assets" | "vault" | "git" | "directory" | "listener"
>;

export function startJanitor(door: JanitorDoor): Janitor {
  let isClosed = false;
  let running: Promise<void> | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  const round = async () => {
    const isStopped = () => isClosed;
    const chore = choreOf(door.log, isStopped);
    await chore("old rows", () => clean(door.database, door.config, isStopped));
    await chore("stored files", () => sweepAssets(door.assets, isStopped));
    await chore("old credentials", () => warnExpiring(door.database));
    await chore("values with an old key", () => finishRotation(door.vault, isStopped));
    if (performance.now() - checkedAt < CHECK_EVERY_MS) return;
    checkedAt = performance.now();
    await chore("unknown files", () => checkAssets(door.assets, isStopped));
    await chore("results", () => openForResults(door));
    await chore("refs in checkouts", () => forgetInCheckouts(door, isStopped));
  };
  const run = () => {
    running ??= round().finally(() => {
      running = undefined;
    });
  };
  run();
  const remover = AppRemover.start(door);
  const timer = setInterval(run, EVERY_MS);
  return {
    close: async () => {
      isClosed = true;
      clearInterval(timer);
      await Promise.all([running, remover.close()]);
    },
  };
}

/** Git looks after what runs left on this host as soon as it is open; an idle server may not have needed it yet. */
async function openForResults({ directory, git }: JanitorDoor): Promise<void> {
  const names = await readdir(join(directory.path, "results")).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw error;
    },
  );
  if (names.length > 0) await git();
}

/** Each for itself: what one cannot do keeps no other from its work. */
function choreOf(log: Log, isStopped: () => boolean) {
  return async (what: string, work: () => Promise<unknown>): Promise<void> => {
    if (isStopped()) return;
    try {
      await work();
    } catch (error) {
      if (!isStopped()) log.warn({ err: error }, `${what} could not be cleared away`);
    }
  };
}

/** One process at a time; the others find nothing to do. */
export async function clean(
  { pool }: Database,
  { retention }: Pick<Config, "retention">,
  isStopped: () => boolean = () => false,
): Promise<void> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ mine: boolean }>(
      "select pg_try_advisory_lock($1) as mine",
      [LOCK_KEY],
    );
    if (rows[0]?.mine !== true) return;
    try {
      await client.query("select croft.forget_idle()");
      const steps = [
        ["croft.forget_events", retention.events],
        ["croft.forget_logs", retention.events],
        // What is about to go has given up its results before: nobody can begin with it again meanwhile.
        ["croft.forget_results", Math.min(retention.results, retention.jobs)],
        ["croft.forget_runs", retention.jobs],
        ["croft.forget_jobs", retention.jobs],
        ["croft.forget_workspaces", retention.jobs],
        ["croft.forget_expired_assets", 0],
        ["croft.forget_artifacts", retention.artifacts],
        ["croft.forget_uploads", retention.uploads],
        ["croft.forget_generated", retention.generated],
        ["croft.forget_deliveries", retention.deliveries],
        ["croft.forget_syncs", retention.deliveries],
        ["croft.forget_inbox", Math.max(retention.jobs, INBOX_MS_MIN)],
        ["croft.forget_github_results", retention.jobs],
      ] as const;
      for (const [step, ageMs] of steps) {
        for (let batch = 0, isMore = true; isMore && batch < BATCHES_MAX && !isStopped(); batch++) {
          const { rows: more } = await client.query<{ more: boolean }>(
            `select ${step}(croft.now() - make_interval(secs => $1::float8 / 1000), $2) as more`,
            [ageMs, BATCH],
          );
          isMore = more[0]?.more === true;
        }
      }
    } finally {
      await client.query("select pg_advisory_unlock($1)", [LOCK_KEY]);
    }
  } finally {
    client.release();
  }
}
