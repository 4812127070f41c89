// Keeps all mirrors in few packs: every fetch adds one, and every template and clone links them all.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { GitDirectories } from "../disk/git-directories.ts";
import type { RepositoryLocks } from "../lock/repository-lock.ts";
import { repackMirror } from "./repack-mirror.ts";

/** Those that are busy have another time; one that fails does not keep the others. */
export async function repackMirrors(
  { mirrors }: Pick<GitDirectories, "mirrors">,
  locks: RepositoryLocks,
  onReport: (report: string) => void,
): Promise<void> {
  for (const name of await readdir(mirrors)) {
    if (!/^[^.].*\.git$/.test(name)) continue;
    await repackMirror({ gitDir: join(mirrors, name) }, locks).catch((error: unknown) =>
      onReport(`cannot repack '${name}': ${error instanceof Error ? error.message : error}`),
    );
  }
}
