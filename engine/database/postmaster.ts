// What PostgreSQL's own pid file says about the server of a cluster, and whether that server still lives.
import { execFile } from "node:child_process";
import { readFile, readlink, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const PID_FILE = "postmaster.pid";

export interface Postmaster {
  readonly pid: number;
  /** False while it recovers from a crash or shuts down. */
  readonly ready: boolean;
}

/** Undefined when no server of this cluster runs, also if the pid file names a process that is something else now. */
export async function findPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const file = await readPidFile(cluster);
  return file !== undefined && (await isServerOf(file.pid, cluster)) ? file : undefined;
}

/** PostgreSQL refuses to start while any process has the number in the file: one that got it later must not count. */
export async function removeStalePidFile(cluster: string): Promise<void> {
  const file = await readPidFile(cluster);
  if (file === undefined || (await isServerOf(file.pid, cluster))) return;
  await rm(join(cluster, PID_FILE), { force: true });
}

async function readPidFile(cluster: string): Promise<Postmaster | undefined> {
  try {
    const lines = (await readFile(join(cluster, PID_FILE), "utf8")).split("\n");
    const pid = Number.parseInt(lines[0] ?? "", 10);
    return { pid, ready: lines[7]?.trim() === "ready" };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** A server's working directory is its cluster: that tells it from a process that got the same number later. */
async function isServerOf(pid: number, cluster: string): Promise<boolean> {
  if (!(pid > 1)) return false; // the file is broken
  if (process.platform === "linux") {
    try {
      return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(cluster));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT" || code === "ESRCH" || code === "EACCES") return false;
      throw error;
    }
  }
  const { stdout } = await promisify(execFile)("ps", ["-p", String(pid), "-o", "command="]).catch(
    () => ({ stdout: "" }),
  );
  return stdout.includes(cluster);
}
