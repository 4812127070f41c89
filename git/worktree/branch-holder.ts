// Finds the worktree that has a branch checked out: ours, the developer's, or the main checkout.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type RunGitOptions, runGit } from "../command/run-git.ts";
import { readSmallFile } from "./read-small-file.ts";
import { WorktreeError } from "./worktree-error.ts";

/** Throws `branch-in-use`. Also for a branch that does not exist yet, if some HEAD names it already. */
export async function requireFree(
  branch: string,
  commonDir: string,
  options: RunGitOptions,
): Promise<void> {
  const path = await findHolder(branch, options);
  if (path !== undefined) {
    const isGone = !existsSync(path);
    const wayOut = isGone ? ", which is gone: 'git worktree prune' may free it" : "";
    throw inUse(branch, path, `is checked out at '${path}'${wayOut}`);
  }
  await requireFinished(branch, commonDir);
}

/** Where it is checked out; undefined when nowhere. */
export async function findHolder(
  branch: string,
  options: RunGitOptions,
): Promise<string | undefined> {
  const { stdout } = await runGit(["worktree", "list", "--porcelain", "-z"], options);
  const holder = recordsOf(stdout.toString("utf8")).find(
    (record) => record.get("branch") === `refs/heads/${branch}`,
  );
  return holder?.get("worktree");
}

/** Throws `branch-in-use` while a rebase or bisect will return to it. */
export async function requireFinished(branch: string, commonDir: string): Promise<void> {
  for (const gitDir of gitDirs(commonDir)) {
    const doing = await unfinishedOn(branch, gitDir);
    if (doing !== undefined) throw inUse(branch, gitDir, `is being ${doing} in '${gitDir}'`);
  }
}

export function inUse(branch: string, path: string, what: string): WorktreeError {
  return new WorktreeError("branch-in-use", `branch '${branch}' ${what}`, { branch, path });
}

/** Fields end with NUL, a record with an empty field. */
function recordsOf(text: string): Map<string, string>[] {
  return text
    .split("\0\0")
    .filter((record) => record !== "")
    .map((record) => new Map(record.split("\0").map(fieldOf)));
}

function fieldOf(line: string): [name: string, value: string] {
  const at = line.indexOf(" ");
  return at === -1 ? [line, ""] : [line.slice(0, at), line.slice(at + 1)];
}

function gitDirs(commonDir: string): string[] {
  const worktrees = join(commonDir, "worktrees");
  const names = existsSync(worktrees) ? readdirSync(worktrees) : [];
  return [commonDir, ...names.map((name) => join(worktrees, name))];
}

/** A rebase or bisect detaches HEAD and returns to its branch: git counts that as checked out, its list does not tell. */
async function unfinishedOn(branch: string, gitDir: string): Promise<string | undefined> {
  for (const name of ["rebase-merge/head-name", "rebase-apply/head-name"]) {
    const text = await readSmallFile(join(gitDir, name));
    if (text?.trim() === `refs/heads/${branch}`) return "rebased";
  }
  const bisected = await readSmallFile(join(gitDir, "BISECT_START"));
  return bisected?.trim() === branch ? "bisected" : undefined;
}
