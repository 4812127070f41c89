// The files that people wrote, for everything that looks at the tree as a whole.
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const projectRoot = dirname(dirname(fileURLToPath(import.meta.url)));

const NOT_SOURCE = new Set(["node_modules", "dist", ".git"]);

/** All files below these folders of the project, without what tools put there. */
export function sourceFiles(folders: readonly string[]): string[] {
  return folders.flatMap((folder) => filesBelow(join(projectRoot, folder))).sort();
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    if (NOT_SOURCE.has(entry.name)) return [];
    const path = join(directory, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}
