// Brings the index of a checkout from one commit to another, and takes away the files that are gone.
import { lstatSync, rmdirSync, unlinkSync } from "node:fs";
import { type CheckoutPlace, checkoutOptions } from "../checkout/check-out.ts";
import { runGit } from "../command/run-git.ts";
import type { ChangedFile } from "./change-list.ts";

/**
 * Files that are gone are removed first, while every directory above them still is what the old tree says: afterwards a
 * symbolic link could stand in its place and lead elsewhere. The others are the caller's to write.
 */
export async function stageChanges(
  place: CheckoutPlace,
  changes: readonly ChangedFile[],
): Promise<void> {
  const gone = changes.filter(({ mode }) => mode === "000000");
  for (const { path } of gone) removeFile(place.path, path);
  // A file may become a directory and the other way round: what is gone leaves first here too.
  const ordered = [...gone, ...changes.filter(({ mode }) => mode !== "000000")];
  const info = ordered.flatMap(({ path, mode, blob }) => [
    Buffer.from(mode === "000000" ? `0 ${blob}\t` : `${mode} ${blob}\t`),
    path,
    Buffer.from("\0"),
  ]);
  const input = Buffer.concat(info);
  await runGit(["update-index", "-z", "--index-info"], { ...checkoutOptions(place), input });
}

/** As git reads them from its standard input. */
export function namesOf(changes: readonly ChangedFile[]): Buffer {
  return Buffer.concat(changes.flatMap(({ path }) => [path, Buffer.from("\0")]));
}

function removeFile(root: string, path: Buffer): void {
  const absolute = (name: Buffer) => Buffer.concat([Buffer.from(`${root}/`), name]);
  try {
    if (lstatSync(absolute(path), { throwIfNoEntry: false })?.isDirectory())
      rmdirSync(absolute(path));
    else unlinkSync(absolute(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTEMPTY") throw error;
  }
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    try {
      rmdirSync(absolute(path.subarray(0, end)));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOTEMPTY" || code === "ENOENT") return;
      throw error;
    }
  }
}
