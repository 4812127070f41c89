// Where the server of this data directory listens, left for the CLI to find.
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readProcessState } from "@croft/git";

export interface ServerAddress {
  /** On this machine, whatever the public address is. */
  readonly url: string;
  readonly pid: number;
  /** Tells the process from one that got its number later. */
  readonly processStart: string;
}

export async function announceServer(run: string, url: string): Promise<void> {
  const path = addressPath(run);
  const draft = `${path}.${process.pid}`;
  const address: ServerAddress = {
    url,
    pid: process.pid,
    processStart: processStart(process.pid) ?? "",
  };
  await writeFile(draft, `${JSON.stringify(address)}\n`);
  await rename(draft, path);
}

/** Only our own: another server of the same machine may have announced itself since. */
export async function withdrawServer(run: string): Promise<void> {
  const announced = await readAddress(run);
  if (announced?.pid === process.pid) await rm(addressPath(run), { force: true });
}

/** Undefined also for what a killed server left: another user's program may listen there now, and wait for our token. */
export async function findServer(run: string): Promise<ServerAddress | undefined> {
  const announced = await readAddress(run);
  if (announced === undefined) return undefined;
  return processStart(announced.pid) === announced.processStart ? announced : undefined;
}

async function readAddress(run: string): Promise<ServerAddress | undefined> {
  try {
    return JSON.parse(await readFile(addressPath(run), "utf8"));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR" || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Undefined when there is no such process; where there is no /proc, living is all that is known. */
function processStart(pid: number): string | undefined {
  if (process.platform === "linux") return readProcessState(pid)?.start;
  return isAlive(pid) ? "alive" : undefined;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function addressPath(run: string): string {
  return join(run, "server.json");
}
