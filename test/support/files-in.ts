// What lies in a directory of assets.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Names of all files in their places, in order. */
export function filesIn(root: string): string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .filter((name) => /^[0-9a-f]{2}$/.test(name))
    .flatMap((name) => readdirSync(join(root, name)))
    .sort();
}
