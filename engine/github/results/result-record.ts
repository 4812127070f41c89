// What the database knows of one thing at GitHub: opened before anything is sent, settled when it is known to be there.
import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { inTransaction, type Queryable } from "../../database/in-transaction.ts";
import type { Database } from "../../database/open-database.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import { newId } from "../../new-id.ts";

export type ResultKind = "comment" | "pull-request" | "check";

/** Which thing is meant: the same place twice is the same thing. */
export interface ResultPlace {
  /** What it lives and dies with; of a pull request's own comments nothing. */
  readonly of:
    | { readonly runId: string }
    | { readonly jobId: string }
    | { readonly pullRequest: number };
  readonly kind: ResultKind;
  readonly name: string;
  readonly owner: string;
  /** `owner/name`. */
  readonly repository: string;
}

export interface ResultRow {
  readonly id: string;
  readonly number: number | undefined;
  readonly remoteId: number | undefined;
  readonly url: string | undefined;
  readonly digest: string | undefined;
  readonly state: Readonly<Record<string, unknown>>;
  readonly isOpen: boolean;
  readonly createdAt: Date;
}

/** Sent now. `isOpen` says how it was found: then what was sent last may have arrived. */
export interface OpenResult extends ResultRow {
  readonly write: number;
}

/** Who sends. */
export interface Writer {
  readonly signal: AbortSignal;
  /** Undefined: somebody whom something else keeps from being two. */
  readonly attempt: { readonly id: string; readonly attempt: number } | undefined;
  /** Throws when what it does counts no more. In the transaction in which it is noted that something is sent. */
  requireCurrent(client: Queryable): Promise<void>;
}

export interface Settled {
  readonly number?: number | undefined;
  /** Undefined: there is none. */
  readonly remoteId: number | undefined;
  readonly url: string;
  readonly digest: string;
  readonly state?: Readonly<Record<string, unknown>>;
}

export const NAME_LENGTH_MAX = 200;
/** A request takes up to half a minute, and is made several times. */
const BUSY_MS_MAX = 300_000;
const BUSY_LOOK_EVERY_MS = 250;

export function digestOf(content: unknown): string {
  return createHash("sha256").update(JSON.stringify(content)).digest("hex");
}

export async function readResult(
  client: Queryable,
  place: ResultPlace,
): Promise<ResultRow | undefined> {
  const { rows } = await client.query<StoredResult>(
    `select ${COLUMNS} from croft.github_result where subject = $1 and kind = $2 and name = $3`,
    [subjectOf(place), place.kind, place.name],
  );
  return rows[0] === undefined ? undefined : rowOf(rows[0]);
}

/** What another shows, and an older request may have undone. */
export interface LeftResult {
  readonly state: ResultRow["state"];
  readonly writes: number;
}

/** From here on nobody else may send it while this writer counts. While another sends it, this one waits. */
export async function openResult(
  database: Database,
  writer: Writer,
  place: ResultPlace,
  identity: ResultRow["state"] = {},
): Promise<OpenResult> {
  if (place.name.length > NAME_LENGTH_MAX) {
    const message = `its name has ${place.name.length} characters: at most ${NAME_LENGTH_MAX}`;
    throw new JobFailure("invalid", "invalid-value", message);
  }
  const giveUpAt = performance.now() + BUSY_MS_MAX;
  for (;;) {
    writer.signal.throwIfAborted();
    const open = await inTransaction(database, (client) =>
      openUnlessBusy(client, writer, place, identity),
    );
    if (open !== undefined) return open;
    if (performance.now() > giveUpAt) {
      const message = "another job has been writing the same to GitHub for minutes";
      throw new JobFailure("transient", "github-busy", message);
    }
    await delay(BUSY_LOOK_EVERY_MS, undefined, { signal: writer.signal });
  }
}

