// Makes the `.git` of a checkout by hand: objects by hard link, refs and configuration as we want them. No git is run.
import {
  chmodSync,
  lchownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { CommitId } from "../remote/commit-id.ts";
import type { RemoteUrl } from "../remote/remote-url.ts";
import type { JobUser } from "../sandbox/job-user.ts";

/** Whose name stands on commits. */
export interface Identity {
  readonly name: string;
  readonly email: string;
}

export const DEFAULT_IDENTITY: Identity = { name: "Croft", email: "croft@localhost" };

export interface Head {
  readonly commit: CommitId;
  /** Detached without one. */
  readonly branch?: string | undefined;
}

export interface RepositoryLayout {
  /** The `.git` to be made. */
  readonly gitDir: string;
  readonly head: Head;
  readonly remote: RemoteUrl;
  readonly identity: Identity;
  readonly owner: JobUser | undefined;
}

/** As `git init` would, without a process; the caller adds objects. */
export function layOutRepository(layout: RepositoryLayout): void {
  const { gitDir, owner } = layout;
  for (const part of ["", "objects", "objects/pack", "objects/info", "refs", "refs/tags"]) {
    makeOwned(join(gitDir, part), owner);
  }
  writeHead(layout);
  writeOwned(join(gitDir, "config"), configText(layout), owner);
}

/** Only what differs from one workspace to the next: enough when the rest lies in a layer below. */
export function writeHead({ gitDir, head, owner }: RepositoryLayout): void {
  const { branch, commit } = head;
  makeOwned(gitDir, owner);
  makeOwned(join(gitDir, "refs"), owner);
  makeOwned(join(gitDir, "refs/heads"), owner);
  const text = branch === undefined ? commit : `ref: refs/heads/${branch}`;
  writeOwned(join(gitDir, "HEAD"), `${text}\n`, owner);
  if (branch === undefined) return;
  const parts = branch.split("/");
  for (let depth = 1; depth < parts.length; depth++) {
    makeOwned(join(gitDir, "refs/heads", ...parts.slice(0, depth)), owner);
  }
  writeOwned(join(gitDir, "refs/heads", branch), `${commit}\n`, owner);
}

/** No credentials, no helpers: a job that fetches does so with what it brought itself. */
export function configText({ remote, identity }: RepositoryLayout): string {
  return [
    "[core]",
    "\trepositoryformatversion = 0",
    "\tfilemode = true",
    "\tbare = false",
    "\tlogallrefupdates = true",
    '[remote "origin"]',
    `\turl = ${quoted(remote.text)}`,
    "\tfetch = +refs/heads/*:refs/remotes/origin/*",
    "[user]",
    `\tname = ${quoted(identity.name)}`,
    `\temail = ${quoted(identity.email)}`,
    "",
  ].join("\n");
}

/**
 * Packs with their indexes; `except` are those that a layer below has already. Links are never chowned: same inode. But
 * the job's user must be able to read them, whatever the umask was when git wrote them.
 */
export function linkPacks(from: string, to: string, except: ReadonlySet<string> = new Set()): void {
  const names = packFiles(from).filter((name) => !except.has(name));
  for (const name of names) {
    const link = join(to, name);
    linkSync(join(from, name), link);
    if ((statSync(link).mode & READABLE) !== READABLE) chmodSync(link, READABLE);
  }
}

/** The index of each pack last: by it git finds the pack. */
export function packFiles(packDirectory: string): string[] {
  try {
    return readdirSync(packDirectory)
      .filter((name) => /^pack-.*\.(?:pack|idx|rev)$/.test(name))
      .sort(byIndexLast);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** Of what would be copied, where packs cannot be linked. */
export function packBytes(packDirectory: string): number {
  const sizes = packFiles(packDirectory).map(
    (name) => statSync(join(packDirectory, name), { throwIfNoEntry: false })?.size ?? 0,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function byIndexLast(left: string, right: string): number {
  return Number(left.endsWith(".idx")) - Number(right.endsWith(".idx"));
}

/** By all, writable by nobody, as git itself makes packs. The directories above keep others out. */
const READABLE = 0o444;

export function makeOwned(path: string, owner: JobUser | undefined): void {
  try {
    mkdirSync(path, 0o755);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return;
  }
  if (owner !== undefined) lchownSync(path, owner.uid, owner.gid);
}

export function writeOwned(path: string, text: string, owner: JobUser | undefined): void {
  makeOwned(dirname(path), owner);
  writeFileSync(path, text, { mode: 0o644, flag: "wx" }); // never through a link that somebody planted
  if (owner !== undefined) lchownSync(path, owner.uid, owner.gid);
}

/** Control characters cannot end the line: names come from outside. */
function quoted(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const clean = value.replaceAll(/[\x00-\x1f\x7f]/g, " ");
  return `"${clean.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
