// Where operations are killed: a remote, a developer's checkout and a data directory, and what must hold on them afterwards.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type CommitId,
  commitId,
  type Git,
  type Mirror,
  openGit,
  parseRemoteUrl,
  type RemoteUrl,
  repackMirror,
  USUAL_REFS,
} from "@croft/git";
import { findLeftovers } from "../support/find-leftovers.ts";
import { idle } from "../support/idle.ts";
import { makeRepository, git as plainGit } from "../support/make-repository.ts";
import { differences, readCheckout } from "../support/read-checkout.ts";
import { waitUntil } from "../support/wait-until.ts";
import type { Operation } from "./git-kill-driver.ts";

export interface KillScene {
  readonly data: string;
  readonly origin: string;
  readonly checkout: string;
  readonly git: Git;
  readonly remote: RemoteUrl;
  readonly mirror: Mirror;
  /** The newer first. */
  readonly commits: readonly [CommitId, CommitId];
  /** What a checkout of the newer one has. */
  readonly files: Map<string, string>;
  /** What went wrong in the background of the process that looks on. */
  readonly complaints: string[];
}

const owner = { owner: "local", runId: "next" };
const BRANCH = "fix/killed";

export async function makeKillScene(directory: string): Promise<KillScene> {
  const plan = { files: 8, commits: 2, changesPerCommit: 2 };
  const origin = await makeRepository(join(directory, "remotes"), "app", plan);
  await plainGit(["--git-dir", origin, "tag", "v1", "main~1"]);
  const checkout = join(directory, "checkout");
  await plainGit(["clone", "--quiet", origin, checkout]);
  const files = readCheckout(checkout);
  const data = join(directory, "data");
  const complaints: string[] = [];
  const git = await openGit({
    data,
    onReport: (report) => complaints.push(report),
    onBackgroundError: (what, error) => complaints.push(`${what}: ${error}`),
  });
  const remote = parseRemoteUrl(origin, { allowLocal: true });
  const mirror = await git.mirrors.fetch(remote, USUAL_REFS);
  const newer = commitId(await plainGit(["--git-dir", origin, "rev-parse", "main"]));
  const older = commitId(await plainGit(["--git-dir", origin, "rev-parse", "main~1"]));
  const commits = [newer, older] as const;
  return { data, origin, checkout, git, remote, mirror, commits, files, complaints };
}

/** As it was made: with each change another pack has come to the mirror. */
export async function restoreMirror({ git, mirror, remote }: KillScene): Promise<void> {
  rmSync(mirror.gitDir, { recursive: true, force: true });
  await git.mirrors.fetch(remote, USUAL_REFS);
}

/** So that the operation has something to do. */
export async function resetScene(scene: KillScene, operation: Operation): Promise<void> {
  const { git, mirror, origin, checkout, remote, commits } = scene;
  const [newer, older] = commits;
  const home = git.templates.directoryOf(mirror);
  const forget = (path: string) => rmSync(path, { recursive: true, force: true });
  if (operation === "mirror-create") forget(mirror.gitDir);
  else await git.mirrors.fetch(remote, USUAL_REFS);
  if (operation === "mirror-update") {
    await plainGit(["--git-dir", mirror.gitDir, "pack-refs", "--all"]);
    await changeOrigin(origin);
  }
  if (operation === "mirror-repack") await addLooseObjects(mirror.gitDir);
  if (operation === "sweep") await leaveRemains(scene);
  if (operation === "template-whole") forget(home);
  if (operation === "template-delta") {
    forget(home);
    await git.templates.get(mirror, older);
  }
  if (operation.startsWith("overlay")) await git.templates.get(mirror, newer);
  if (operation.startsWith("worktree")) {
    await plainGit(["branch", "--quiet", "-D", BRANCH], checkout).catch(() => {}); // there may be none
  }
  await idle(git);
}

/** Of a process that has never been. */
const DEAD = { pid: 4_000_000, start: "1" };

/** What somebody who was killed could have left, of every kind. */
async function leaveRemains({ git, mirror, commits }: KillScene): Promise<void> {
  const { workspaces, staging, trash } = git.directories;
  for (const kind of ["overlay", "clone"] as const) {
    const plan = { name: "remains", owner, kind };
    const { id } = await git.workspaces.createAt(mirror, commits[0], plan);
    for (const path of [`.ledger/${id}.json`, `.parts/${id}/workspace.json`]) {
      const entry = JSON.parse(readFileSync(join(workspaces, path), "utf8"));
      writeFileSync(join(workspaces, path), JSON.stringify({ ...entry, process: DEAD }));
    }
  }
  mkdirSync(join(staging, "template.4000000.1.00000000/tree"), { recursive: true });
  mkdirSync(join(trash, "doomed/deep"), { recursive: true });
  writeFileSync(join(workspaces, ".ledger/.remains-00000000.4000000.1.draft"), "{");
  writeFileSync(join(mirror.gitDir, "objects/pack/tmp_pack_000000"), "half");
  writeFileSync(join(mirror.gitDir, "packed-refs.lock"), "");
}

