// What a checkout has only on request: submodules, the files of Git LFS, other repositories.
import { DEFAULT_IDENTITY } from "../checkout/lay-out-repository.ts";
import type { Mirror } from "../mirror/mirror.ts";
import type { CommitId } from "../remote/commit-id.ts";
import { addRepositories, type FurtherPlace } from "./add-repositories.ts";
import { fetchLfs } from "./fetch-lfs.ts";
import { fillSubmodules } from "./fill-submodules.ts";
import type { WorkspacePlan } from "./workspace-request.ts";

/** Before anything of a job has run in it: afterwards no git of ours opens its `.git`. `source` has the commit. */
export async function completeCheckout(
  place: Omit<FurtherPlace, "identity">,
  source: Mirror,
  commit: CommitId,
  plan: WorkspacePlan,
): Promise<void> {
  const { submodules: rules, lfs, access = {}, identity = DEFAULT_IDENTITY } = plan;
  if (rules !== undefined) {
    await fillSubmodules({ ...place, rules, access, identity }, source, commit);
  }
  if (lfs) await fetchLfs(place, source.remote, access);
  await addRepositories({ ...place, identity }, plan.repositories ?? []);
}
