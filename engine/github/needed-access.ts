// What the GitHub App must be allowed, and which events it must be sent, for everything that Croft does there.
import type { Permissions } from "./route-permissions.ts";

export const NEEDED_PERMISSIONS: Permissions = {
  metadata: "read", // which repositories there are
  contents: "write", // workspaces, and branches that are published
  pull_requests: "write", // opened and updated for published branches
  issues: "write", // comments, also those on pull requests
  checks: "write", // one for each run of a pipeline
};

/** Those about installations are sent to every App. */
export const NEEDED_EVENTS: readonly string[] = [
  ...["push", "pull_request", "pull_request_review", "pull_request_review_comment"],
  ...["issues", "issue_comment", "check_run", "check_suite"],
];

/** Each with the level that is needed: `checks: write`. */
export function missingPermissions(granted: Permissions): string[] {
  return Object.entries(NEEDED_PERMISSIONS)
    .filter(([name, level]) => granted[name] !== "write" && granted[name] !== level)
    .map(([name, level]) => `${name}: ${level}`);
}

export function missingEvents(subscribed: readonly string[]): string[] {
  return NEEDED_EVENTS.filter((name) => !subscribed.includes(name));
}
