// Sends one thing to GitHub so that the newest word is the last there: whoever was overtaken on the way puts that right.
import type { Database } from "../../database/open-database.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import type { Log } from "../../log.ts";
import {
  leaveResult,
  type OpenResult,
  openResult,
  type ResultPlace,
  type ResultRow,
  type Settled,
  settleResult,
  type Writer,
} from "./result-record.ts";
import type { Target } from "./result-target.ts";

export interface ResultParts {
  readonly database: Database;
  readonly log: Log;
  readonly target: Target;
  readonly writer: Writer;
}

export interface Sending<Wish, T> {
  /** Which thing it is at GitHub, for whoever finds a row that was never settled. */
  readonly identity?: ResultRow["state"];
  /** What is shown, kept for `restore`; undefined: others see to it. */
  readonly kept: Wish | undefined;
  readonly send: (open: OpenResult) => Promise<{ readonly settled: Settled; readonly value: T }>;
  /** The same with what somebody else wished. */
  readonly restore: (parts: ResultParts, kept: Wish) => Promise<unknown>;
}

/** Each time because somebody who counts no more came in between: there cannot be many. */
const SENDS_MAX = 5;
const RESTORE_MS = 60_000;

export async function writeResult<Wish, T>(
  parts: ResultParts,
  place: ResultPlace,
  sending: Sending<Wish, T>,
): Promise<T> {
  const { database, log, writer } = parts;
  let open: OpenResult | undefined;
  try {
    for (let nth = 0; nth < SENDS_MAX; nth++) {
      open = await openResult(database, writer, place, sending.identity);
      const { settled, value } = await sending.send(open);
      const state = { ...settled.state, kept: sending.kept };
      if (await settleResult(database, open, { ...settled, state })) return value;
    }
    throw new JobFailure("transient", "github-busy", "others kept writing the same to GitHub");
  } catch (error) {
    if (open === undefined) throw error;
    await leave(parts, open, sending).catch((failure: unknown) => {
      const { repository } = parts.target;
      const told =
        "what GitHub shows may be older than it should be: the next who writes it sends it again";
      log.warn({ err: failure, repository, kind: place.kind, name: place.name }, told);
    });
    throw error;
  }
}

/** A request of somebody taken for dead may arrive after those of who took over: then that one's words are said again. */
async function leave<Wish, T>(
  parts: ResultParts,
  open: OpenResult,
  { restore }: Sending<Wish, T>,
): Promise<void> {
  const left = await leaveResult(parts.database, open, parts.writer);
  const kept = left?.state["kept"] as Wish | undefined;
  if (left === undefined || kept === undefined) return;
  await restore({ ...parts, writer: restorer(open.id, left.writes) }, kept);
}

/** It says what counts already, so it need not be current itself; but nobody may have said more. */
function restorer(id: string, writes: number): Writer {
  return {
    signal: AbortSignal.timeout(RESTORE_MS), // whoever asked may have been stopped
    attempt: undefined,
    requireCurrent: async (client) => {
      const { rowCount } = await client.query(
        "select from croft.github_result where id = $1 and writes = $2 for update",
        [id, writes],
      );
      if (rowCount !== 1) throw new JobFailure("lost", "stale", "another has written it since");
    },
  };
}
