// What a checkout has only on request: submodules, and the files of Git LFS.
import { DEFAULT_IDENTITY } from "../checkout/lay-out-repository.ts";
import type { Mirror } from "../mirror/mirror.ts";
import type { CommitId } from "../remote/commit-id.ts";
import { fetchLfs } from "./fetch-lfs.ts";
import { fillSubmodules, type SubmodulePlan } from "./fill-submodules.ts";
import type { WorkspacePlan } from "./workspace-request.ts";

type Place = Pick<SubmodulePlan, "path" | "owner" | "signal" | "parts" | "mirrors" | "locks">;

/** Before anything of a job has run in it: afterwards no git of ours opens its `.git`. */
export async function completeCheckout(
  place: Place,
  source: Mirror,
  commit: CommitId,
  { submodules: rules, lfs, access = {}, identity = DEFAULT_IDENTITY }: WorkspacePlan,
): Promise<void> {
  if (rules !== undefined) {
    await fillSubmodules({ ...place, rules, access, identity }, source, commit);
  }
  if (lfs) await fetchLfs(place, source.remote, access);
}