/** Undefined: another sends it. */
async function openUnlessBusy(
  client: Queryable,
  writer: Writer,
  place: ResultPlace,
  identity: ResultRow["state"],
): Promise<OpenResult | undefined> {
  await writer.requireCurrent(client);
  await makeRow(client, place, identity);
  const { rows } = await client.query<StoredResult>(
    `select ${COLUMNS} from croft.github_result
     where subject = $1 and kind = $2 and name = $3 for update`,
    [subjectOf(place), place.kind, place.name],
  );
  const [stored] = rows;
  if (stored === undefined) throw new Error("a result of GitHub's was removed at this moment");
  if (await isBusy(client, stored, writer)) return undefined;
  await client.query(
    `update croft.github_result set is_open = true, writes = writes + 1, updated_at = croft.now(),
       writer_id = $2, writer_attempt = $3 where id = $1`,
    [stored.id, writer.attempt?.id ?? null, writer.attempt?.attempt ?? null],
  );
  return { ...rowOf(stored), write: stored.writes + 1 };
}

/** False when another has sent it since, or was sending when this one came in between. */
export async function settleResult(
  { pool }: Database,
  { id, write }: OpenResult,
  { number, remoteId, url, digest, state = {} }: Settled,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update croft.github_result set is_open = false, number = $3, remote_id = $4, url = $5, digest = $6, state = $7,
       updated_at = croft.now()
     where id = $1 and writes = $2`,
    [id, write, number ?? null, remoteId ?? null, url, digest, JSON.stringify(state)],
  );
  return rowCount === 1;
}

/** For whoever sends no longer and could not settle it; what it returns is to be sent once more. */
export async function leaveResult(
  { pool }: Database,
  { id, write }: OpenResult,
  { attempt }: Writer,
): Promise<LeftResult | undefined> {
  const { rows } = await pool.query<LeftResult>(
    "select state, writes from croft.leave_result($1, $2, $3, $4)",
    [id, write, attempt?.id ?? null, attempt?.attempt ?? null],
  );
  return rows[0];
}

interface StoredResult {
  readonly id: string;
  readonly number: string | null;
  readonly remote_id: string | null;
  readonly url: string | null;
  readonly digest: string | null;
  readonly state: Readonly<Record<string, unknown>>;
  readonly is_open: boolean;
  readonly writes: number;
  readonly writer_id: string | null;
  readonly writer_attempt: number | null;
  readonly created_at: Date;
}

const COLUMNS =
  "id, number, remote_id, url, digest, state, is_open, writes, writer_id, writer_attempt, created_at";

function rowOf(stored: StoredResult): ResultRow {
  const numberOf = (text: string | null) => (text === null ? undefined : Number(text));
  return {
    id: stored.id,
    number: numberOf(stored.number),
    remoteId: numberOf(stored.remote_id),
    url: stored.url ?? undefined,
    digest: stored.digest ?? undefined,
    state: stored.state,
    isOpen: stored.is_open,
    createdAt: stored.created_at,
  };
}

async function makeRow(
  client: Queryable,
  place: ResultPlace,
  identity: ResultRow["state"],
): Promise<void> {
  const { of, kind, name, owner, repository } = place;
  await client.query(
    `insert into croft.github_result (id, subject, kind, name, owner, repository, run_id, job_id, state)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (subject, kind, name) do nothing`,
    [
      ...[newId(), subjectOf(place), kind, name, owner, repository],
      ...["runId" in of ? of.runId : null, "jobId" in of ? of.jobId : null],
      JSON.stringify(identity),
    ],
  );
}

/** An attempt that sends it and still counts is let finish. Croft's own attempts before this one count no more. */
async function isBusy(
  client: Queryable,
  { is_open, writer_id, writer_attempt }: StoredResult,
  { attempt }: Writer,
): Promise<boolean> {
  if (!is_open || writer_id === null) return false;
  if (writer_id === attempt?.id && writer_attempt === attempt.attempt) return false;
  const { rowCount } = await client.query(
    "select from croft.job where id = $1 and attempt = $2 and status = 'running'",
    [writer_id, writer_attempt],
  );
  return rowCount !== 0;
}

function subjectOf({ of, owner, repository }: ResultPlace): string {
  if ("runId" in of) return `run ${of.runId}`;
  if ("jobId" in of) return `job ${of.jobId}`;
  return `pull ${owner} ${repository.toLowerCase()}#${of.pullRequest}`;
}
