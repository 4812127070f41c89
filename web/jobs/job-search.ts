// The filters of the list of jobs, as they stand in the address.
import type { JobStatus } from "@croft/contract";

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
    type: text(search["type"]),
    owner: text(search["owner"]),
    key: text(search["key"]),
    source_task_id: text(search["source_task_id"]),
    cursor: text(search["cursor"]),
    bulk: text(search["bulk"]),
  };
}

/** Which jobs are meant, on whatever page. */
export function filterOf({ status, type, owner, key, source_task_id }: JobSearch) {
  return { status, type, owner, key, source_task_id };
}

export function hasFilter(search: JobSearch): boolean {
  return Object.values(filterOf(search)).some((value) => value !== undefined);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value.slice(0, 200) : undefined;
}
