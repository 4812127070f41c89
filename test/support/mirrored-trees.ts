// Trees as deliveries tell them, and as a folder has them that keeps up.
import { createHash } from "node:crypto";
import type { Tree, TreeEntry } from "./import-commits.ts";
import { chunkedFile, deletedFile, keptFile } from "./signed-messages.ts";

/** What is larger is told in chunks. */
export const LARGE_BYTES = 3000;

export interface ToldChange {
  /** latin1 */
  readonly path: string;
  readonly file: object;
  /** Of a large file. */
  readonly large?: Buffer;
}

/** From one tree to the next: deletions first. */
export function changesBetween(before: Tree, after: Tree): ToldChange[] {
  const gone = [...before.keys()].filter((path) => !after.has(path));
  const told = [...after].filter(([path, entry]) => !isSame(before.get(path), entry));
  return [
    ...gone.map((path) => ({ path, file: deletedFile(path) })),
    ...told.map(([path, entry]) => changeTo(path, entry)),
  ];
}

function isSame(before: TreeEntry | undefined, after: TreeEntry): boolean {
  if (before?.mode !== after.mode) return false;
  if (before.mode === "160000" || after.mode === "160000") return true;
  return Buffer.from(before.content).equals(Buffer.from(after.content));
}

function changeTo(path: string, entry: TreeEntry): ToldChange {
  if (entry.mode === "160000") {
    return {
      path,
      file: { ...keptFile(path, "", entry.mode), size: undefined, sha256: undefined },
    };
  }
  const content = Buffer.from(entry.content);
  if (entry.mode === "120000" || content.length <= LARGE_BYTES) {
    return { path, file: keptFile(path, content, entry.mode) };
  }
  return { path, file: chunkedFile(path, content, entry.mode), large: content };
}

/** As `readCheckout` would find it: submodules leave nothing, and directories have something in them. */
export function folderOf(tree: Tree): Map<string, string> {
  const found = new Map<string, string>();
  for (const [path, entry] of tree) {
    if (entry.mode === "160000") continue;
    const content = Buffer.from(entry.content);
    const hash = createHash("sha256").update(content).digest("hex");
    const mode = entry.mode.slice(3);
    const isLink = entry.mode === "120000";
    found.set(
      path,
      isLink ? `link to ${content.toString("latin1")}` : `file ${mode} ${content.length} ${hash}`,
    );
    const parts = path.split("/");
    for (let depth = 1; depth < parts.length; depth++) {
      found.set(parts.slice(0, depth).join("/"), "directory 755");
    }
  }
  return found;
}
