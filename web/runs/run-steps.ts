// The steps of a run, each with the items of its matrix, and the one that is looked at.
import type { RunDetail, RunStep } from "@croft/contract";
import type { StepSearch } from "./run-search.ts";

export interface StepGroup {
  readonly step: RunStep;
  /** Of its matrix, in order; none for a plain step. */
  readonly items: readonly RunStep[];
}

/** In the order of the file. */
export function stepGroups(steps: readonly RunStep[]): StepGroup[] {
  const groups = new Map<string, { step: RunStep; items: RunStep[] }>();
  for (const step of steps) {
    if (step.item === null) groups.set(step.step, { step, items: [] });
  }
  for (const step of steps) {
    if (step.item !== null) groups.get(step.step)?.items.push(step);
  }
  return [...groups.values()];
}

export interface ChosenStep extends StepGroup {
  /** The step itself, or one item of it. */
  readonly shown: RunStep;
}

/** What the address names; else what a reader most likely wants to see, which changes as the run goes on. */
export function chosenStep(
  groups: readonly StepGroup[],
  { step, item }: StepSearch,
): ChosenStep | undefined {
  const group = groups.find((each) => each.step.step === step);
  if (group === undefined) return step === undefined ? telling(groups) : undefined;
  const shown = item === undefined ? group.step : group.items.find((each) => each.item === item);
  return { ...group, shown: shown ?? group.step };
}

const order = ["failed", "waiting", "running", "queued"] as const;

function telling(groups: readonly StepGroup[]): ChosenStep | undefined {
  for (const status of order) {
    const group = groups.find((each) => each.step.status === status);
    if (group === undefined) continue;
    const item = group.items.find((each) => each.status === status);
    return { ...group, shown: status === "failed" ? (item ?? group.step) : group.step };
  }
  const last = groups.findLast(({ step }) => step.status === "done") ?? groups[0];
  return last === undefined ? undefined : { ...last, shown: last.step };
}

/** What somebody looks for in a long table; the rest stays in its order. */
export function failedFirst(items: readonly RunStep[]): RunStep[] {
  const isFailed = ({ status }: RunStep) => status === "failed";
  return [...items.filter(isFailed), ...items.filter((item) => !isFailed(item))];
}

/** `3 of 8 items`, or undefined without a matrix. */
export function itemsWords({ items }: StepGroup): string | undefined {
  if (items.length === 0) return undefined;
  const ended = items.filter(({ finished_at }) => finished_at !== null).length;
  const failed = items.filter(({ status }) => status === "failed").length;
  const words = items.length === 1 ? "item" : "items";
  const count =
    ended === items.length ? `${ended} ${words}` : `${ended} of ${items.length} ${words}`;
  return failed === 0 ? count : `${count}, ${failed} failed`;
}

/** Has begun at least once since the last retry: a step that was put back keeps the time of its last start. */
export function hasBegun({ status, started_at }: RunStep): boolean {
  return started_at !== null && !["pending", "queued", "skipped"].includes(status);
}

export function waitingSteps({ steps }: RunDetail): RunStep[] {
  return steps.filter(({ kind, status }) => kind === "approval" && status === "waiting");
}
