// Removes what is left of deleted apps and watches, a part at a time: whoever is killed in the middle, the next goes on.
import { sweepAssets } from "../assets/sweep-assets.ts";
import { despiteDeadlocks } from "../database/try-again.ts";
import type { Engine } from "../engine.ts";
import { Rounds } from "../rounds.ts";
import { forgetRemovedWatches } from "../watches/remove-watch.ts";

type RemoverParts = Pick<Engine, "database" | "log" | "assets" | "listener">;

/** Announcements are what wakes it; this is for those that were lost. */
const LOOK_EVERY_MS = 60_000;
/** Attempts that were asked to end take a moment. */
const LOOK_AGAIN_MS = 2000;
/** Short transactions: a long one would hold back readers of events and make claims slow. */
const PART_MAX = 500;
const EVENTS_MAX = 20_000;

export class AppRemover {
  readonly #rounds: Rounds;
  readonly #deafen: () => void;

  private constructor(parts: RemoverParts) {
    const { log, listener } = parts;
    const round = async (signal: AbortSignal) => {
      const isStopped = () => signal.aborted;
      const hasWatches = await forgetRemovedWatches(parts.database, isStopped);
      const hasApps = await forgetDeletedApps(parts, isStopped);
      return hasWatches || hasApps ? LOOK_AGAIN_MS : LOOK_EVERY_MS;
    };
    this.#rounds = new Rounds({ what: "deleted apps", log, round });
    this.#deafen = listener.hear("croft_app", () => this.#rounds.wake());
  }

  static start(parts: RemoverParts): AppRemover {
    const remover = new AppRemover(parts);
    remover.#rounds.wake();
    return remover;
  }

  /** Ends after the part that is on its way. */
  async close(): Promise<void> {
    this.#deafen();
    await this.#rounds.close();
  }
}

/** True when some is left: an attempt has not settled yet, or it was stopped. */
export async function forgetDeletedApps(
  parts: Pick<RemoverParts, "database" | "log" | "assets">,
  isStopped: () => boolean = () => false,
): Promise<boolean> {
  const { pool } = parts.database;
  await pool.query("delete from croft.app_token where expires_at < croft.now()");
  await pool.query("delete from croft.signing_secret where expires_at < croft.now()");
  const { rows } = await pool.query<{ id: string }>(
    "select id from croft.app where deleted_at is not null order by id",
  );
  const bare: string[] = [];
  for (const { id } of rows) if (await isBare(parts, id, isStopped)) bare.push(id);
  if (bare.length === 0 || isStopped()) return rows.length > 0;
  await forgetEvents(parts, bare, isStopped);
  let gone = 0;
  for (const id of bare) if (!isStopped() && (await forgetBare(parts, id))) gone++;
  await sweepAssets(parts.assets, isStopped);
  return gone < rows.length;
}

/** Whether only its events, lanes and row are left, after as much was removed as can be. */
async function isBare(
  { database }: Pick<RemoverParts, "database">,
  id: string,
  isStopped: () => boolean,
): Promise<boolean> {
  while (!isStopped()) {
    const { rows } = await despiteDeadlocks(() =>
      database.pool.query<{ state: "more" | "waits" | "bare" | null }>(
        "select croft.forget_app($1, $2) as state",
        [id, PART_MAX],
      ),
    );
    const state = rows[0]?.state;
    if (state !== "more") return state === "bare";
  }
  return false;
}

async function forgetEvents(
  { database }: Pick<RemoverParts, "database">,
  apps: readonly string[],
  isStopped: () => boolean,
): Promise<void> {
  const owners = apps.map((id) => `app:${id}`);
  let last = { xid: "0", place: "0" };
  while (!isStopped()) {
    const { rows } = await database.pool.query<{ xid: string | null; place: string | null }>(
      "select xid::text, place::text from croft.forget_owner_events($1, $2::xid8, $3, $4)",
      [owners, last.xid, last.place, EVENTS_MAX],
    );
    const { xid = null, place = null } = rows[0] ?? {};
    if (xid === null || place === null) return;
    last = { xid, place };
  }
}

async function forgetBare(
  { database, log }: Pick<RemoverParts, "database" | "log">,
  id: string,
): Promise<boolean> {
  const { rows } = await despiteDeadlocks(() =>
    database.pool.query<{ gone: boolean }>("select croft.forget_bare_app($1) as gone", [id]),
  );
  if (rows[0]?.gone !== true) return false; // something came in meanwhile
  log.info({ app: id }, "a deleted app and all that was its own are gone");
  return true;
}
