// Where several refs of a remote stand, in one question to it.
import { type CommitId, commitId } from "./commit-id.ts";
import { type RemoteRef, readRemoteRefs } from "./read-remote-refs.ts";
import { isRefName } from "./ref-name.ts";
import type { RemoteAccess } from "./remote-access.ts";
import type { RemoteUrl } from "./remote-url.ts";

export interface Tip {
  readonly commit: CommitId;
  /** In full: of the default branch, its name. */
  readonly ref: string;
}

/**
 * By the names that were asked for: a full ref, a short name (branches first, then tags), or '' for the default branch.
 * What the remote does not show to this credential is not among them.
 */
export async function readTips(
  remote: RemoteUrl,
  names: readonly string[],
  access: RemoteAccess = {},
): Promise<Map<string, Tip>> {
  const seen = new Map<string, RemoteRef>();
  const asked = new Set(names.flatMap(candidatesOf));
  await readRemoteRefs(remote, [...asked], access, (ref) => seen.set(ref.name, ref));
  const tips = new Map<string, Tip>();
  for (const name of names) {
    for (const candidate of candidatesOf(name).filter((each) => !each.endsWith("^{}"))) {
      const found = seen.get(`${candidate}^{}`) ?? seen.get(candidate);
      if (found === undefined) continue;
      const { target } = found;
      const ref = candidate === "HEAD" && target !== undefined ? target : candidate;
      tips.set(name, { commit: commitId(found.id), ref });
      break;
    }
  }
  return tips;
}

function candidatesOf(name: string): string[] {
  if (name === "") return ["HEAD"];
  if (!isRefName(name)) return [];
  const full = name.startsWith("refs/") ? [name] : [`refs/heads/${name}`, `refs/tags/${name}`];
  return full.flatMap((each) => [each, `${each}^{}`]);
}
