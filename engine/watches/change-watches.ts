// Watches begin, change and end; an address or credential that does not work is refused before anything is written.
import type { NewWatch, Watch, WatchChange } from "@croft/contract";
import { FilterError, RemoteUrlError, requireFilters } from "@croft/git";
import { inTransaction, type Queryable } from "../database/in-transaction.ts";
import { despiteDeadlocks } from "../database/try-again.ts";
import { EngineError } from "../engine-error.ts";
import type { Scope } from "../jobs/read-jobs.ts";
import { newId } from "../new-id.ts";
import { readWatch } from "./read-watches.ts";
import { requireReadable, type WantedWatch } from "./require-readable.ts";
import { resyncWatches } from "./resync-watches.ts";
import { remoteOf, type WatchParts } from "./watch-access.ts";
import { announceWatch } from "./watch-health.ts";
import { findWatch, lockRepository, setPolling, type WatchRow } from "./watch-rows.ts";

const WATCHES_MAX = 10_000;
const EVERYBODY = { owner: undefined };

interface MadeWatch {
  readonly watch: Watch;
  readonly isNew: boolean;
}

/** The same repository and ref again is the same watch. */
export async function createWatch(
  parts: WatchParts,
  appId: string,
  request: Omit<NewWatch, "app">,
): Promise<MadeWatch> {
  const url = canonicalUrl(parts, request.url);
  requireGlobs(request);
  const wanted = {
    app_id: appId,
    credential_id: request.credential ?? null,
    url,
    ref: request.ref ?? "",
  };
  await requireReadable(parts, wanted);
  const { database } = parts;
  return await despiteDeadlocks(async () => {
    // Whoever asks again and again waits for nobody.
    const there = await findSame(database.pool, wanted);
    if (there !== undefined) return { watch: there, isNew: false };
    return await inTransaction(database, (client) => insert(client, parts, wanted, request));
  });
}

/** What its app was told stays known: the difference to what it should have is sent next. */
export async function changeWatch(
  parts: WatchParts,
  scope: Scope,
  id: string,
  change: WatchChange,
): Promise<Watch> {
  const { database, config } = parts;
  await readWatch(database.pool, scope, id);
  const before = requireRow(await findWatch(database.pool, id));
  const after = merged(before, change);
  requireGlobs(after);
  const asksAnew = after.ref !== before.ref || change.credential !== undefined;
  if (asksAnew) await requireReadable(parts, after);
  return await despiteDeadlocks(() =>
    inTransaction(database, async (client) => {
      await requireCredential(client, change.credential ?? null);
      await lockRepository(client, before.repository_id);
      const now = merged(requireRow(await findWatch(client, id)), change);
      const { rows } = await client.query<{ app_id: string; seq: number }>(
        `update croft.watch w set ref = $2, credential_id = $3, include = $4, exclude = $5, poll_ms = $6, retry_at = null,
           seq = seq + 1
         where id = $1 and removed_at is null and not exists (select from croft.watch o where o.app_id = w.app_id
           and o.repository_id = w.repository_id and o.ref = $2 and o.id <> $1 and o.removed_at is null)
         returning app_id, seq`,
        [id, now.ref, now.credential_id, now.include, now.exclude, now.poll_ms],
      );
      const [row] = rows;
      if (row === undefined)
        throw new EngineError("name-taken", "another watch of this app has that ref");
      await announceWatch(client, { id, ...row }, "watch.changed", {});
      await setPolling(client, before.repository_id, config.watches.poll);
      return await readWatch(client, scope, id);
    }),
  );
}

/** Every file is sent again. */
export async function resyncWatch(parts: WatchParts, scope: Scope, id: string): Promise<Watch> {
  return await despiteDeadlocks(() =>
    inTransaction(parts.database, async (client) => {
      await readWatch(client, scope, id);
      await resyncWatches(client, [id]);
      return await readWatch(client, scope, id);
    }),
  );
}

