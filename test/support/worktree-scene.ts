// A developer's checkout, a data directory of ours, and other processes that work on both.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, lchownSync, readdirSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import { type GitDirectories, openGitDirectories } from "../../git/disk/git-directories.ts";
import { RepositoryLocks } from "../../git/lock/repository-lock.ts";
import { FileLedger } from "../../git/workspace/ledger.ts";
import type { KeptThing } from "../../git/worktree/clear-worktree.ts";
import { Worktrees } from "../../git/worktree/worktrees.ts";
import { projectRoot } from "../../scripts/source-files.ts";
import { git, makeRepository } from "./make-repository.ts";
import { scratchDirectory } from "./scratch-directory.ts";

export const OWNER = { owner: "local", runId: "run-1" };

export async function worktreeScene(files = 20) {
  const root = await scratchDirectory();
  const origin = await makeRepository(root, "origin", { files, commits: 2 });
  const repository = join(root, "checkout");
  await git(["clone", "--quiet", origin, repository]);
  const commonDir = join(repository, ".git");
  const head = await git(["rev-parse", "HEAD"], repository);
  return {
    root,
    origin,
    repository,
    commonDir,
    head,
    ...(await openWorktrees(join(root, "data"))),
  };
}

export async function openWorktrees(data: string) {
  const directories = await openGitDirectories(data, true);
  const kept: KeptThing[] = [];
  const ledger = new FileLedger(join(directories.workspaces, ".ledger"));
  const worktrees = new Worktrees({
    directories,
    locks: new RepositoryLocks(directories.locks),
    ledger,
    onKept: (thing) => void kept.push(thing),
  });
  return { data, directories, ledger, worktrees, kept };
}

/** Everything a worktree could leave, in the repository and in the data directory. */
export function leftovers(commonDir: string, { workspaces, trash, staging }: GitDirectories) {
  return [
    ...namesIn(join(commonDir, "worktrees")),
    ...namesIn(workspaces).filter((name) => !name.startsWith(".")),
    ...namesIn(join(workspaces, ".ledger")),
    ...namesIn(join(workspaces, ".parts")),
    ...namesIn(trash),
    ...namesIn(staging),
    ...lockFilesBelow(commonDir),
  ];
}

function namesIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}

function lockFilesBelow(commonDir: string): string[] {
  return readdirSync(commonDir, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".lock") && name !== "croft.lock",
  );
}

/**
 * Another process with `worktrees` on the same data directory, `ledger`, `owner` and `repository`; what it prints is read
 * by the caller. A wrapper runs it as somebody else, who sees the project elsewhere.
 */
export function workElsewhere(
  data: string,
  repository: string,
  work: string,
  { wrapper = [] as readonly string[], project = projectRoot } = {},
): ChildProcess {
  const url = (path: string) => JSON.stringify(pathToFileURL(join(project, path)).href);
  const script = `import { gitDirectories } from ${url("git/disk/git-directories.ts")};
    import { RepositoryLocks } from ${url("git/lock/repository-lock.ts")};
    import { FileLedger } from ${url("git/workspace/ledger.ts")};
    import { Worktrees } from ${url("git/worktree/worktrees.ts")};
    const [data, repository] = process.argv.slice(1);
    const directories = gitDirectories(data);
    const ledger = new FileLedger(directories.workspaces + "/.ledger");
    const locks = new RepositoryLocks(directories.locks);
    const worktrees = new Worktrees({ directories, locks, ledger });
    const owner = { owner: "local", runId: "elsewhere" };
    ${work}`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", script, data, repository];
  const [program = "", ...rest] = [...wrapper, process.execPath, ...args];
  const child = spawn(program, rest, {
    cwd: projectRoot,
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** All of it belongs to that user then. */
export function giveTree(path: string, uid: number): void {
  const below = readdirSync(path, { recursive: true, encoding: "utf8" });
  for (const name of ["", ...below]) lchownSync(join(path, name), uid, uid);
}

export async function exitCode(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const [code] = await once(child, "exit");
  return code;
}

/** Every checkout takes for ever: filters are the repository's own, and do run. */
export async function stallCheckouts(repository: string): Promise<() => Promise<void>> {
  const attributes = join(repository, ".git/info/attributes");
  await git(["config", "filter.stall.smudge", "sleep 120"], repository);
  await git(["config", "filter.stall.required", "true"], repository);
  await writeFile(attributes, "* filter=stall\n");
  return async () => await rm(attributes);
}
