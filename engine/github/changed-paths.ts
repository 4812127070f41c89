// Which files an event changed; undefined when nobody can tell all of them.
import { type AskingParts, askAboutEvent } from "./ask-about-event.ts";
import type { GithubEvent } from "./github-event.ts";
import { listAt, textAt, valueAt } from "./payload-parts.ts";

/** GitHub lists so many commits in a payload, and no more. */
const COMMITS_MAX = 2048;
/** Of a comparison. */
const COMPARED_MAX = 300;
const PULL_FILES_MAX = 3000;
const PAGE = 100;
const NOBODY = /^0+$/;

export async function changedPaths(
  parts: AskingParts,
  event: GithubEvent,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  if (event.name === "push") return await pushedPaths(parts, event, signal);
  return event.pullRequest === undefined ? undefined : await pullPaths(parts, event, signal);
}

async function pushedPaths(
  parts: AskingParts,
  event: GithubEvent,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const { payload } = event;
  if (valueAt(payload, "forced") === true) return undefined; // what it took away is in none of its commits
  const commits = listAt(payload, "commits");
  const size = valueAt(payload, "size");
  const isCut =
    commits.length >= COMMITS_MAX || (typeof size === "number" && size > commits.length);
  if (isCut) return await comparedPaths(parts, event, signal);
  return commits.flatMap((commit) =>
    ["added", "modified", "removed"].flatMap((name) => listAt(commit, name).filter(isText)),
  );
}

async function comparedPaths(
  parts: AskingParts,
  event: GithubEvent,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const { payload, repository } = event;
  const [before = "", after = ""] = [textAt(payload, "before"), textAt(payload, "after")];
  const from = NOBODY.test(before) ? repository?.defaultBranch : before;
  const route = "GET /repos/{owner}/{repo}/compare/{basehead}";
  const answer = await askAboutEvent(parts, event, {
    route,
    basehead: `${from}...${after}`,
    signal,
  });
  const files = listAt(answer, "files");
  return answer === undefined || files.length >= COMPARED_MAX ? undefined : namesOf(files);
}

async function pullPaths(
  parts: AskingParts,
  event: GithubEvent,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const route = "GET /repos/{owner}/{repo}/pulls/{pull_number}/files";
  const found: string[] = [];
  for (let page = 1; page * PAGE <= PULL_FILES_MAX; page++) {
    const more = { pull_number: event.pullRequest, per_page: PAGE, page };
    const files = await askAboutEvent(parts, event, { route, ...more, signal });
    if (!Array.isArray(files)) return undefined;
    for (const name of namesOf(files)) found.push(name);
    if (files.length < PAGE) return found;
  }
  return undefined; // there may be more
}

function namesOf(files: readonly unknown[]): string[] {
  return files.flatMap((file) =>
    [textAt(file, "filename"), textAt(file, "previous_filename")].filter(isText),
  );
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
