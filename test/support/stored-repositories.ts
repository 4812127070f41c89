// The git repositories of a data directory: mirrors and results, and whether they are whole.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { git } from "./make-repository.ts";

export function mirrorsIn(data: string): string[] {
  return gitDirsBelow(join(data, "mirrors"), 1);
}

export function resultsIn(data: string): string[] {
  return gitDirsBelow(join(data, "results"), 2);
}

function gitDirsBelow(directory: string, depth: number): string[] {
  if (!existsSync(directory)) return [];
  const entries = readdirSync(directory, { withFileTypes: true });
  const directories = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."));
  const paths = directories.map(({ name }) => join(directory, name));
  if (depth === 1) return paths.filter((path) => path.endsWith(".git"));
  return paths.flatMap((path) => gitDirsBelow(path, depth - 1));
}

/** What `git fsck` has to say; nothing when all is well. */
export async function findDamage(repositories: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    repositories.map((path) =>
      git(["--git-dir", path, "fsck", "--strict", "--no-dangling"]).then(
        (said) => (said === "" ? [] : [`fsck of ${path}: ${said}`]),
        (error: Error) => [`fsck of ${path}: ${error.message}`],
      ),
    ),
  );
  return found.flat();
}
