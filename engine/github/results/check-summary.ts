// A run in the words of a check run: how its steps stand, as a table that GitHub shows.
import type { Pipeline } from "@croft/pipeline";
import type { RunRow, StepRow } from "../../runs/run-rows.ts";
import type { Conclusion } from "./put-check-run.ts";

type ShownRun = Pick<RunRow, "status" | "error" | "started_at">;
type ShownStep = Pick<
  StepRow,
  "step" | "item" | "status" | "reason" | "error" | "summary" | "message" | "is_group"
> & { readonly started_at: Date | null; readonly finished_at: Date | null };

export interface CheckSummary {
  readonly status: "queued" | "in_progress" | "completed";
  readonly conclusion: Conclusion | undefined;
  readonly title: string;
  readonly summary: string;
  readonly text: string | undefined;
}

/** A step with very many items would leave no room for the others. */
const ROWS_MAX = 250;
const REMARK_LENGTH_MAX = 200;
const NOTES_LENGTH_MAX = 4000;

export function checkSummary(
  run: ShownRun,
  pipeline: Pick<Pipeline, "steps">,
  rows: readonly ShownStep[],
  notes: readonly string[] = [],
): CheckSummary {
  const conclusion = CONCLUSION_OF[run.status];
  const isUnbegun = run.status === "queued" && run.started_at === null;
  const names = new Map(pipeline.steps.map(({ id, name }) => [id, name]));
  const place = new Map(pipeline.steps.map(({ id }, index) => [id, index]));
  const ordered = [...rows].sort(
    (a, b) =>
      (place.get(a.step) ?? 0) - (place.get(b.step) ?? 0) ||
      Number(a.item !== "") - Number(b.item !== "") ||
      a.item.localeCompare(b.item),
  );
  const lines = ordered.map((row) => lineOf(row, names.get(row.step) ?? row.step));
  const left = lines.length - ROWS_MAX;
  const more = left > 0 ? `\n… and ${left} more\n` : "";
  const table = ["| Step | Result | Time |", "|---|---|---|", ...lines.slice(0, ROWS_MAX)];
  const said = notes.map((note) => `- ${escaped(note)}`).join("\n");
  return {
    status: conclusion !== undefined ? "completed" : isUnbegun ? "queued" : "in_progress",
    conclusion,
    title: titleOf(run, ordered),
    summary: `${table.join("\n")}\n${more}${said === "" ? "" : `\n${said.slice(0, NOTES_LENGTH_MAX)}\n`}`,
    text: textOf(ordered, names),
  };
}

const CONCLUSION_OF: Readonly<Partial<Record<RunRow["status"], Conclusion>>> = {
  done: "success",
  failed: "failure",
  cancelled: "cancelled",
};

function titleOf(run: ShownRun, rows: readonly ShownStep[]): string {
  const steps = rows.filter(({ item }) => item === "");
  const ended = steps.filter(({ finished_at }) => finished_at !== null).length;
  switch (run.status) {
    case "queued":
      return "It waits for its turn";
    case "waiting": {
      const asked = rows.find(({ status }) => status === "waiting");
      return asked === undefined ? "It waits" : `Step '${asked.step}' waits for an approval`;
    }
    case "done":
      return `${steps.length === 1 ? "1 step" : `${steps.length} steps`}, all ended well`;
    case "failed": {
      const failed = steps.filter(({ status }) => status === "failed").map(({ step }) => step);
      if (failed.length === 0) return run.error?.message ?? "It failed";
      return `${failed.length === 1 ? "Step" : "Steps"} ${quoted(failed)} failed`;
    }
    case "cancelled":
      return "It was cancelled";
    default:
      return `${ended} of ${steps.length} steps ended`;
  }
}

const NAMED_MAX = 3;

function quoted(steps: readonly string[]): string {
  const named = steps.slice(0, NAMED_MAX).map((step) => `'${step}'`);
  const left = steps.length - named.length;
  return `${named.join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
}

const MARKS: Readonly<Record<StepRow["status"], string>> = {
  pending: "○",
  running: "●",
  waiting: "●",
  done: "✓",
  failed: "✗",
  skipped: "–",
  cancelled: "–",
};

function lineOf(row: ShownStep, name: string): string {
  const { item, status, error, reason, message } = row;
  const shown = item === "" ? escaped(name) : `&nbsp;&nbsp;${escaped(item)}`;
  const why = error?.message ?? reason ?? (status === "waiting" ? message : null);
  const remark = why === null || why === "" ? "" : `: ${escaped(cut(why))}`;
  return `| ${shown} | ${MARKS[status]} ${status}${remark} | ${timeOf(row)} |`;
}

function timeOf({ started_at, finished_at }: ShownStep): string {
  if (started_at === null || finished_at === null) return "";
  const seconds = Math.max(0, finished_at.getTime() - started_at.getTime()) / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${Math.floor(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** What steps wrote to $CROFT_SUMMARY is Markdown already. */
function textOf(
  rows: readonly ShownStep[],
  names: ReadonlyMap<string, string>,
): string | undefined {
  const parts = rows.flatMap(({ step, item, summary }) => {
    if (summary === null || summary.trim() === "") return [];
    const name = `${names.get(step) ?? step}${item === "" ? "" : ` (${item})`}`;
    return [`### ${escaped(name)}\n\n${summary.trim()}\n`];
  });
  return parts.length === 0 ? undefined : parts.join("\n");
}

function cut(text: string): string {
  return text.length <= REMARK_LENGTH_MAX ? text : `${text.slice(0, REMARK_LENGTH_MAX - 1)}…`;
}

/** One cell: whatever a message says is shown as it is, and mentions nobody. */
function escaped(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/[\\`*_[\]|~]/g, "\\$&")
    .replaceAll("@", "@\u200b");
}
