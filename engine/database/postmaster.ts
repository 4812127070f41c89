// What PostgreSQL's own pid file says about the server of a cluster, and whether that server still lives.
import { execFile } from "node:child_process";
import { readFile, readlink, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { readProcessState } from "@croft/git";

const PID_FILE = "postmaster.pid";

export interface Postmaster {
  readonly pid: number;
  /** Seconds since 1970, as the server wrote it down. */
  readonly startedAt: number;
  /** False while it recovers from a crash or shuts down. */
  readonly ready: boolean;
}

/** Undefined when no server of this cluster runs, also if the pid file names a process that is something else now. */
export async function findPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const file = await readPidFile(cluster);
  return file !== undefined && (await isServerOf(file, cluster)) ? file : undefined;
}

/** Whether a server runs, to be asked often: whose a process is, is looked up only when another has its number. */
export function watchPostmaster(cluster: string): () => Promise<boolean> {
  let seen: { readonly pid: number; readonly start: string } | undefined;
  return async () => {
    const state = seen && readProcessState(seen.pid);
    if (state?.isAlive && state.start === seen?.start) return true;
    const running = await findPostmaster(cluster);
    const start = running && readProcessState(running.pid)?.start;
    seen = running && start !== undefined ? { pid: running.pid, start } : undefined;
    return running !== undefined;
  };
}

/** PostgreSQL refuses to start while any process has the number in the file: one that got it later must not count. */
export async function removeStalePidFile(cluster: string): Promise<void> {
  const file = await readPidFile(cluster);
  if (file === undefined || (await isServerOf(file, cluster))) return;
  await rm(join(cluster, PID_FILE), { force: true });
}

async function readPidFile(cluster: string): Promise<Postmaster | undefined> {
  try {
    const lines = (await readFile(join(cluster, PID_FILE), "utf8")).split("\n");
    const pid = Number.parseInt(lines[0] ?? "", 10);
    const startedAt = Number.parseInt(lines[2] ?? "", 10);
    return { pid, startedAt, ready: lines[7]?.trim() === "ready" };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * A server's working directory is its cluster: that tells it from a process that got the same number later. Root without
 * CAP_SYS_PTRACE, as in most containers, may not see it of another user's process; then name and start time decide.
 */
async function isServerOf({ pid, startedAt }: Postmaster, cluster: string): Promise<boolean> {
  if (!(pid > 1)) return false; // the file is broken
  if (process.platform !== "linux") return await isNamedAfter(pid, cluster);
  try {
    return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(cluster));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return false;
    if (code === "EACCES" || code === "EPERM") return await isPostgresSince(pid, startedAt);
    throw error;
  }
}

/** The clock of the kernel counts in hundredths of a second since the boot. */
const TICKS_PER_SECOND = 100;
const START_TOLERANCE_SECONDS = 5;

async function isPostgresSince(pid: number, startedAt: number): Promise<boolean> {
  const state = readProcessState(pid);
  if (state?.program !== "postgres") return false;
  const boot = Number(/^btime (\d+)$/m.exec(await readFile("/proc/stat", "utf8"))?.[1]);
  const seconds = boot + Number(state.start) / TICKS_PER_SECOND;
  return Math.abs(seconds - startedAt) <= START_TOLERANCE_SECONDS;
}

async function isNamedAfter(pid: number, cluster: string): Promise<boolean> {
  const { stdout } = await promisify(execFile)("ps", ["-p", String(pid), "-o", "command="]).catch(
    () => ({ stdout: "" }),
  );
  return stdout.includes(cluster);
}
