// Puts the submodules of a commit into a checkout, on request only, and before anything of a job has run in it.
import { join } from "node:path";
import { type CheckoutPlace, checkOut } from "../checkout/check-out.ts";
import {
  type Identity,
  layOutRepository,
  linkPacks,
  makeOwned,
} from "../checkout/lay-out-repository.ts";
import { GitError } from "../command/git-error.ts";
import type { RepositoryLocks } from "../lock/repository-lock.ts";
import type { Mirror, Mirrors } from "../mirror/mirror.ts";
import type { CommitId } from "../remote/commit-id.ts";
import { readSubmodules, type SubmoduleRules } from "../remote/read-submodules.ts";
import type { RemoteAccess } from "../remote/remote-access.ts";
import { resolveRef } from "../remote/resolve-ref.ts";
import { copyPacks } from "./make-checkout.ts";

export interface SubmodulePlan extends CheckoutPlace {
  readonly mirrors: Mirrors;
  readonly locks: RepositoryLocks;
  readonly rules: SubmoduleRules;
  readonly access: RemoteAccess;
  readonly identity: Identity;
  /** For links to packs while they are copied. */
  readonly parts: string;
}

const DEPTH_MAX = 5;

/**
 * Each has its own mirror, and the caller's own credential must show its commit there too. Tokens are for the parent's
 * host; a submodule of another (allowed) host is read without one.
 */
export async function fillSubmodules(
  plan: SubmodulePlan,
  parent: Mirror,
  commit: CommitId,
  depth = 1,
): Promise<void> {
  const { mirrors, rules } = plan;
  const submodules = await readSubmodules(parent, commit, rules);
  if (submodules.length > 0 && depth > DEPTH_MAX) {
    throw new GitError("rejected", `submodules are nested deeper than ${DEPTH_MAX}`, {
      command: "submodule",
    });
  }
  for (const { path, remote, commit: wanted } of submodules) {
    const access = remote.host === parent.remote.host ? plan.access : withoutToken(plan.access);
    const mirror = await mirrors.ensure(remote, await resolveRef(remote, wanted, access), access);
    const inside = { ...plan, path: join(plan.path, path) };
    await checkOutSubmodule(inside, mirror, wanted);
    await fillSubmodules({ ...inside, access }, mirror, wanted, depth + 1);
  }
}

/** With a `.git` of its own in its directory, as git had it before 1.7.8 and still takes it. */
async function checkOutSubmodule(plan: SubmodulePlan, mirror: Mirror, commit: CommitId) {
  const { path, owner, locks, identity, signal } = plan;
  const gitDir = join(path, ".git");
  const layout = { gitDir, head: { commit }, remote: mirror.remote, identity, owner };
  makeOwned(path, owner); // the empty directory is there already, unless git left it out
  layOutRepository(layout);
  const linked = join(plan.parts, "packs");
  makeOwned(linked, owner);
  await locks.hold(mirror.gitDir, { purpose: "link packs into a submodule", signal }, async () => {
    linkPacks(join(mirror.gitDir, "objects/pack"), linked);
  });
  await copyPacks(linked, join(gitDir, "objects/pack")); // no link leads into an overlay
  await checkOut({ path, owner, signal }, commit);
}

function withoutToken({ tokens: _, ssh, ...access }: RemoteAccess): RemoteAccess {
  return { ...access, ssh: ssh && { ...ssh, key: undefined } };
}
