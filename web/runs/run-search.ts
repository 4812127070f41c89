// The filters of the list of runs and the chosen step of one, as they stand in the address.
import type { RunStatus } from "@croft/contract";

export const runStatuses = [
  "queued",
  "running",
  "waiting",
  "done",
  "failed",
  "cancelled",
] as const satisfies readonly RunStatus[];

export interface RunsSearch {
  status?: RunStatus | undefined;
  name?: string | undefined;
  cursor?: string | undefined;
}

/** Everything is there, with or without a value: the router would pass an unchecked one on instead. */
export function runsSearch(search: Record<string, unknown>): RunsSearch {
  return {
    status: runStatuses.find((status) => status === search["status"]),
    name: text(search["name"]),
    cursor: text(search["cursor"]),
  };
}

export function hasFilter({ status, name }: RunsSearch): boolean {
  return status !== undefined || name !== undefined;
}

/** Which step is looked at. */
export interface StepSearch {
  step?: string | undefined;
  item?: string | undefined;
}

export function stepSearch(search: Record<string, unknown>): StepSearch {
  return { step: text(search["step"]), item: text(search["item"]) };
}

/** Longer than any name, id of an item or cursor. */
const lengthMax = 300;

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value.slice(0, lengthMax) : undefined;
}
