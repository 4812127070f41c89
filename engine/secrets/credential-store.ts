// Credentials of an owner: set, listed without their values, removed, and opened for the remote that they are for.
import type {
  Credential,
  CredentialKind,
  CredentialList,
  NewCredential,
  SecretQuery,
} from "@croft/contract";
import type { RemoteUrl } from "@croft/git";
import { inTransaction, type Queryable } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import { despiteDeadlocks } from "../database/try-again.ts";
import { EngineError } from "../engine-error.ts";
import type { Scope } from "../jobs/read-jobs.ts";
import { newId } from "../new-id.ts";
import { type SealedPlace, seal } from "./cipher.ts";
import { isFor, parseCredentialScope, urlOfScope } from "./credential-scope.ts";
import { tellVault } from "./tell-vault.ts";
import {
  onceMoreWithoutKey,
  type SealedRow,
  unsealRow,
  type Vault,
  withCurrentKey,
} from "./vault.ts";

export interface CredentialRow {
  readonly id: string;
  readonly owner: string;
  readonly kind: CredentialKind;
  readonly protocol: "https" | "ssh";
  readonly host: string;
  readonly path: string;
  readonly username: string;
  readonly state: Credential["state"];
  readonly seq: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly last_used_at: Date | null;
  readonly checked_at: Date | null;
  readonly expires_at: Date | null;
}

const COLUMNS =
  "id, owner, kind, protocol, host, path, username, state, seq, created_at, updated_at, last_used_at, checked_at, expires_at";
const USERNAMES: Record<CredentialKind, string | undefined> = {
  token: "x-access-token", // what GitHub asks for, and others take
  basic: undefined,
  "ssh-key": "git",
  "github-app": "x-access-token",
};
const CREDENTIALS_MAX = 1000;

export interface CredentialWriting {
  /** Its remote has taken it. */
  readonly isChecked?: boolean | undefined;
  /** Happens together with it. */
  readonly alongside?: ((client: Queryable, id: string) => Promise<void>) | undefined;
}

/** One for an address and user name: the same again takes its place, and keeps the id that others name it by. */
export async function putCredential(
  vault: Vault,
  owner: string,
  request: Omit<NewCredential, "app" | "check_url">,
  { isChecked = false, alongside = async () => {} }: CredentialWriting = {},
): Promise<Credential> {
  const { kind, url, value, expires_at } = request;
  const scope = parseCredentialScope(kind, url);
  const username = usernameOf(request);
  return await withCurrentKey(vault, async (client, key) => {
    const { rows: made } = await client.query<{ id: string }>(
      `insert into croft.credential (id, owner, kind, protocol, host, path, username, key_id, ciphertext)
       values ($1, $2, $3, $4, $5, $6, $7, $8, '')
       on conflict (owner, protocol, host, path, username) do update set kind = excluded.kind returning id`,
      [newId(), owner, kind, scope.protocol, scope.host, scope.path, username, key.id],
    );
    await requireRoom(client, owner);
    const id = requireRow(made).id;
    const place = credentialPlace({ id, owner, kind, ...scope, username });
    const { rows } = await client.query<CredentialRow>(
      `update croft.credential set ciphertext = $2, key_id = $3, seq = seq + 1, updated_at = croft.now(),
         state = case when $5 then 'working' else 'unchecked' end, checked_at = case when $5 then croft.now() end,
         expires_at = $4, warned_days = null
       where id = $1 returning ${COLUMNS}`,
      [id, seal(key, place, value), key.id, expires_at ?? null, isChecked],
    );
    const row = requireRow(rows);
    await alongside(client, id);
    await tellVault(client, row, "credential.changed", { url: urlOfScope(row) });
    return credentialOf(row);
  });
}

export function usernameOf({
  kind,
  username = USERNAMES[kind],
}: Pick<NewCredential, "kind" | "username">): string {
  if (username !== undefined && username !== "") return username;
  throw new EngineError("invalid-input", "not valid: username is needed");
}

/** The cursor is the last id of the page before. */
export async function listCredentials(
  { pool }: Database,
  scope: Scope,
  { owner, cursor, limit }: SecretQuery,
): Promise<CredentialList> {
  const { rows } = await pool.query<CredentialRow>(
    `select ${COLUMNS} from croft.credential
     where ($1::text is null or owner = $1) and ($2::text is null or owner = $2) and ($3::uuid is null or id < $3)
     order by id desc limit $4`,
    [scope.owner ?? null, owner ?? null, cursor ?? null, limit + 1],
  );
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return { credentials: rows.slice(0, limit).map(credentialOf), next_cursor: last?.id ?? null };
}

