// The ways to get a checkout of a commit, Croft's and the usual ones: each made and taken away by one call.
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { git as plainGit } from "../../test/support/make-repository.ts";
import type { BenchRepository } from "./bench-repository.ts";
import { diskUsed } from "./disk-used.ts";

export const SLOW_WAYS = ["clone", "clone_shared", "worktree_add", "clone_depth1", "cp"] as const;
export type Way = "overlay" | (typeof SLOW_WAYS)[number];

export interface Checkout {
  diskBytes(): number;
  /** As a caller waits for it. */
  remove(): Promise<void>;
  /** Nothing of it is on the disk any more. */
  gone(): Promise<void>;
}

export async function checkOutBy(way: Way, repository: BenchRepository): Promise<Checkout> {
  const { origin, url, original, places } = repository;
  const path = join(places, randomUUID());
  switch (way) {
    case "overlay":
    case "clone":
      return await byCroft(way, repository);
    case "clone_shared":
      await plainGit([...PARALLEL, "clone", "--quiet", "--shared", origin, path]);
      break;
    case "clone_depth1":
      await plainGit(["clone", "--quiet", "--depth=1", url, path]);
      break;
    case "cp":
      await execute("cp", ["-a", original, path]);
      break;
    case "worktree_add":
      await plainGit(["--git-dir", origin, "worktree", "add", "--quiet", "--detach", path, "main"]);
      return checkoutAt(path, () =>
        plainGit(["--git-dir", origin, "worktree", "remove", "--force", path]),
      );
  }
  return checkoutAt(path, () => execute("rm", ["-rf", path]));
}

/** As the clone kind checks out. */
const PARALLEL = [
  ...["-c", `checkout.workers=${availableParallelism()}`],
  ...["-c", "checkout.thresholdForParallelism=100"],
];

const execute = promisify(execFile);

async function byCroft(
  kind: "overlay" | "clone",
  { git, mirror, commits }: BenchRepository,
): Promise<Checkout> {
  const plan = { name: "bench", owner: { owner: "bench", jobId: "bench", attempt: 1 }, kind };
  const workspace = await git.workspaces.createAt(mirror, commits[0], plan);
  const { workspaces } = git.directories;
  const places = [workspace.path, join(workspaces, ".parts", workspace.id)];
  return {
    diskBytes: () => places.reduce((sum, place) => sum + diskUsed(place), 0),
    remove: () => workspace.remove(),
    gone: () => git.workspaces.idle(),
  };
}

function checkoutAt(path: string, remove: () => Promise<unknown>): Checkout {
  return {
    diskBytes: () => diskUsed(path),
    remove: async () => {
      await remove();
    },
    gone: async () => {},
  };
}
