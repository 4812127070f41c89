// What the holder of a lock says of itself, in the lock file, to those who wait.
import { ftruncateSync, readSync, writeSync } from "node:fs";
import { LockFile } from "./lock-file.ts";
import { isHeld } from "./lock-line.ts";

export interface LockHolder {
  readonly pid: number;
  readonly purpose: string;
  readonly runId?: string | undefined;
  readonly since: string;
}

/** Words that would not fit are cut: two of them, each sign written as `\u0000`, and the rest. */
const HOLDER_BYTES = 2048;
const WORDS_MAX = 100;

export function writeHolder(
  { descriptor }: LockFile,
  { purpose, runId }: Pick<LockHolder, "purpose" | "runId">,
): void {
  const holder: LockHolder = {
    pid: process.pid,
    purpose: purpose.slice(0, WORDS_MAX),
    runId: runId?.slice(0, WORDS_MAX),
    since: new Date().toISOString(),
  };
  // Always as long, over what stood there: cutting a file first costs ten times the rest.
  const text = Buffer.alloc(HOLDER_BYTES, " ");
  text.write(JSON.stringify(holder));
  try {
    writeSync(descriptor, text, 0, HOLDER_BYTES, 0);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOSPC" && code !== "EDQUOT") throw error;
    // Who frees the disk needs locks too. Better nobody is named than the last one.
    ftruncateSync(descriptor);
  }
}

/** What stands in the file counts only while somebody holds it: else it tells who was the last. */
export function currentHolder(path: string): LockHolder | undefined {
  const file = LockFile.openExisting(path);
  if (file === undefined) return undefined;
  try {
    return isHeld(file) ? readHolder(file) : undefined;
  } finally {
    file.close();
  }
}

function readHolder({ descriptor }: LockFile): LockHolder | undefined {
  const text = Buffer.alloc(HOLDER_BYTES);
  const sizeBytes = readSync(descriptor, text, 0, HOLDER_BYTES, 0);
  let said: unknown;
  try {
    said = JSON.parse(text.toString("utf8", 0, sizeBytes));
  } catch {
    return undefined; // empty, or being written at this moment
  }
  return isHolder(said) ? printable(said) : undefined;
}

/** In a repository of somebody else's anything may stand there. */
function isHolder(said: unknown): said is LockHolder {
  if (typeof said !== "object" || said === null) return false;
  const { pid, purpose, runId, since } = said as Record<string, unknown>;
  return (
    Number.isSafeInteger(pid) &&
    typeof purpose === "string" &&
    (runId === undefined || typeof runId === "string") &&
    typeof since === "string"
  );
}

/** It goes into messages and logs. */
function printable({ pid, purpose, runId, since }: LockHolder): LockHolder {
  const words = (text: string) => text.replaceAll(/\p{C}/gu, "?");
  return {
    pid,
    purpose: words(purpose),
    runId: runId === undefined ? undefined : words(runId),
    since: words(since),
  };
}
