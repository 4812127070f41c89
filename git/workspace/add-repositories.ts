// Checks out further repositories inside a workspace, before anything of a job has run in it.
import { appendFileSync, lchownSync, lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { checkOut } from "../checkout/check-out.ts";
import {
  type Identity,
  layOutRepository,
  linkPacks,
  makeOwned,
  packBytes,
  writeOwned,
} from "../checkout/lay-out-repository.ts";
import { measureTree, type TreeLimits } from "../checkout/measure-tree.ts";
import type { DiskAdmission } from "../disk/disk-admission.ts";
import type { RepositoryLocks } from "../lock/repository-lock.ts";
import type { EnsuredMirror, Mirrors } from "../mirror/mirror.ts";
import { resolveRef } from "../remote/resolve-ref.ts";
import { escapeOf } from "../remote/submodule-path.ts";
import type { JobUser } from "../sandbox/job-user.ts";
import { remoteRefs } from "../template/build-template.ts";
import { copyPacks } from "./make-checkout.ts";
import { WorkspaceError } from "./workspace-error.ts";
import type { FurtherRepository } from "./workspace-request.ts";

export interface FurtherPlace {
  readonly path: string;
  readonly owner: JobUser | undefined;
  /** For links to packs while they are copied. */
  readonly parts: string;
  readonly mirrors: Mirrors;
  readonly locks: RepositoryLocks;
  readonly admission: DiskAdmission;
  readonly limits?: TreeLimits | undefined;
  readonly identity: Identity;
  readonly signal?: AbortSignal | undefined;
}

/** Their paths are ignored by the workspace's own repository, so that they are no part of what it records. */
export async function addRepositories(
  place: FurtherPlace,
  repositories: readonly FurtherRepository[],
): Promise<void> {
  for (const further of repositories) {
    requireFreePath(place.path, further.path);
    const { repository, ref, access = {} } = further;
    const reaching = { ...access, signal: place.signal ?? access.signal };
    const resolved = await resolveRef(repository, ref, reaching);
    const mirror = await place.mirrors.ensure(repository, resolved, reaching);
    await checkOutAt(place, further.path, mirror);
    exclude(place, further.path);
  }
}

/** Neither anything there, nor a link on the way: it could lead out of the workspace. */
function requireFreePath(root: string, path: string): void {
  const fault = escapeOf(path);
  if (fault !== undefined) throw refused(path, fault);
  const parts = path.split("/");
  for (let depth = 1; depth <= parts.length; depth++) {
    const found = lstatSync(join(root, ...parts.slice(0, depth)), { throwIfNoEntry: false });
    if (found === undefined) return;
    if (!found.isDirectory()) throw refused(path, "something else is on the way");
  }
  throw refused(path, "something is there already");
}

/** A clone of its own: no link leads into an overlay, so its packs are copied. */
async function checkOutAt(plan: FurtherPlace, path: string, mirror: EnsuredMirror): Promise<void> {
  const { owner, locks, identity, signal, parts } = plan;
  const packs = join(mirror.gitDir, "objects/pack");
  const size = await measureTree(mirror.gitDir, mirror.commit, plan.limits);
  const need = { files: size.files, bytes: size.bytes + packBytes(packs) };
  await plan.admission.admit(`a repository of ${need.files} files`, need, async () => {
    const root = makeBelow(plan.path, path, owner);
    const gitDir = join(root, ".git");
    const head = { commit: mirror.commit };
    layOutRepository({ gitDir, head, remote: mirror.remote, identity, owner });
    const linked = join(parts, "packs");
    makeOwned(linked, owner);
    const request = { purpose: "link packs into a workspace", signal };
    await locks.hold(mirror.gitDir, request, async ({ descriptor }) => {
      linkPacks(packs, linked);
      writeOwned(join(gitDir, "packed-refs"), await remoteRefs(mirror, [descriptor]), owner);
    });
    await copyPacks(linked, join(gitDir, "objects/pack"));
    await checkOut({ path: root, owner, signal }, mirror.commit);
  });
}

function makeBelow(root: string, path: string, owner: JobUser | undefined): string {
  const parts = path.split("/");
  for (let depth = 1; depth <= parts.length; depth++) {
    makeOwned(join(root, ...parts.slice(0, depth)), owner);
  }
  return join(root, ...parts);
}

/** From the top, as it is written: what means something in a pattern is escaped. */
function exclude({ path, owner }: FurtherPlace, excluded: string): void {
  const file = join(path, ".git/info/exclude");
  makeOwned(dirname(file), owner);
  const pattern = excluded.replaceAll(/[\\*?[\]!# ]/g, "\\$&");
  appendFileSync(file, `/${pattern}/\n`);
  if (owner !== undefined) lchownSync(file, owner.uid, owner.gid);
}

function refused(path: string, why: string): WorkspaceError {
  const shown = path.slice(0, 80).replaceAll(/\p{C}/gu, "?");
  return new WorkspaceError(
    "invalid-request",
    `cannot check a repository out at '${shown}': ${why}`,
  );
}
