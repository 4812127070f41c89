// A credential is tried at its remote before it is kept, so that one that is refused takes nobody's place.
import type { Credential, NewCredential } from "@croft/contract";
import { type RemoteUrl, RemoteUrlError, readTips } from "@croft/git";
import type { Queryable } from "../database/in-transaction.ts";
import { EngineError } from "../engine-error.ts";
import { checkInstallation } from "../github/check-installation.ts";
import { entranceBy } from "../secrets/credential-access.ts";
import { isFor, parseCredentialScope } from "../secrets/credential-scope.ts";
import { putCredential, usernameOf } from "../secrets/credential-store.ts";
import { appIdOf } from "./read-watches.ts";
import { remoteOf, type WatchParts } from "./watch-access.ts";
import { faultOf } from "./watch-health.ts";

type Request = Omit<NewCredential, "app">;

interface ConcernedWatch {
  readonly id: string;
  readonly repository_id: string;
  readonly url: string;
  readonly credential_id: string | null;
}

/** An owner may watch thousands with one token: a few of them are answer enough. */
const TRIED_MAX = 3;
const ASK_TIMEOUT_MS = 20_000;

/**
 * Tried with `check_url`, or else with what the owner watches by it. The watches that use it are polled at once: whatever
 * was refused to the one before is asked for anew.
 */
export async function acceptCredential(
  parts: WatchParts,
  owner: string,
  { check_url, ...request }: Request,
): Promise<Credential> {
  const scope = parseCredentialScope(request.kind, request.url);
  if (request.kind === "github-app") await checkInstallation(parts, request);
  const { pool } = parts.database;
  const named = check_url === undefined ? [] : [remoteNamed(parts, check_url)];
  if (named.some((remote) => !isFor(scope, remote))) {
    throw invalid("check_url: the credential is not for that repository");
  }
  const concerned = (await watchesOf(pool, owner)).filter(({ url }) =>
    isFor(scope, remoteOf(parts, url)),
  );
  const urls = [...new Set(concerned.map(({ url }) => url))].slice(0, TRIED_MAX);
  const tried = named.length > 0 ? named : urls.map((url) => remoteOf(parts, url));
  const isTried = tried.length > 0;
  for (const remote of tried) await requireOpened(parts, remote, owner, request);
  return await putCredential(parts.vault, owner, request, {
    isChecked: isTried,
    alongside: (client, id) => pollAtOnce(client, concerned, id),
  });
}

function remoteNamed(parts: WatchParts, url: string): RemoteUrl {
  try {
    return remoteOf(parts, url);
  } catch (error) {
    if (!(error instanceof RemoteUrlError)) throw error;
    throw invalid(`check_url: ${error.message}`);
  }
}

async function requireOpened(
  { config, github }: WatchParts,
  remote: RemoteUrl,
  owner: string,
  request: Request,
): Promise<void> {
  const opened = { ...request, username: usernameOf(request) };
  const way = { reach: { allowPrivate: config.allowPrivate }, caFile: config.git.caFile };
  try {
    const entrance = entranceBy({ config, github }, owner, { remote, found: opened });
    const access = { ...way, ...entrance };
    await readTips(remote, [""], { ...access, timeoutMs: ASK_TIMEOUT_MS });
  } catch (error) {
    const fault = faultOf(error);
    if (fault === undefined) throw error;
    if (fault.code === "private-address") throw new EngineError("unsafe-address", fault.message);
    if (fault.holds) throw invalid(`value: '${remote.text}' refuses it: ${fault.message}`);
    const message = `'${remote.text}' was not reached, so nothing was changed: ${fault.message}`;
    throw new EngineError("unavailable", message);
  }
}

async function watchesOf(client: Queryable, owner: string): Promise<ConcernedWatch[]> {
  const { rows } = await client.query<ConcernedWatch>(
    `select w.id, w.repository_id, r.url, w.credential_id from croft.watch w join croft.repository r on r.id = w.repository_id
     where w.app_id = $1 and w.removed_at is null order by w.id`,
    [appIdOf(owner)],
  );
  return rows;
}

async function pollAtOnce(
  client: Queryable,
  watches: readonly ConcernedWatch[],
  id: string,
): Promise<void> {
  const users = watches.filter(
    ({ credential_id }) => credential_id === null || credential_id === id,
  );
  if (users.length === 0) return;
  await client.query(
    `update croft.repository set next_poll_at = croft.now() where id in (
       select id from croft.repository where id = any ($1) order by id for no key update)`,
    [users.map(({ repository_id }) => repository_id)],
  );
  await client.query(
    `update croft.watch set retry_at = null where id in (
       select id from croft.watch where id = any ($1) order by id for no key update)`,
    [users.map((each) => each.id)],
  );
  await client.query("select pg_notify('croft_watch', '')");
}

function invalid(what: string): EngineError {
  return new EngineError("invalid-input", `not valid: ${what}`);
}
