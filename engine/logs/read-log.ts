// The log of a job, by bytes of its UTF-8 text: a part of it, or as it grows.
import type { LogPiece } from "@croft/contract";
import type { DatabaseListener } from "../database/database-listener.ts";
import type { Database } from "../database/open-database.ts";

export interface LogPart extends LogPiece {
  /** Where it begins and ends in the whole. */
  readonly startsAt: number;
  readonly endsAt: number;
  /** As it is stored: a cut inside a character shows in the text as another one, and is longer then. */
  readonly bytes: Buffer;
}

const PARTS_MAX = 64;

export async function logSize({ pool }: Database, jobId: string): Promise<number> {
  const { rows } = await pool.query<{ size: string }>(
    "select starts_at + octet_length(text) as size from croft.job_log where job_id = $1 order by seq desc limit 1",
    [jobId],
  );
  return Number(rows[0]?.size ?? 0);
}

/** From this byte on; the first part is cut where it was begun before. */
export async function readLogParts(
  { pool }: Database,
  jobId: string,
  from: number,
): Promise<LogPart[]> {
  const { rows } = await pool.query<{
    attempt: number;
    stream: LogPiece["stream"];
    starts_at: string;
    text: string;
    at: Date;
  }>({
    name: "read-log",
    text: `select attempt, stream, starts_at, text, at from croft.job_log
           where job_id = $1 and starts_at + octet_length(text) > $2 order by seq limit ${PARTS_MAX}`,
    values: [jobId, from],
  });
  return rows.map(({ attempt, stream, starts_at, text, at }) => {
    const start = Number(starts_at);
    const whole = Buffer.from(text);
    const skipped = Math.max(0, from - start);
    const bytes = whole.subarray(skipped);
    return {
      ...{ attempt, stream, at: at.toISOString(), bytes },
      text: skipped === 0 ? text : bytes.toString("utf8"),
      startsAt: start + skipped,
      endsAt: start + whole.length,
    };
  });
}

/** The bytes from `from` up to `to`, read a little at a time. */
export async function* readLogBytes(
  database: Database,
  jobId: string,
  { from, to }: { readonly from: number; readonly to: number },
): AsyncGenerator<Buffer> {
  for (let at = from; at < to; ) {
    const parts = await readLogParts(database, jobId, at);
    if (parts.length === 0) return;
    for (const { bytes, endsAt } of parts) {
      yield bytes.subarray(0, Math.max(0, to - at));
      at = endsAt;
      if (at >= to) return;
    }
  }
}

/** Calls for every part that is there and every one that comes, in order and one at a time, until the signal. */
export async function followLog(
  database: Database,
  listener: DatabaseListener,
  {
    jobId,
    from,
    signal,
  }: { readonly jobId: string; readonly from: number; readonly signal: AbortSignal },
  onPart: (part: LogPart) => Promise<void>,
  isOver: () => Promise<boolean>,
): Promise<void> {
  let wake = () => {};
  const hear = (ids: readonly string[] | "*") => {
    if (ids === "*" || ids.includes(jobId)) wake();
  };
  // The end of the job is an event; what it wrote last is in the log before.
  const deafen = [listener.hear("croft_log", hear), listener.hear("croft_event", hear)];
  signal.addEventListener("abort", () => wake(), { once: true });
  try {
    for (let at = from; !signal.aborted; ) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const isEnded = await isOver();
      const parts = await readLogParts(database, jobId, at);
      for (const part of parts) {
        if (signal.aborted) return;
        await onPart(part);
      }
      at = parts.at(-1)?.endsAt ?? at;
      if (parts.length > 0) continue;
      if (isEnded) return;
      await woken;
    }
  } finally {
    for (const stop of deafen) stop();
  }
}
