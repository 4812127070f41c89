// What the App must be allowed and told at GitHub for everything that Croft does.

export interface NeededPermission {
  /** As the API calls it. */
  key: string;
  /** As GitHub's form calls it. */
  name: string;
  access: "read" | "write";
  why: string;
}

export const neededPermissions: readonly NeededPermission[] = [
  { key: "metadata", name: "Metadata", access: "read", why: "names of repositories" },
  { key: "contents", name: "Contents", access: "write", why: "clone, fetch, publish branches" },
  {
    key: "pull_requests",
    name: "Pull requests",
    access: "write",
    why: "changed files, open and update pull requests",
  },
  { key: "issues", name: "Issues", access: "write", why: "comments" },
  { key: "checks", name: "Checks", access: "write", why: "check runs" },
];

/** As GitHub's form calls them; those about installations are sent to every App. */
export const usualEvents = [
  "Push",
  "Pull request",
  "Pull request review",
  "Pull request review comment",
  "Issues",
  "Issue comment",
  "Check run",
  "Check suite",
] as const;

/** Null: nobody told what the account has granted. */
export function missingPermissions(
  granted: Readonly<Record<string, string>> | null,
): readonly NeededPermission[] {
  if (granted === null) return [];
  return neededPermissions.filter(({ key, access }) => {
    const given = granted[key];
    return given !== "admin" && given !== "write" && given !== access;
  });
}

export function accessWords(access: string): string {
  return access === "write" ? "read and write" : access === "read" ? "read-only" : access;
}
