// A kernel lock on a file that also says whose it is; the kernel frees it when its process dies, however it dies.
import { open, readFile } from "node:fs/promises";
import { isProcessAlive, thisProcess } from "@croft/git";
import { tryLock } from "fs-native-extensions";

export interface LockedFile {
  release(): Promise<void>;
}

/** Undefined when another process has it. */
export async function tryLockFile(path: string): Promise<LockedFile | undefined> {
  const file = await open(path, "a+", 0o600);
  if (!tryLock(file.fd)) {
    await file.close();
    return undefined;
  }
  const { pid, start } = thisProcess();
  await file.truncate();
  await file.write(`${pid} ${start}\n`);
  return { release: () => file.close() };
}

/** Whether who had it last still lives, without touching the lock: whoever takes it at this moment must get it. */
export async function hasLivingHolder(path: string): Promise<boolean> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  const [, pid, start] = /^(\d+) (\S+)\n$/.exec(text) ?? [];
  return pid !== undefined && start !== undefined && isProcessAlive({ pid: Number(pid), start });
}
