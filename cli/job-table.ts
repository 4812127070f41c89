// Jobs in rows: for people on a terminal, else as lines whose fields are divided by tabs.
import type { AnyJob, Job } from "@croft/contract";
import pc from "picocolors";
import { plainText } from "./terminal-text.ts";

const STATUS_COLOURS: Record<Job["status"], (text: string) => string> = {
  queued: pc.yellow,
  running: pc.cyan,
  done: pc.green,
  failed: pc.red,
  cancelled: pc.dim,
};
const HEADINGS = ["ID", "STATUS", "TYPE", "KEY", "OWNER", "AGE", ""] as const;
const STATUS_COLUMN = HEADINGS.indexOf("STATUS");
/** Keys and owners may have 200 characters. */
const CELL_LENGTH_MAX = 32;

/** For programs: id, status, type, key, owner, time of creation, and what there is to say. */
export function jobLines(jobs: readonly AnyJob[]): string {
  const lines = jobs.map((job) =>
    [job.id, job.status, job.type, job.key ?? "", job.owner, job.created_at, noteOf(job)]
      .map(plainText)
      .join("\t"),
  );
  return lines.map((line) => `${line}\n`).join("");
}

/** For people; the last column is cut where the terminal ends. */
export function jobTable(jobs: readonly AnyJob[], columns: number, now = Date.now()): string {
  const rows = jobs.map((job) => [
    job.id,
    job.status,
    ...[job.type, job.key ?? "-", job.owner].map((text) => cut(plainText(text), CELL_LENGTH_MAX)),
    ageOf(job.created_at, now),
    plainText(noteOf(job)),
  ]);
  const widths = HEADINGS.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const left = columns - widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
  const lineOf = (row: readonly string[], colour: (text: string, column: number) => string) =>
    row
      .map((text, column) =>
        column === HEADINGS.length - 1
          ? cut(text, Math.max(left, 0))
          : colour(text.padEnd(widths[column] ?? 0), column),
      )
      .join("  ")
      .trimEnd();
  const head = pc.dim(lineOf(HEADINGS, (text) => text));
  const body = rows.map((row, index) =>
    lineOf(row, (text, column) => {
      const status = jobs[index]?.status;
      return column === STATUS_COLUMN && status !== undefined ? STATUS_COLOURS[status](text) : text;
    }),
  );
  return [head, ...body].map((line) => `${line}\n`).join("");
}

/** Why it waits, how far it is, or why it failed. */
export function noteOf({ status, waiting_for, position, progress, error, run_at, ...job }: AnyJob) {
  if (status === "queued") return waitOf({ waiting_for, position, run_at });
  if (status === "running") {
    if (job.cancel_requested) return "asked to end";
    const { fraction = null, note = null } = progress ?? {};
    const share = fraction === null ? [] : [`${Math.round(fraction * 100)} %`];
    return [...share, ...(note === null ? [] : [note])].join(" ");
  }
  return status === "failed" ? (error?.message ?? "") : "";
}

function waitOf({
  waiting_for,
  position,
  run_at,
}: Pick<Job, "waiting_for" | "position" | "run_at">) {
  if (waiting_for === null) return "";
  if (waiting_for === "time") return `waits until ${run_at}`;
  if (waiting_for === "line") return "waits for earlier work";
  const place = position === null ? "" : `, place ${position > 1000 ? "1,000+" : position}`;
  return `waits for ${waiting_for}${place}`;
}

export function ageOf(time: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(time)) / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 2 * 86_400
    ? `${Math.floor(seconds / 3600)}h`
    : `${Math.floor(seconds / 86_400)}d`;
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  return length < 2 ? "" : `${text.slice(0, length - 1)}…`;
}
