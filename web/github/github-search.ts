// The filters of the list of GitHub's events, as they stand in the address.
import type { GithubEventStatus } from "@croft/contract";
import { searchText } from "../search-text.ts";

export const eventStatuses = [
  "pending",
  "handled",
  "ignored",
  "failed",
] as const satisfies readonly GithubEventStatus[];

/** To choose from; others can be in the address. */
export const eventNames = [
  "check_run",
  "check_suite",
  "installation",
  "installation_repositories",
  "issue_comment",
  "issues",
  "ping",
  "pull_request",
  "pull_request_review",
  "pull_request_review_comment",
  "push",
  "release",
  "repository",
] as const;

export interface GithubSearch {
  status?: GithubEventStatus | undefined;
  installation?: string | undefined;
  event?: string | undefined;
  cursor?: string | undefined;
}

/** Everything is there, with or without a value: the router would pass an unchecked one on instead. */
export function githubSearch(search: Record<string, unknown>): GithubSearch {
  return {
    status: eventStatuses.find((status) => status === search["status"]),
    installation: matching(search["installation"], /^[1-9]\d{0,14}$/),
    event: matching(search["event"], /^[a-z_]{1,100}$/),
    cursor: matching(search["cursor"], /^\d{1,18}$/),
  };
}

/** Which are meant, on whatever page. */
export function githubFilter({ status, installation, event }: GithubSearch) {
  return {
    ...{ status, event },
    installation: installation === undefined ? undefined : Number(installation),
  };
}

export function hasFilter(search: GithubSearch): boolean {
  return Object.values(githubFilter(search)).some((value) => value !== undefined);
}

/** What cannot be asked for is as if it was not there. */
function matching(value: unknown, pattern: RegExp): string | undefined {
  const text = searchText(value);
  return text !== undefined && pattern.test(text) ? text : undefined;
}
