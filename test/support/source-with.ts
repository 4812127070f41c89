// A bare repository with exactly these files on its branch `main`.
import { join } from "node:path";
import { importCommits, treeOf } from "./import-commits.ts";
import { git } from "./make-repository.ts";
import { scratchDirectory } from "./scratch-directory.ts";

/** Returns its path. */
export async function sourceWith(files: Readonly<Record<string, string>>): Promise<string> {
  const path = join(await scratchDirectory(), "source.git");
  await git(["init", "--quiet", "--bare", "--initial-branch=main", path]);
  await importCommits(path, "main", [treeOf(files)]);
  return path;
}
