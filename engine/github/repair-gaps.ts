// Events that did not arrive: GitHub sends each once, so what its list of deliveries has and the inbox has not is asked for again.
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import type { Engine } from "../engine.ts";
import {
  beginAnew,
  type Delivery,
  dueGaps,
  forgetGap,
  forgetSettled,
  type Gap,
  keepPage,
  type Look,
  leaveLook,
  noteAsked,
  takeLook,
} from "./gap-store.ts";
import type { GithubApp } from "./github-app.ts";
import { GithubError } from "./github-error.ts";

export interface GapParts extends Pick<Engine, "database" | "log" | "config"> {
  readonly github: GithubApp;
  readonly dispatcher: Pick<Dispatcher, "id">;
}

export interface Repaired {
  readonly listed: number;
  /** Not in the inbox. */
  readonly missing: number;
  readonly asked: number;
  /** To list, or to ask for. */
  readonly isMore: boolean;
}

/** Of one round: the inbox takes them in as fast, but the rest of the App's requests must pass, too. */
export interface GapLimits {
  readonly pages: number;
  readonly asked: number;
}

export const GAP_LIMITS: GapLimits = { pages: 100, asked: 500 };
const PER_PAGE = 100;

/** One process at a time; undefined when another is at it. No connection to the database is kept while GitHub is asked. */
export async function repairGaps(
  parts: GapParts,
  signal: AbortSignal,
  limits = GAP_LIMITS,
): Promise<Repaired | undefined> {
  const { pool } = parts.database;
  const { id } = parts.dispatcher; // it may get another name meanwhile, and is another one then
  const look = await takeLook(pool, id);
  if (look === undefined) return undefined;
  try {
    return await repair({ ...parts, dispatcher: { id } }, look, { signal, limits });
  } finally {
    await leaveLook(pool, id).catch(() => {}); // it is ours the next time, too, or others' when we are gone
  }
}

interface Round {
  readonly signal: AbortSignal;
  readonly limits: GapLimits;
}

async function repair(parts: GapParts, look: Look, round: Round): Promise<Repaired> {
  const looked = await lookBack(parts, look, round).catch(asRefusal);
  // In the order in which they were sent: so all must be known first, unless the list cannot be read any further.
  const isReady = "error" in looked || looked.isThrough;
  const { asked, isAll } = isReady ? await askAgain(parts, round) : { asked: 0, isAll: false };
  if ("error" in looked) throw looked.error;
  const { listed, missing } = looked;
  if (missing > 0 || asked > 0) {
    parts.log.warn({ listed, missing, asked }, "events of GitHub had not arrived");
  }
  return { listed, missing, asked, isMore: !isAll };
}

/** Anything else ends the round. */
function asRefusal(error: unknown): { readonly error: GithubError } {
  if (error instanceof GithubError) return { error };
  throw error;
}

interface Looked {
  readonly listed: number;
  readonly missing: number;
  readonly isThrough: boolean;
}

/** The newest first, back to the time up to which all is known. Each page is kept before the next is asked for. */
async function lookBack(
  parts: GapParts,
  { sinceMs, cursor }: Look,
  { signal, limits }: Round,
): Promise<Looked> {
  const { database, dispatcher } = parts;
  const seen = new Set<string>();
  const missing = new Set<string>();
  const looked = (isThrough: boolean): Looked => ({
    ...{ listed: seen.size, missing: missing.size, isThrough },
  });
  let at = cursor ?? undefined;
  for (let pages = 0; pages < limits.pages; pages++) {
    const page = await pageAt(parts, at, signal);
    const older = page.listed.filter(({ delivered_at }) => Date.parse(delivered_at) < sinceMs);
    at = older.length > 0 ? undefined : page.cursor;
    const listed = page.listed.filter((each) => !older.includes(each));
    for (const { guid } of listed) seen.add(guid);
    const kept = await keepPage(database.pool, dispatcher.id, {
      ...{ listed, newest: page.listed[0]?.delivered_at, cursor: at },
    });
    if (kept === undefined) throw new Error("another process compares deliveries by now");
    for (const guid of kept) missing.add(guid);
    if (at === undefined) return looked(true);
  }
  return looked(false);
}

async function pageAt(
  { github, database, dispatcher }: GapParts,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<{ readonly listed: readonly Delivery[]; readonly cursor: string | undefined }> {
  const parameters = { per_page: PER_PAGE, ...(cursor === undefined ? {} : { cursor }) };
  try {
    const route = "GET /app/hook/deliveries";
    const { data, next } = await github.pageAsApp<Delivery[]>(route, parameters, signal);
    const listed = data.filter(({ delivered_at }) => !Number.isNaN(Date.parse(delivered_at)));
    return { listed, cursor: next?.["cursor"] };
  } catch (error) {
    // Its delivery may be gone.
    const isRefused = error instanceof GithubError && !error.mayPass;
    if (isRefused && cursor !== undefined) await beginAnew(database.pool, dispatcher.id);
    throw error;
  }
}

/** The oldest first. One that is refused keeps no other from being asked for. */
async function askAgain(
  parts: GapParts,
  { signal, limits }: Round,
): Promise<{ readonly asked: number; readonly isAll: boolean }> {
  const { pool } = parts.database;
  for (const gap of await forgetSettled(pool)) {
    givenUp(parts.log, gap, "it did not arrive in three days");
  }
  const everyMs = parts.config.github.redeliverEvery / 2;
  const due = await dueGaps(pool, { everyMs, max: limits.asked });
  let asked = 0;
  for (const gap of due) {
    if (await askFor(parts, gap, signal)) asked += 1;
  }
  return { asked, isAll: due.length < limits.asked };
}

/** Throws what is true of all of them: nobody answers, we are not known, or must wait. */
async function askFor(
  { github, log, database: { pool } }: GapParts,
  gap: Gap,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const route = "POST /app/hook/deliveries/{delivery_id}/attempts";
    await github.askAsApp(route, { delivery_id: gap.github_id }, signal);
  } catch (error) {
    if (!(error instanceof GithubError) || error.isRateLimit || error.status === 401) throw error;
    if ([404, 410, 422].includes(error.status ?? 0)) {
      await forgetGap(pool, gap);
      givenUp(log, gap, "GitHub does not send it again");
      return false;
    }
    await noteAsked(pool, gap); // or it would be the first the next time, too
    if (error.status === undefined) throw error;
    log.warn({ err: error, delivery: gap.delivery_id }, "GitHub did not send an event again");
    return false;
  }
  await noteAsked(pool, gap);
  return true;
}

function givenUp(log: GapParts["log"], { delivery_id, event }: Gap, reason: string): void {
  log.warn({ delivery: delivery_id, event }, `an event of GitHub is lost: ${reason}`);
}