async function insert(
  client: Queryable,
  { config }: WatchParts,
  { app_id: appId, credential_id, url, ref }: WantedWatch,
  { include, exclude, poll }: Omit<NewWatch, "app">,
): Promise<MadeWatch> {
  await requireApp(client, appId);
  await requireCredential(client, credential_id);
  const repositoryId = await provideRepository(client, url, config.watches.poll);
  const { rows } = await client.query<{ id: string }>(
    `insert into croft.watch (id, app_id, repository_id, ref, credential_id, include, exclude, poll_ms, checked_at, seq)
     values ($1, $2, $3, $4, $5, $6, $7, $8, croft.now(), 1)
     on conflict (app_id, repository_id, ref) where removed_at is null do nothing returning id`,
    [
      ...[newId(), appId, repositoryId, ref, credential_id, include, exclude],
      poll === undefined ? null : poll * 1000,
    ],
  );
  const [made] = rows;
  if (made === undefined) {
    // Made while the repository was waited for; held by us, it cannot go before it is read.
    const there = await findSame(client, { app_id: appId, url, ref });
    if (there === undefined) throw new EngineError("unavailable", "the watch was just removed");
    return { watch: there, isNew: false };
  }
  await announceWatch(client, { id: made.id, app_id: appId, seq: 1 }, "watch.created", { url });
  await setPolling(client, repositoryId, config.watches.poll);
  return { watch: await readWatch(client, EVERYBODY, made.id), isNew: true };
}

async function findSame(
  client: Queryable,
  { app_id, url, ref }: Pick<WantedWatch, "app_id" | "url" | "ref">,
): Promise<Watch | undefined> {
  const { rows } = await client.query<{ id: string }>(
    `select w.id from croft.watch w join croft.repository r on r.id = w.repository_id join croft.app a on a.id = w.app_id
     where w.app_id = $1 and r.url = $2 and w.ref = $3 and w.removed_at is null and a.deleted_at is null`,
    [app_id, url, ref],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  return await readWatch(client, EVERYBODY, row.id);
}

function merged(
  before: WatchRow,
  { ref, credential, include, exclude, poll }: WatchChange,
): WatchRow {
  return {
    ...before,
    ref: ref === undefined ? before.ref : (ref ?? ""),
    credential_id: credential === undefined ? before.credential_id : credential,
    include: include ?? before.include,
    exclude: exclude ?? before.exclude,
    poll_ms: poll === undefined ? before.poll_ms : poll === null ? null : poll * 1000,
  };
}

function canonicalUrl(parts: WatchParts, url: string): string {
  try {
    return remoteOf(parts, url).text;
  } catch (error) {
    if (!(error instanceof RemoteUrlError)) throw error;
    throw new EngineError("invalid-input", `not valid: url: ${error.message}`);
  }
}

/** What no sync could use is refused here. */
function requireGlobs(filters: Parameters<typeof requireFilters>[0]): void {
  try {
    requireFilters(filters);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    throw new EngineError("invalid-input", `not valid: ${error.message}`);
  }
}

function requireRow(row: WatchRow | undefined): WatchRow {
  if (row === undefined) throw new EngineError("not-found", "there is no such watch");
  return row;
}

async function requireApp(client: Queryable, appId: string): Promise<void> {
  const { rows } = await client.query<{ watches: number }>(
    `select (select count(*)::integer from croft.watch where app_id = a.id and removed_at is null) as watches
     from croft.app a where a.id = $1 and a.deleted_at is null for share of a`,
    [appId],
  );
  const [app] = rows;
  if (app === undefined) throw new EngineError("not-found", "there is no such app");
  if (app.watches < WATCHES_MAX) return;
  throw new EngineError("invalid-input", `not valid: an app has at most ${WATCHES_MAX} watches`);
}

/** It was there when the remote was asked, and stays until this is over. */
async function requireCredential(client: Queryable, id: string | null): Promise<void> {
  if (id === null) return;
  const { rowCount } = await client.query(
    "select from croft.credential where id = $1 for key share",
    [id],
  );
  if (rowCount === 1) return;
  const message = "not valid: there is no such credential for this repository";
  throw new EngineError("invalid-input", message);
}

const PROVISIONS_MAX = 5;

/** Locked, so that nobody who finds it unwatched removes it; by no key, because every other write of a watch looks at that. */
async function provideRepository(client: Queryable, url: string, pollMs: number): Promise<string> {
  for (let nth = 0; nth < PROVISIONS_MAX; nth++) {
    await client.query(
      `insert into croft.repository (id, url, poll_ms) values ($1, $2, $3) on conflict (url) do nothing`,
      [newId(), url, pollMs],
    );
    const { rows } = await client.query<{ id: string }>(
      "select id from croft.repository where url = $1 for no key update",
      [url],
    );
    if (rows[0] !== undefined) return rows[0].id;
  }
  throw new EngineError("unavailable", "the repository is being removed; try again");
}
