// The filters of the list of runs and the chosen step of one, as they stand in the address.
import type { RunStatus } from "@croft/contract";
import { searchText } from "../search-text.ts";

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
    name: searchText(search["name"]),
    cursor: searchText(search["cursor"]),
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
  return { step: searchText(search["step"]), item: searchText(search["item"]) };
}
