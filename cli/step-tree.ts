// A run as a tree of its steps, a line each: how they stand, and how long they take.
import type { RunDetail, RunStep } from "@croft/contract";
import pc from "picocolors";
import { durationText } from "./duration-text.ts";
import { plainText } from "./terminal-text.ts";
import { clipText } from "./text-width.ts";

export interface TreeSize {
  readonly columns: number;
  /** As many lines as there are without it. */
  readonly lines?: number | undefined;
}

export interface TreeMoment {
  /** By the server's clock. */
  readonly nowMs: number;
  /** Counts up; moves the signs of what runs. */
  readonly frame: number;
}

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** What is shown rather than the rest where there is too little room: the smaller, the sooner. */
const URGENCY: Readonly<Record<RunStep["status"], number>> = {
  ...{ failed: 0, waiting: 1, running: 2, cancelled: 3, queued: 4 },
  ...{ pending: 6, done: 7, skipped: 8 },
};
const ITEM_IS_LESS = 0.5;

export function stepTree(run: RunDetail, size: TreeSize, moment: TreeMoment): string[] {
  const head = `${pc.bold(plainText(run.name))} #${run.number}`;
  const rows = run.steps.map((step) => ({
    text: lineOf(run, step, moment),
    urgency: URGENCY[step.status] + (step.item === null ? 0 : ITEM_IS_LESS),
  }));
  const shown = fitting(rows, size.lines === undefined ? undefined : size.lines - 1);
  return [head, ...shown].map((line) => clipText(line, size.columns));
}

/** In their order; the last line says how many were left out. */
function fitting(
  rows: readonly { readonly text: string; readonly urgency: number }[],
  linesMax = rows.length,
): string[] {
  if (rows.length <= linesMax) return rows.map(({ text }) => text);
  const room = Math.max(0, linesMax - 1);
  const chosen = new Set([...rows].sort((a, b) => a.urgency - b.urgency).slice(0, room));
  const left = pc.dim(`  … ${rows.length - chosen.size} more`);
  return [...rows.filter((row) => chosen.has(row)).map(({ text }) => text), left];
}

function lineOf(run: RunDetail, step: RunStep, moment: TreeMoment): string {
  const indent = step.item === null ? "" : "  ";
  const name = plainText(step.item ?? step.step);
  const words = [
    ...progressOf(run, step),
    ...(step.attempt !== null && step.attempt > 1 ? [`attempt ${step.attempt}`] : []),
    ...tookOf(step, moment),
  ];
  const notes = words.length === 0 ? "" : pc.dim(` ${words.join(", ")}`);
  const why = whyOf(run, step);
  return `${indent}${signOf(step, moment)} ${name}${notes}${why === "" ? "" : `  ${why}`}`;
}

function signOf({ status }: RunStep, { frame }: TreeMoment): string {
  switch (status) {
    case "running":
      return pc.cyan(SPINNER[frame % SPINNER.length] ?? "");
    case "waiting":
      return pc.yellow("?");
    case "done":
      return pc.green("✓");
    case "failed":
      return pc.red("✗");
    case "cancelled":
      return pc.yellow("■");
    case "skipped":
      return pc.dim("–");
    case "queued":
      return pc.dim("○");
    case "pending":
      return pc.dim("·");
  }
}

/** Of a step with a matrix. */
function progressOf({ steps }: RunDetail, { step, item }: RunStep): string[] {
  const items = item === null ? steps.filter((one) => one.step === step && one.item !== null) : [];
  if (items.length === 0) return [];
  const ended = items.filter(({ finished_at }) => finished_at !== null).length;
  return [`${ended} of ${items.length}`];
}

function tookOf({ started_at, finished_at, status }: RunStep, { nowMs }: TreeMoment): string[] {
  if (started_at === null || status === "queued" || status === "pending") return [];
  const endMs = finished_at === null ? nowMs : Date.parse(finished_at);
  return [durationText(endMs - Date.parse(started_at))];
}

function whyOf(run: RunDetail, { status, step, error, reason, message }: RunStep): string {
  if (status === "waiting") {
    const answer = pc.yellow(`croft approve ${run.id} ${plainText(step)}`);
    return message === null ? answer : `${answer}  ${plainText(message)}`;
  }
  if (status === "failed" && error !== null) return pc.red(plainText(error.message));
  return reason === null ? "" : pc.dim(plainText(reason));
}
