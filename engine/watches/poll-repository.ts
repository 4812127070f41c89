// One look at a remote for all who watch it: what has moved is synced, each watch by its own credential.
import { GitError, readTips, type Tip } from "@croft/git";
import { releaseKept } from "./release-kept.ts";
import { type SyncParts, syncWatch } from "./sync-watch.ts";
import { accessOf, remoteOf, type WatchAccess } from "./watch-access.ts";
import { faultOf, watchFailed, watchWorks } from "./watch-health.ts";
import { type WatchRow, watchesOf } from "./watch-rows.ts";

export interface PolledRepository {
  readonly id: string;
  readonly url: string;
  readonly poll_ms: number;
  readonly failures: number;
}

export type PollParts = SyncParts;

/** A credential that nobody needs for a while is looked at all the same. */
const CHECK_EVERY_MS = 3_600_000;

/** What the first credential that works has shown. */
interface Sighting {
  readonly tips: ReadonlyMap<string, Tip>;
  readonly credentialId: string | undefined;
}

export async function pollRepository(
  parts: PollParts,
  repository: PolledRepository,
): Promise<void> {
  const watches = await watchesOf(parts.database.pool, repository.id);
  if (watches.length > 0) await pollFor(parts, repository, watches);
  await releaseKept(parts, repository);
}

async function pollFor(
  parts: PollParts,
  repository: PolledRepository,
  watches: readonly WatchRow[],
): Promise<void> {
  const accesses = new Map<string, WatchAccess>();
  for (const watch of watches) {
    await guarded(parts, watch, repository, async () => {
      accesses.set(watch.id, await accessOf(parts, watch));
    });
  }
  const ready = watches.filter(({ id }) => accesses.has(id));
  const sighting = await look(parts, repository, ready, accesses);
  if (sighting === undefined) return;
  const errors: unknown[] = [];
  for (const watch of ready) {
    parts.signal.throwIfAborted();
    const own = accesses.get(watch.id);
    if (own === undefined) continue;
    try {
      await guarded(parts, watch, repository, () => attend(parts, watch, own, sighting));
    } catch (error) {
      errors.push(error); // apps do not wait for each other
    }
  }
  if (errors.length > 0)
    throw new AggregateError(errors, `${errors.length} watches were not synced`);
}

/** With the watches' credentials in turn: the next one in the same moment when one fails. */
async function look(
  parts: PollParts,
  repository: PolledRepository,
  watches: readonly WatchRow[],
  accesses: ReadonlyMap<string, WatchAccess>,
): Promise<Sighting | undefined> {
  const remote = remoteOf(parts, repository.url);
  const names = [...new Set(watches.map(({ ref }) => ref))];
  const tried = new Set<string>();
  for (const watch of watches) {
    const { access, credentialId } = accesses.get(watch.id) ?? { access: {}, credentialId: "" };
    if (tried.has(credentialId ?? "")) continue;
    tried.add(credentialId ?? "");
    const sameCredential = watches.filter(
      ({ id }) => accesses.get(id)?.credentialId === credentialId,
    );
    let tips: ReadonlyMap<string, Tip> | undefined;
    for (const each of sameCredential) {
      // The first asks; what it hears is true for all with this credential.
      await guarded(parts, each, repository, async () => {
        tips ??= await readTips(remote, names, { ...access, signal: parts.signal });
      });
      if (tips !== undefined) return { tips, credentialId };
    }
  }
  return undefined;
}

/** One watch: is it allowed still, and is there something to tell? */
async function attend(
  parts: PollParts,
  watch: WatchRow,
  { access, credentialId }: WatchAccess,
  sighting: Sighting,
): Promise<void> {
  const seen = sighting.tips.get(watch.ref);
  const isOwn = credentialId === sighting.credentialId;
  const isSame = isTold(watch, seen) && seen?.ref === watch.told_ref;
  const isChecked = Date.now() - (watch.checked_at?.getTime() ?? 0) < CHECK_EVERY_MS;
  if (isSame && isChecked && watch.failures === 0 && !watch.is_held) return;
  const remote = remoteOf(parts, watch.url);
  const reaching = { ...access, signal: parts.signal };
  const tips = isOwn ? sighting.tips : await readTips(remote, [watch.ref], reaching);
  const tip = tips.get(watch.ref);
  if (tip === undefined) throw notThere(watch.ref);
  await watchWorks(parts.database, watch);
  if (!isTold(watch, tip)) return await syncWatch(parts, watch, { tip, access: reaching });
  if (tip.ref === watch.told_ref) return;
  // The default branch has another name, and the same files.
  await parts.database.pool.query(
    "update croft.watch set told_ref = $3 where id = $1 and told_commit = $2",
    [watch.id, tip.commit, tip.ref],
  );
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

/** What goes wrong with one watch is its app's business; what is our own fault ends the poll. */
async function guarded(
  parts: PollParts,
  watch: WatchRow,
  repository: PolledRepository,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const fault = faultOf(error);
    if (fault === undefined) throw error;
    await watchFailed(parts.database, watch, fault, repository.poll_ms);
  }
}
