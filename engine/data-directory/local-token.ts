// The token with which the CLI on this machine signs in: whoever may read the file is an admin.

import { randomBytes, randomUUID } from "node:crypto";
import { chmod, link, readFile, rm, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DataDirectory } from "./data-directory.ts";

const PREFIX = "croft_local_";

/** Made at the first start and kept, so that several processes of one machine share it. */
export async function provideLocalToken({ run }: Pick<DataDirectory, "run">): Promise<string> {
  const path = localTokenPath(run);
  const existing = await readLocalToken(path);
  if (existing?.startsWith(PREFIX)) {
    await chmod(path, 0o600); // whoever opened it to others did not mean to make them admins
    return existing;
  }
  if (existing !== undefined) await rm(path, { force: true }); // damaged: an empty token would let anybody in
  const draft = join(run, `cli-token-${randomUUID()}`);
  const token = `${PREFIX}${randomBytes(32).toString("base64url")}`;
  await writeFile(draft, `${token}\n`, { mode: 0o600, flush: true });
  try {
    await link(draft, path); // unlike a rename this never replaces a token another process just made
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await unlink(draft);
  }
  return await provideLocalToken({ run });
}

export function localTokenPath(run: string): string {
  return join(run, "cli-token");
}

export async function readLocalToken(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
