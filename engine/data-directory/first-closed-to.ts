// Which directory on the way to a path another user may not enter.
import { realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** By mode bits alone: an access list that says otherwise shows as PostgreSQL's own error. */
export async function firstClosedTo(path: string, uid: number): Promise<string | undefined> {
  for (const directory of ancestorsAndSelf(await realpath(path))) {
    const { mode, uid: owner } = await stat(directory);
    const passes = owner === uid ? (mode & 0o100) !== 0 : (mode & 0o001) !== 0;
    if (!passes) return directory;
  }
  return undefined;
}

function ancestorsAndSelf(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [...ancestorsAndSelf(parent), path];
}