/** A foreign one is not there: nobody learns that it exists. */
export async function removeCredential(
  database: Database,
  scope: Scope,
  id: string,
): Promise<void> {
  // The watches that name it lose it in the same moment; somebody may be at one of them.
  await despiteDeadlocks(() =>
    inTransaction(database, async (client) => {
      const { rows } = await client.query<CredentialRow>(
        `delete from croft.credential where id = $1 and ($2::text is null or owner = $2) returning ${COLUMNS}`,
        [id, scope.owner ?? null],
      );
      const row = requireRow(rows);
      const subject = { ...row, seq: row.seq + 1 };
      await tellVault(client, subject, "credential.removed", { url: urlOfScope(row) });
    }),
  );
}

export interface OpenCredential {
  readonly id: string;
  readonly kind: CredentialKind;
  readonly username: string;
  /** For this moment's use: it belongs in no row, log, event, error or command line. */
  readonly value: string;
}

/** The one with the longest path, and of these the newest; undefined when the owner has none for this remote. */
export async function openCredential(
  vault: Pick<Vault, "database" | "keys">,
  owner: string,
  remote: RemoteUrl,
): Promise<OpenCredential | undefined> {
  return await openBest(vault, owner, remote, undefined);
}

/** The one that a job or watch names. A credential is never used for a remote that it is not for. */
export async function openCredentialById(
  vault: Pick<Vault, "database" | "keys">,
  owner: string,
  { id, remote }: { readonly id: string; readonly remote: RemoteUrl },
): Promise<OpenCredential> {
  const opened = await openBest(vault, owner, remote, id);
  if (opened !== undefined) return opened;
  throw new EngineError("not-found", "there is no such credential for this repository");
}

/** What the remote said to it. */
export async function markCredential(
  { pool }: Database,
  id: string,
  state: "working" | "refused",
): Promise<void> {
  await pool.query(
    "update croft.credential set state = $2, checked_at = croft.now() where id = $1",
    [id, state],
  );
}

type CredentialSubject = Pick<
  CredentialRow,
  "id" | "owner" | "kind" | "protocol" | "host" | "path" | "username"
>;

/** All that says what the value is: whoever can change the row cannot have it sent to another host. */
export function credentialPlace(row: CredentialSubject): SealedPlace {
  const { id, owner, kind, protocol, host, path, username } = row;
  return ["credential", id, owner, kind, protocol, host, path, username];
}

async function openBest(
  { database, keys }: Pick<Vault, "database" | "keys">,
  owner: string,
  remote: RemoteUrl,
  id: string | undefined,
): Promise<OpenCredential | undefined> {
  return await onceMoreWithoutKey(async () => {
    const { rows } = await database.pool.query<CredentialRow & SealedRow>(
      `select ${COLUMNS}, key_id, ciphertext from croft.credential
       where owner = $1 and protocol = $2 and host = $3 and ($4::uuid is null or id = $4)
         and (expires_at is null or expires_at > croft.now())
       order by length(path) desc, updated_at desc, id desc`,
      [owner, remote.protocol, remote.host, id ?? null],
    );
    const row = rows.find((each) => isFor(each, remote));
    if (row === undefined) return undefined;
    const value = await unsealRow(keys, credentialPlace(row), row);
    await database.pool.query(
      `update croft.credential set last_used_at = croft.now()
       where id = $1 and (last_used_at is null or last_used_at < croft.now() - interval '1 minute')`,
      [row.id],
    );
    return { id: row.id, kind: row.kind, username: row.username, value };
  });
}

/** Counted with the new one, so that an old one can always be replaced. */
async function requireRoom(client: Queryable, owner: string): Promise<void> {
  const { rows } = await client.query<{ count: number }>(
    "select count(*)::int as count from croft.credential where owner = $1",
    [owner],
  );
  if ((rows[0]?.count ?? 0) <= CREDENTIALS_MAX) return;
  const message = `an owner may have ${CREDENTIALS_MAX} credentials: remove some`;
  throw new EngineError("invalid-input", message);
}

function requireRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new EngineError("not-found", "there is no such credential");
  return row;
}

function credentialOf(row: CredentialRow): Credential {
  const { id, owner, kind, username, state } = row;
  return {
    ...{ id, owner, kind, username, state },
    url: urlOfScope(row),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    checked_at: row.checked_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
  };
}
