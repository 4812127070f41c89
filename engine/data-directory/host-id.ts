// The name of this host among those that share a database: random, made once, kept in the data directory.
import { randomUUID } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DataDirectory } from "./data-directory.ts";

export async function provideHostId({ path, staging }: DataDirectory): Promise<string> {
  const file = join(path, "host-id");
  const known = await readIfThere(file);
  if (known !== undefined) return known;
  const draft = join(staging, `host-id-${randomUUID()}`);
  await writeFile(draft, `${randomUUID()}\n`, { mode: 0o600, flush: true });
  try {
    await link(draft, file); // of several that start at once, one wins
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return (await readFile(file, "utf8")).trim();
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
