// Which files an event changed; undefined when nobody can tell all of them.
import type { Log } from "../log.ts";
import type { GithubEvent } from "./github-event.ts";
import type { AskGithub } from "./github-parts.ts";
import { listAt, textAt, valueAt } from "./payload-parts.ts";

export interface PathParts {
  readonly github?: AskGithub | undefined;
  readonly log: Log;
}

/** GitHub lists so many commits in a payload, and no more. */
const COMMITS_MAX = 2048;
/** Of a comparison. */
const COMPARED_MAX = 300;
const PULL_FILES_MAX = 3000;
const PAGE = 100;
const NOBODY = /^0+$/;

export async function changedPaths(
  parts: PathParts,
  event: GithubEvent,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  if (event.name === "push") return await pushedPaths(parts, event, signal);
  return event.pullRequest === undefined ? undefined : await pullPaths(parts, event, signal);
}

async function pushedPaths(
  parts: PathParts,
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
  parts: PathParts,
  event: GithubEvent,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const { payload, repository } = event;
  const [before = "", after = ""] = [textAt(payload, "before"), textAt(payload, "after")];
  const from = NOBODY.test(before) ? repository?.defaultBranch : before;
  const route = "GET /repos/{owner}/{repo}/compare/{basehead}";
  const answer = await ask(parts, event, { route, basehead: `${from}...${after}`, signal });
  const files = listAt(answer, "files");
  return answer === undefined || files.length >= COMPARED_MAX ? undefined : namesOf(files);
}

async function pullPaths(
  parts: PathParts,
  event: GithubEvent,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const route = "GET /repos/{owner}/{repo}/pulls/{pull_number}/files";
  const found: string[] = [];
  for (let page = 1; page * PAGE <= PULL_FILES_MAX; page++) {
    const more = { pull_number: event.pullRequest, per_page: PAGE, page };
    const files = await ask(parts, event, { route, ...more, signal });
    if (!Array.isArray(files)) return undefined;
    for (const name of namesOf(files)) found.push(name);
    if (files.length < PAGE) return found;
  }
  return undefined; // there may be more
}

/** Undefined when there is nobody to ask, or the App may not: that is told, and the event counts. */
async function ask(
  { github, log }: PathParts,
  { installation, repository, id }: GithubEvent,
  { route, signal, ...parameters }: { route: string; signal: AbortSignal; [name: string]: unknown },
): Promise<unknown> {
  if (github === undefined || installation === undefined || repository === undefined) {
    log.warn(
      { inbox: id },
      "no App is configured to ask for changed files: 'paths' are not applied",
    );
    return undefined;
  }
  const [owner, repo] = repository.fullName.split("/");
  try {
    return await github.ask<unknown>({
      ...{ installation, repository: repository.fullName, route, signal },
      parameters: { owner, repo, ...parameters },
    });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    log.warn(
      { err: error, inbox: id },
      "GitHub does not tell changed files: 'paths' are not applied",
    );
    return undefined;
  }
}

/** It would say the same the next time. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== "GithubError") return false;
  const { status, isRateLimit } = error as { status?: number; isRateLimit?: boolean };
  return isRateLimit !== true && status !== undefined && [403, 404, 410, 422].includes(status);
}

function namesOf(files: readonly unknown[]): string[] {
  return files.flatMap((file) =>
    [textAt(file, "filename"), textAt(file, "previous_filename")].filter(isText),
  );
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
