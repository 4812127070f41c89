// Which permissions a request to GitHub needs: a token is asked for with these and no others.

export type Permissions = Readonly<Record<string, "read" | "write">>;

/** The first that fits; what changes something writes. */
const NEEDED: readonly [RegExp, string][] = [
  [/^\/repos\/[^/]+\/[^/]+\/pulls(\/|$)/, "pull_requests"],
  [/^\/repos\/[^/]+\/[^/]+\/issues(\/|$)/, "issues"],
  [/^\/repos\/[^/]+\/[^/]+\/check-(runs|suites)(\/|$)/, "checks"],
  [/^\/repos\/[^/]+\/[^/]+\/commits\/[^/]+\/check-(runs|suites)$/, "checks"],
  [/^\/repos\/[^/]+\/[^/]+\/(git|contents|commits|compare|branches|merges)(\/|$)/, "contents"],
  [/^\/repos\/[^/]+\/[^/]+$/, "metadata"],
  [/^\/installation\/repositories$/, "metadata"],
  [/^\/rate_limit$/, "metadata"],
];

/** `route` as octokit's: `GET /repos/{owner}/{repo}/pulls`. */
export function permissionsOf(route: string): Permissions {
  const [method = "GET", path = ""] = route.split(" ");
  const [, name] = NEEDED.find(([pattern]) => pattern.test(path)) ?? [];
  if (name === undefined) throw new TypeError(`no permission is known for '${route}': name it`);
  return { [name]: method === "GET" || method === "HEAD" ? "read" : "write" };
}
