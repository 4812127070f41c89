// A remote on a real server, a data directory with mirrors, and other processes that use the same.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished } from "vitest";
import { gitDirectories, openGitDirectories } from "../../git/disk/git-directories.ts";
import { RepositoryLocks } from "../../git/lock/repository-lock.ts";
import { Mirrors } from "../../git/mirror/mirror.ts";
import { wishesOf } from "../../git/mirror/wishes.ts";
import { parseRemoteUrl, type RemoteUrl } from "../../git/remote/remote-url.ts";
import { projectRoot } from "../../scripts/source-files.ts";
import { startGitServer } from "./git-server.ts";
import { git, makeRepository, type RepositoryPlan } from "./make-repository.ts";
import { scratchDirectory } from "./scratch-directory.ts";

export async function mirrorScene(plan: Partial<RepositoryPlan> = {}) {
  const root = await scratchDirectory();
  const origin = await makeRepository(join(root, "remotes"), "app", {
    files: 20,
    commits: 3,
    odd: true,
    ...plan,
  });
  const server = await startGitServer(join(root, "remotes"));
  const remote = parseRemoteUrl(server.url("app"), { allowHttp: [server.host] });
  const data = join(root, "data");
  const directories = await openGitDirectories(data, false);
  const { mirrors, locks, backgroundErrors } = openMirrors(data);
  return {
    ...{ root, origin, server, remote, data, directories, mirrors, locks, backgroundErrors },
    gitDir: mirrors.pathOf(remote),
    /** How many gits have come, each with one question for what the server can do; without tokens. */
    commands: () => server.requests.filter(({ line }) => line.startsWith("GET")).length,
    idOf: (name: string) => git(["--git-dir", origin, "rev-parse", name]),
    set: (ref: string, to: string) => git(["--git-dir", origin, "update-ref", ref, to]),
    /** A commit that no other is like, on top of `parent`, with no ref. */
    newCommit: async (parent: string, message = "new") => {
      const tree = await git(["--git-dir", origin, "rev-parse", `${parent}^{tree}`]);
      return await git(["--git-dir", origin, "commit-tree", "-m", message, "-p", parent, tree]);
    },
  };
}

export function openMirrors(data: string) {
  const locks = new RepositoryLocks(join(data, "locks"));
  const backgroundErrors: unknown[] = [];
  const onBackgroundError = (error: unknown) => backgroundErrors.push(error);
  const mirrors = new Mirrors(gitDirectories(data), locks, { onBackgroundError });
  return { mirrors, locks, backgroundErrors };
}

/** Another process with the same mirrors. `body` is the inside of an async function; it has `mirrors`, `remote`, `resolveRef`, `USUAL_REFS`. */
export function mirrorProcess(data: string, remote: RemoteUrl, body: string): ChildProcess {
  const url = (path: string) => JSON.stringify(pathToFileURL(join(projectRoot, path)).href);
  const script = `
    import { gitDirectories } from ${url("git/disk/git-directories.ts")};
    import { RepositoryLocks } from ${url("git/lock/repository-lock.ts")};
    import { Mirrors } from ${url("git/mirror/mirror.ts")};
    import { USUAL_REFS } from ${url("git/mirror/update-mirror.ts")};
    import { parseRemoteUrl } from ${url("git/remote/remote-url.ts")};
    import { resolveRef } from ${url("git/remote/resolve-ref.ts")};
    const [data, address, host] = process.argv.slice(1);
    const mirrors = new Mirrors(gitDirectories(data), new RepositoryLocks(data + "/locks"));
    const remote = parseRemoteUrl(address, { allowHttp: [host] });
    ${body}`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", script];
  const child = spawn(process.execPath, [...args, data, remote.text, remote.host], {
    cwd: projectRoot,
    stdio: "inherit",
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  return child;
}

/** How many callers, of any process, want something fetched into this mirror. */
export function wishCount(gitDir: string): number {
  const names = existsSync(wishesOf(gitDir)) ? readdirSync(wishesOf(gitDir)) : [];
  return names.filter((name) => name.endsWith(".json")).length;
}

export const refsOf = (gitDir: string, pattern = "refs/") =>
  git(["--git-dir", gitDir, "for-each-ref", "--format=%(objectname) %(refname)", pattern]);

/** The mirror has exactly the remote's refs, under names of its own, and all that belongs to them. */
export async function expectSame(origin: string, gitDir: string): Promise<void> {
  const there = await refsOf(origin);
  expect(await refsOf(gitDir)).toBe(there.replaceAll(" refs/", " refs/remote/"));
  expect(await git(["--git-dir", gitDir, "fsck", "--strict", "--no-dangling"])).toBe("");
}
