// Makes a directory with all above it, and says what stands in the way.
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Instead of `mkdir` with `recursive`, which takes a full or read-only disk for a missing directory. True when it was not
 * there.
 */
export async function makeDirectories(path: string, mode = 0o777): Promise<boolean> {
  try {
    await mkdir(path, { mode });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    if (code !== "ENOENT" || dirname(path) === path) throw error;
  }
  await makeDirectories(dirname(path), mode);
  return await makeDirectories(path, mode);
}
