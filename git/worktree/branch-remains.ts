// What is left of a branch that a killed git was about to make: its log, and empty directories.
import { existsSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { type CallersRepository, repositoryOptions } from "./find-repository.ts";
import { readSmallFile } from "./read-small-file.ts";
import { removeFileAsOwner } from "./remove-as-owner.ts";
import { resolveCommit } from "./resolve-commit.ts";

const MESSAGE = "croft: worktree ";
const IN_USE = new Set(["ENOENT", "ENOTDIR", "ENOTEMPTY", "EEXIST"]);

/** What the branch's log says of its beginning, and so whose it is. */
export function creationMessage(id: string): string {
  return `${MESSAGE}${id}`;
}

/**
 * The log is written before the branch, and would be in the way of branches below its name. Empty directories git removes
 * itself when they are in its way; but nothing of ours is to be left.
 */
export async function removeBranchRemains(
  branch: string,
  repository: CallersRepository,
  descriptor: number,
): Promise<void> {
  const refs = join(repository.commonDir, "refs/heads");
  if (existsSync(join(refs, branch))) return;
  const options = repositoryOptions(repository, descriptor);
  if ((await resolveCommit(`refs/heads/${branch}`, options)) !== undefined) return;
  const logs = join(repository.commonDir, "logs/refs/heads");
  const log = (await readSmallFile(join(logs, branch))) ?? "";
  const lines = log.split("\n").filter((line) => line !== "");
  if (lines.length > 0 && lines.every((line) => line.includes(`\t${MESSAGE}`))) {
    removeFileAsOwner(join(logs, branch), repository.owner);
  }
  removeEmptyParents(join(refs, branch), refs);
  removeEmptyParents(join(logs, branch), logs);
}

/** As git does; whoever makes one of them at this moment makes it again. */
function removeEmptyParents(path: string, top: string): void {
  for (let directory = dirname(path); directory !== top; directory = dirname(directory)) {
    try {
      rmdirSync(directory);
    } catch (error) {
      if (IN_USE.has((error as NodeJS.ErrnoException).code ?? "")) return;
      throw error;
    }
  }
}
