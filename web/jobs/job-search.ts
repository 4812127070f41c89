// The filters of the list of jobs, as they stand in the address.
import type { JobStatus } from "@croft/contract";
import { searchText } from "../search-text.ts";

export const jobStatuses = [
  "queued",
  "running",
  "done",
  "failed",
  "cancelled",
] as const satisfies readonly JobStatus[];

export interface JobSearch {
  status?: JobStatus | undefined;
  type?: string | undefined;
  owner?: string | undefined;
  key?: string | undefined;
  source_task_id?: string | undefined;
  cursor?: string | undefined;
  /** A bulk action whose progress is shown. */
  bulk?: string | undefined;
}

/** Everything is there, with or without a value: the router would pass an unchecked one on instead. */
export function jobSearch(search: Record<string, unknown>): JobSearch {
  return {
    status: jobStatuses.find((status) => status === search["status"]),
    type: searchText(search["type"]),
    owner: searchText(search["owner"]),
    key: searchText(search["key"]),
    source_task_id: searchText(search["source_task_id"]),
    cursor: searchText(search["cursor"]),
    bulk: searchText(search["bulk"]),
  };
}

/** Which jobs are meant, on whatever page. */
export function filterOf({ status, type, owner, key, source_task_id }: JobSearch) {
  return { status, type, owner, key, source_task_id };
}

export function hasFilter(search: JobSearch): boolean {
  return Object.values(filterOf(search)).some((value) => value !== undefined);
}
