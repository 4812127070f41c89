// Reads one of git's little files in a directory that is not ours.
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

const SIZE_BYTES_MAX = 8192;
const ABSENT = new Set(["ENOENT", "ENOTDIR", "ELOOP", "EISDIR"]);

/**
 * Undefined when there is no such file. Links are not followed and a planted pipe is not waited for: a repository's owner
 * must not be able to make us read elsewhere, or hang.
 */
export async function readSmallFile(path: string): Promise<string | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
  try {
    if (!(await file.stat()).isFile()) return undefined;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SIZE_BYTES_MAX), 0, SIZE_BYTES_MAX);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
