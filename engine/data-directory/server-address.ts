// Where the server of this data directory listens, left for the CLI to find.
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface ServerAddress {
  readonly url: string;
  readonly pid: number;
}

export async function announceServer(run: string, url: string): Promise<void> {
  const path = addressPath(run);
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify({ url, pid: process.pid } satisfies ServerAddress)}\n`);
  await rename(draft, path);
}

/** Only our own: another server of the same machine may have announced itself since. */
export async function withdrawServer(run: string): Promise<void> {
  const announced = await findServer(run);
  if (announced?.pid === process.pid) await rm(addressPath(run), { force: true });
}

export async function findServer(run: string): Promise<ServerAddress | undefined> {
  try {
    return JSON.parse(await readFile(addressPath(run), "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function addressPath(run: string): string {
  return join(run, "server.json");
}
