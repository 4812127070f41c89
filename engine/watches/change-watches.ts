// Watches begin, change and end; an address or credential that does not work is refused before anything is written.
import type { NewWatch, Watch, WatchChange } from "@croft/contract";
import { FilterError, RemoteUrlError, readTips, requireFilters } from "@croft/git";
import { inTransaction, type Queryable } from "../database/in-transaction.ts";
import { EngineError } from "../engine-error.ts";
import type { Scope } from "../jobs/read-jobs.ts";
import { newId } from "../new-id.ts";
import { readWatch } from "./read-watches.ts";
import { accessOf, remoteOf, type WatchParts } from "./watch-access.ts";
import { faultOf, tellWatch } from "./watch-health.ts";
import { findWatch, setPolling, type WatchRow } from "./watch-rows.ts";

const WATCHES_MAX = 10_000;
const ASK_TIMEOUT_MS = 20_000;

/** The same repository and ref again is the same watch. */
export async function createWatch(
  parts: WatchParts,
  appId: string,
  request: Omit<NewWatch, "app">,
): Promise<{ readonly watch: Watch; readonly isNew: boolean }> {
  const url = canonicalUrl(parts, request.url);
  requireGlobs(request);
  const wanted = {
    app_id: appId,
    credential_id: request.credential ?? null,
    url,
    ref: request.ref ?? "",
  };
  await requireReadable(parts, wanted);
  const { database, config } = parts;
  return await inTransaction(database, async (client) => {
    await requireApp(client, appId);
    const repositoryId = await provideRepository(client, url, config.watches.poll);
    const { rows } = await client.query<{ id: string }>(
      `insert into croft.watch (id, app_id, repository_id, ref, credential_id, include, exclude, poll_ms, checked_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, croft.now())
       on conflict (app_id, repository_id, ref) do nothing returning id`,
      [
        ...[
          newId(),
          appId,
          repositoryId,
          wanted.ref,
          wanted.credential_id,
          request.include,
          request.exclude,
        ],
        request.poll === undefined ? null : request.poll * 1000,
      ],
    );
    const [made] = rows;
    if (made === undefined) {
      const { rows: there } = await client.query<{ id: string }>(
        "select id from croft.watch where app_id = $1 and repository_id = $2 and ref = $3",
        [appId, repositoryId, wanted.ref],
      );
      return {
        watch: await readWatch(client, { owner: undefined }, there[0]?.id ?? ""),
        isNew: false,
      };
    }
    await tellWatch(client, made.id, "watch.created", { url });
    await setPolling(client, repositoryId, config.watches.poll);
    return { watch: await readWatch(client, { owner: undefined }, made.id), isNew: true };
  });
}

/** What its app was told stays known: the difference to what it should have is sent next. */
export async function changeWatch(
  parts: WatchParts,
  scope: Scope,
  id: string,
  change: WatchChange,
): Promise<Watch> {
  await readWatch(parts.database.pool, scope, id);
  const before = await findWatch(parts.database.pool, id);
  if (before === undefined) throw new EngineError("not-found", "there is no such watch");
  const after = merged(before, change);
  requireGlobs(after);
  const asksAnew = after.ref !== before.ref || change.credential !== undefined;
  if (asksAnew) await requireReadable(parts, after);
  return await inTransaction(parts.database, async (client) => {
    const { rowCount } = await client.query(
      `update croft.watch w set ref = $2, credential_id = $3, include = $4, exclude = $5, poll_ms = $6
       where id = $1 and not exists (
         select from croft.watch o where o.app_id = w.app_id and o.repository_id = w.repository_id and o.ref = $2 and o.id <> $1)`,
      [id, after.ref, after.credential_id, after.include, after.exclude, after.poll_ms],
    );
    if (rowCount !== 1)
      throw new EngineError("name-taken", "another watch of this app has that ref");
    await tellWatch(client, id, "watch.changed", {});
    await setPolling(client, before.repository_id, parts.config.watches.poll);
    return await readWatch(client, scope, id);
  });
}

/** Every file is sent again. */
export async function resyncWatch(parts: WatchParts, scope: Scope, id: string): Promise<Watch> {
  return await inTransaction(parts.database, async (client) => {
    await readWatch(client, scope, id);
    const { rows } = await client.query<{ repository_id: string }>(
      "update croft.watch set wants_resync = true where id = $1 returning repository_id",
      [id],
    );
    await setPolling(client, rows[0]?.repository_id ?? "", parts.config.watches.poll);
    return await readWatch(client, scope, id);
  });
}

/** With all that was still to be sent of it. */
export async function deleteWatch(parts: WatchParts, scope: Scope, id: string): Promise<void> {
  await inTransaction(parts.database, async (client) => {
    await readWatch(client, scope, id);
    await tellWatch(client, id, "watch.removed", {});
    const { rows } = await client.query<{ repository_id: string }>(
      "delete from croft.watch where id = $1 returning repository_id",
      [id],
    );
    const repositoryId = rows[0]?.repository_id;
    if (repositoryId !== undefined)
      await setPolling(client, repositoryId, parts.config.watches.poll);
  });
}

type Wanted = Pick<WatchRow, "app_id" | "credential_id" | "url" | "ref">;

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

/** Asked with the watch's own credential: what that does not open is refused here, not found out later. */
async function requireReadable(parts: WatchParts, wanted: Wanted): Promise<void> {
  try {
    const { access } = await accessOf(parts, wanted);
    const remote = remoteOf(parts, wanted.url);
    const tips = await readTips(remote, [wanted.ref], { ...access, timeoutMs: ASK_TIMEOUT_MS });
    if (tips.has(wanted.ref)) return;
  } catch (error) {
    const fault = faultOf(error);
    if (fault === undefined) throw error;
    const code = fault.code === "private-address" ? "unsafe-address" : "invalid-input";
    throw new EngineError(code, `not valid: ${fault.message}`);
  }
  const what = wanted.ref === "" ? "has no commits yet" : `has no branch or tag '${wanted.ref}'`;
  throw new EngineError("invalid-input", `not valid: ref: the repository ${what}`);
}

async function requireApp(client: Queryable, appId: string): Promise<void> {
  const { rows } = await client.query<{ watches: number }>(
    `select (select count(*)::integer from croft.watch where app_id = a.id) as watches
     from croft.app a where a.id = $1 and a.deleted_at is null for share of a`,
    [appId],
  );
  const [app] = rows;
  if (app === undefined) throw new EngineError("not-found", "there is no such app");
  if (app.watches < WATCHES_MAX) return;
  throw new EngineError("invalid-input", `not valid: an app has at most ${WATCHES_MAX} watches`);
}

async function provideRepository(client: Queryable, url: string, pollMs: number): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    `insert into croft.repository (id, url, poll_ms) values ($1, $2, $3)
     on conflict (url) do update set url = excluded.url returning id`,
    [newId(), url, pollMs],
  );
  return rows[0]?.id ?? "";
}
