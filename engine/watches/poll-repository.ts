// One look at a remote for all who watch it: what has moved is synced, each watch by its own credential.
import { GitError, type Tip } from "@croft/git";
import { isDatabaseUnavailable } from "../database/is-database-unavailable.ts";
import { isDeadlock } from "../database/try-again.ts";
import type { FairPlaces } from "./fair-places.ts";
import { releaseKept } from "./release-kept.ts";
import { Sightings } from "./sightings.ts";
import { type SyncParts, syncWatch } from "./sync-watch.ts";
import { accessOf, remoteOf, type WatchAccess } from "./watch-access.ts";
import { faultOf, OWN_FAULT, watchFailed, watchWorks } from "./watch-health.ts";
import { type WatchRow, watchesOf } from "./watch-rows.ts";
import { PollLost } from "./write-sync.ts";

export interface PolledRepository {
  readonly id: string;
  readonly url: string;
  readonly poll_ms: number;
  readonly failures: number;
}

export interface PollParts extends SyncParts {
  /** The app on whose account the remote is asked. */
  readonly account: string;
  readonly places: { readonly looks: FairPlaces; readonly syncs: FairPlaces };
}

/** A watch that is to be attended to, and how it reaches its remote. */
export interface ReadyWatch extends WatchAccess {
  readonly watch: WatchRow;
}

/** A credential that nobody needs for a while is looked at all the same. */
const CHECK_EVERY_MS = 3_600_000;
/** Whose app has no place by then is attended to at the next poll: others of the repository do not wait for it. */
const PLACE_PATIENCE_MS = 30_000;

export async function pollRepository(
  parts: PollParts,
  repository: PolledRepository,
): Promise<void> {
  const watches = await watchesOf(parts.database.pool, repository.id);
  const now = Date.now();
  const due = watches.filter(({ retry_at }) => (retry_at?.getTime() ?? 0) <= now);
  if (due.length > 0) await pollFor(parts, repository, due);
  await releaseKept(parts, repository);
}

async function pollFor(
  parts: PollParts,
  repository: PolledRepository,
  watches: readonly WatchRow[],
): Promise<void> {
  const { account } = parts;
  const ready: ReadyWatch[] = [];
  for (const watch of watches) {
    await guarded(parts, watch, repository, async () => {
      ready.push({ watch, ...(await accessOf(parts, watch)) });
    });
  }
  const sightings = new Sightings(remoteOf(parts, repository.url), ready, parts.signal);
  if (ready.length === 0) return;
  const leave = await parts.places.looks.take(account, PLACE_PATIENCE_MS, parts.signal);
  if (leave === undefined) return;
  const seen = await look(parts, repository, sightings, ready).finally(leave);
  if (seen === undefined) return;
  const apps = groupedBy(ready, ({ watch }) => watch.app_id);
  // Apps do not wait for each other; places keep what they do at once within bounds.
  const outcomes = await Promise.allSettled(
    [...apps].map(async ([app, own]) => {
      for (const each of own) {
        parts.signal.throwIfAborted();
        if (isUpToDate(each.watch, seen.get(each.watch.ref))) continue;
        const leave = await parts.places.syncs.take(app, PLACE_PATIENCE_MS, parts.signal);
        if (leave === undefined) return;
        try {
          await guarded(parts, each.watch, repository, () => attend(parts, each, sightings));
        } finally {
          leave();
        }
      }
    }),
  );
  const errors = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  if (errors.length > 0)
    throw new AggregateError(errors, `${errors.length} apps' watches were not synced`);
}

/** With the watches' credentials in turn: the next one in the same moment when one fails. */
async function look(
  parts: PollParts,
  repository: PolledRepository,
  sightings: Sightings,
  ready: readonly ReadyWatch[],
): Promise<ReadonlyMap<string, Tip> | undefined> {
  for (const own of groupedBy(ready, ({ credentialId }) => credentialId).values()) {
    let tips: ReadonlyMap<string, Tip> | undefined;
    for (const each of own) {
      // The first asks; what it hears, or that it hears nothing, is true for all with this credential.
      await guarded(parts, each.watch, repository, async () => {
        tips = await sightings.all(each);
      });
      if (tips !== undefined) return tips;
    }
  }
  return undefined;
}

/** Nothing has moved, and nothing is to be seen after. */
function isUpToDate(watch: WatchRow, seen: Tip | undefined): boolean {
  const isSame = isTold(watch, seen) && seen?.ref === watch.told_ref;
  const isChecked = Date.now() - (watch.checked_at?.getTime() ?? 0) < CHECK_EVERY_MS;
  return isSame && isChecked && watch.failures === 0 && !watch.is_held;
}

/** One watch: is it allowed still, and is there something to tell? */
async function attend(parts: PollParts, ready: ReadyWatch, sightings: Sightings): Promise<void> {
  const { watch, access } = ready;
  const tip = (await sightings.own(ready)).get(watch.ref);
  if (tip === undefined) throw notThere(watch.ref);
  await watchWorks(parts.database, watch);
  if (!isTold(watch, tip)) {
    return await syncWatch(parts, watch, { tip, access: { ...access, signal: parts.signal } });
  }
  if (tip.ref === watch.told_ref) return;
  // The default branch has another name, and the same files.
  await parts.database.pool.query(
    "update croft.watch set told_ref = $3 where id = $1 and told_commit = $2",
    [watch.id, tip.commit, tip.ref],
  );
}

function groupedBy<K, T>(all: readonly T[], keyOf: (each: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const each of all) {
    const key = keyOf(each);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return groups;
}

/** Whether its app has been told of all that is there. */
function isTold(watch: WatchRow, tip: Tip | undefined): boolean {
  return tip?.commit === watch.told_commit && !hasNewFilters(watch) && !watch.wants_resync;
}

function hasNewFilters({
  include,
  exclude,
  told_include,
  told_exclude,
  told_commit,
}: WatchRow): boolean {
  if (told_commit === null) return true;
  const differs = (one: readonly string[], other: readonly string[] | null) =>
    JSON.stringify(one) !== JSON.stringify(other ?? []);
  return differs(include, told_include) || differs(exclude, told_exclude);
}

function notThere(ref: string): GitError {
  const what = ref === "" ? "no default branch" : `no branch or tag '${ref}'`;
  return new GitError("invalid-ref", `the remote has ${what}`, { command: "ls-remote" });
}

/** What goes wrong with one watch is its app's business, or ours; the poll goes on unless it could not for anybody. */
async function guarded(
  parts: PollParts,
  watch: WatchRow,
  { poll_ms }: PolledRepository,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const fault = faultOf(error);
    if (fault !== undefined) return await watchFailed(parts.database, watch, fault, poll_ms);
    const isEverybodys = isDatabaseUnavailable(error) || isDeadlock(error);
    if (parts.signal.aborted || isEverybodys || error instanceof PollLost) throw error;
    parts.log.warn({ err: error, watch: watch.id }, "a watch was not synced");
    await watchFailed(parts.database, watch, OWN_FAULT, poll_ms);
  }
}
