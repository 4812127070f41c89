// Which remotes this host has mirrors of: each mirror says whose it is, because its name does not.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { GitDirectories } from "../disk/git-directories.ts";
import {
  directoryNameOf,
  parseRemoteUrl,
  type RemoteUrl,
  RemoteUrlError,
} from "../remote/remote-url.ts";

const REMOTE_FILE = "croft-remote";

/** While it is made, out of everybody's sight. */
export async function nameRemote(gitDir: string, { text }: RemoteUrl): Promise<void> {
  await writeFile(join(gitDir, REMOTE_FILE), `${text}\n`, { mode: 0o600 });
}

/** One that does not say it, or says what is not its name, is left out: nobody knows whose it is. */
export async function mirroredRemotes({
  mirrors,
}: Pick<GitDirectories, "mirrors">): Promise<RemoteUrl[]> {
  const names = await orNothing(readdir(mirrors));
  const remotes: RemoteUrl[] = [];
  for (const name of names ?? []) {
    if (!/^[^.].*\.git$/.test(name)) continue;
    const text = await orNothing(readFile(join(mirrors, name, REMOTE_FILE), "utf8"));
    const remote = text === undefined ? undefined : parsed(text.trim());
    if (remote !== undefined && `${directoryNameOf(remote)}.git` === name) remotes.push(remote);
  }
  return remotes;
}

/** It was allowed when the mirror was made, whatever is now. */
function parsed(text: string): RemoteUrl | undefined {
  const allowHttp = URL.canParse(text) ? [new URL(text).host] : [];
  try {
    return parseRemoteUrl(text, { allowHttp, allowLocal: true });
  } catch (error) {
    if (error instanceof RemoteUrlError) return undefined;
    throw error;
  }
}

async function orNothing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