async function addLooseObjects(gitDir: string): Promise<void> {
  changes++;
  const tree = await plainGit(["--git-dir", gitDir, "rev-parse", "refs/remote/heads/main^{tree}"]);
  const commit = ["commit-tree", "-m", `${changes}`, tree];
  const made = await plainGit(["--git-dir", gitDir, ...commit]);
  await plainGit(["--git-dir", gitDir, "update-ref", "refs/remote/heads/loose", made]);
}

let changes = 0;

/** A branch moves, one is new, one is gone, a tag is another. */
async function changeOrigin(origin: string): Promise<void> {
  changes++;
  const inOrigin = (...args: string[]) => plainGit(["--git-dir", origin, ...args]);
  const made = await inOrigin("commit-tree", "-p", "side", "-m", `${changes}`, "main^{tree}").catch(
    () => inOrigin("commit-tree", "-p", "main", "-m", `${changes}`, "main^{tree}"),
  );
  await inOrigin("update-ref", "refs/heads/side", made);
  await inOrigin("update-ref", `refs/heads/new-${changes}`, made);
  await inOrigin("update-ref", "-d", `refs/heads/new-${changes - 1}`);
  await inOrigin("update-ref", "refs/tags/moving", made);
}

/** The same operation again, by another process, with nothing done in between. Returns what is wrong. */
export async function doNext(scene: KillScene, operation: Operation): Promise<string[]> {
  const { git, mirror, remote, origin, checkout, commits } = scene;
  if (operation === "mirror-repack") {
    await waitUntil("the orphan's lock", async () => {
      const { kind } = await repackMirror(mirror, git.locks);
      return kind !== "busy";
    });
  }
  if (operation.startsWith("mirror")) {
    await git.mirrors.fetch(remote, USUAL_REFS);
    return differences(await refsOf(origin, "refs/"), await refsOf(mirror.gitDir, "refs/remote/"));
  }
  const plan = { name: "next", owner };
  const made = operation.startsWith("worktree")
    ? await git.workspaces.createWorktree({ ...plan, repository: checkout, branch: BRANCH })
    : await git.workspaces.createAt(mirror, commits[0], {
        ...plan,
        kind: operation.startsWith("clone") ? "clone" : "overlay",
      });
  const status = ["-C", made.path, "status", "--porcelain", "--ignored"];
  const said = await plainGit(status).catch((error: Error) => error.message);
  const wrong = differences(scene.files, readCheckout(made.path)).filter((line) => !isRoot(line));
  await made.remove();
  return said === "" ? wrong : [...wrong, said];
}

/** The directory itself is private, which a plain checkout's is not. */
function isRoot(line: string): boolean {
  return line.startsWith(":");
}

async function refsOf(gitDir: string, below: string): Promise<Map<string, string>> {
  const args = ["for-each-ref", "--format=%(refname) %(objectname)", below];
  const text = await plainGit(["--git-dir", gitDir, ...args]);
  return new Map(
    text.split("\n").map((line) => {
      const [name = "", id = ""] = line.split(" ");
      return [name.replace(below, ""), id];
    }),
  );
}

const ORPHANS_MS = 10_000;

/** What is left after one sweep, once programs that outlived their starter have ended by themselves. */
export async function findTraces(scene: KillScene): Promise<string[]> {
  const { git, data, checkout, mirror, complaints } = scene;
  await idle(git);
  const hasOrphans = () => findLeftovers(data).some((what) => what.startsWith("process"));
  await waitUntil("orphans to end", () => !hasOrphans(), ORPHANS_MS);
  const { kept, failed } = await git.sweep();
  await idle(git);
  const repositories = [mirror.gitDir, join(checkout, ".git")];
  return [
    ...findLeftovers(data, repositories),
    ...wishesIn(git.directories.mirrors),
    ...readdirSync(join(git.directories.locks, "lives")).slice(1), // but our own
    ...[...kept, ...failed].map(({ path, reason }) => `${path}: ${reason}`),
    ...complaints.splice(0),
    ...(await damageIn(repositories)),
  ];
}

function wishesIn(mirrors: string): string[] {
  const directories = readdirSync(mirrors).filter((name) => name.endsWith(".wanted"));
  return directories.flatMap((name) => readdirSync(join(mirrors, name)));
}

async function damageIn(repositories: readonly string[]): Promise<string[]> {
  const found = repositories.map((path) =>
    plainGit(["--git-dir", path, "fsck", "--strict", "--no-dangling"]).catch(
      (error: Error) => error.message,
    ),
  );
  return (await Promise.all(found)).filter((said) => said !== "");
}
