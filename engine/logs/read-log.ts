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

/** Where reading goes on: after this piece, and not before this byte. */
interface LogPlace {
  readonly seq: number;
  readonly from: number;
}

const PARTS_MAX = 64;

/** From its first byte that is still there to its end. */
export async function logExtent(
  { pool }: Database,
  jobId: string,
): Promise<{ readonly from: number; readonly to: number }> {
  const { rows } = await pool.query<{ from: string; to: string }>(
    `select first.starts_at as from, last.starts_at + octet_length(last.text) as to
     from (select starts_at from croft.job_log where job_id = $1 order by seq limit 1) as first,
       (select starts_at, text from croft.job_log where job_id = $1 order by seq desc limit 1) as last`,
    [jobId],
  );
  return { from: Number(rows[0]?.from ?? 0), to: Number(rows[0]?.to ?? 0) };
}

/** Looked for from the end, where those who come back left off; from then on the pieces are read by their number. */
async function placeOf({ pool }: Database, jobId: string, from: number): Promise<LogPlace> {
  if (from === 0) return { seq: 0, from };
  const { rows } = await pool.query<{ seq: number }>(
    "select seq from croft.job_log where job_id = $1 and starts_at <= $2 order by seq desc limit 1",
    [jobId, from],
  );
  return { seq: (rows[0]?.seq ?? 1) - 1, from };
}

/** What comes next, with the place after it; the first part is cut where it was begun before. */
async function readLogParts(
  { pool }: Database,
  jobId: string,
  place: LogPlace,
): Promise<{ readonly parts: readonly LogPart[]; readonly next: LogPlace }> {
  const { rows } = await pool.query<{
    seq: number;
    attempt: number;
    stream: LogPiece["stream"];
    starts_at: string;
    text: string;
    at: Date;
  }>({
    name: "read-log",
    text: `select seq, attempt, stream, starts_at, text, at from croft.job_log
           where job_id = $1 and seq > $2 order by seq limit ${PARTS_MAX}`,
    values: [jobId, place.seq],
  });
  const parts = rows.map(({ attempt, stream, starts_at, text, at }) => {
    const start = Number(starts_at);
    const whole = Buffer.from(text);
    const skipped = Math.min(whole.length, Math.max(0, place.from - start));
    const bytes = whole.subarray(skipped);
    return {
      ...{ attempt, stream, at: at.toISOString(), bytes },
      text: skipped === 0 ? text : bytes.toString("utf8"),
      startsAt: start + skipped,
      endsAt: start + whole.length,
    };
  });
  return {
    parts: parts.filter(({ bytes }) => bytes.length > 0),
    next: { seq: rows.at(-1)?.seq ?? place.seq, from: place.from },
  };
}

/** The bytes from `from` up to `to`, read a little at a time. Fails when they are forgotten meanwhile: it never skips. */
export async function* readLogBytes(
  database: Database,
  jobId: string,
  { from, to }: { readonly from: number; readonly to: number },
): AsyncGenerator<Buffer> {
  let at = from;
  for (let place = await placeOf(database, jobId, from); at < to; ) {
    const { parts, next } = await readLogParts(database, jobId, place);
    if (next.seq === place.seq) throw new Error(`the log ends at byte ${at} instead of ${to}`);
    for (const { bytes, startsAt, endsAt } of parts) {
      if (startsAt !== at) throw new Error(`the log goes on at byte ${startsAt} instead of ${at}`);
      yield bytes.subarray(0, to - at);
      at = endsAt;
      if (at >= to) return;
    }
    place = next;
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
    let place = await placeOf(database, jobId, from);
    while (!signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const isEnded = await isOver();
      const { parts, next } = await readLogParts(database, jobId, place);
      for (const part of parts) {
        if (signal.aborted) return;
        await onPart(part);
      }
      const isMore = next.seq > place.seq;
      place = next;
      if (isMore) continue;
      if (isEnded) return;
      await woken;
    }
  } finally {
    for (const stop of deafen) stop();
  }
}
