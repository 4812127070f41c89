// The directory that holds every file of Croft on this host, and who may enter its parts.

import { randomUUID } from "node:crypto";
import { access, chmod, constants, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isProbeName } from "@croft/git";
import { EngineError } from "../engine-error.ts";

export interface DataDirectory {
  readonly path: string;
  /** Database files, socket and log of the embedded PostgreSQL. */
  readonly postgres: string;
  /** What running processes tell each other: the local token, the address of the server. */
  readonly run: string;
  /** Things being made; whatever is complete leaves by rename. */
  readonly staging: string;
  /** Things on their way out. */
  readonly trash: string;
  /** Kernel lock files; never unlinked, because a second holder could then lock a new file of the same name. */
  readonly locks: string;
  /** True when Croft is root, so that PostgreSQL (and later jobs) run as users of their own. */
  readonly separatesUsers: boolean;
}

/** Others must pass through, but need not list. */
const PASSABLE = 0o711;
const PRIVATE = 0o700;

export async function openDataDirectory(path: string): Promise<DataDirectory> {
  const separatesUsers = process.getuid?.() === 0;
  const passable = separatesUsers ? PASSABLE : PRIVATE;
  const directory: DataDirectory = {
    path,
    postgres: join(path, "postgres"),
    run: join(path, "run"),
    staging: join(path, "staging"),
    trash: join(path, "trash"),
    locks: join(path, "locks"),
    separatesUsers,
  };
  try {
    await requireOwnOrEmpty(path);
    await makeDirectory(path, passable);
    await makePart(directory.locks, PRIVATE); // first: by it the directory is known as ours
    await makePart(directory.postgres, passable);
    await makePart(directory.staging, passable);
    await makePart(directory.run, PRIVATE);
    await makePart(directory.trash, PRIVATE);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new EngineError(
      "data-directory-unusable",
      `cannot use data directory '${path}': ${reason}; choose another with CROFT_DATA`,
      { cause: error },
    );
  }
  return directory;
}

/**
 * Removes what killed starts left half made. Only by the owner of the data directory, and only things that owners make:
 * other processes of the host have theirs in staging too.
 */
export async function sweepStaging(directory: DataDirectory): Promise<void> {
  const { staging, trash } = directory;
  for (const name of await readdir(staging)) {
    if (/^(cluster|binaries)-/.test(name)) await discard(directory, join(staging, name));
  }
  for (const name of await readdir(trash)) {
    await rm(join(trash, name), { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Renamed first, so that a process still writing below cannot keep the name occupied. */
export async function discard(directory: DataDirectory, path: string): Promise<void> {
  const doomed = join(directory.trash, randomUUID());
  try {
    await rename(path, doomed);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  await rm(doomed, { recursive: true, force: true, maxRetries: 10 });
}

/** Somebody's home, or /tmp, named by mistake must keep its modes and its peace. */
export async function requireOwnOrEmpty(path: string): Promise<void> {
  const names: string[] = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const isOwn = names.includes("locks");
  if (!isOwn && names.some((name) => name !== "lost+found" && !isProbeName(name))) {
    throw new Error("it has files that are not Croft's");
  }
}

/** A part is ours: if somebody opened it, it is closed again. */
async function makePart(path: string, mode: number): Promise<void> {
  await makeDirectory(path, mode);
  const { mode: current, uid } = await stat(path);
  if ((current & 0o777) !== mode && uid === process.getuid?.()) await chmod(path, mode);
}

/** Modes of what was there before are somebody's decision; missing parents are made like the directory itself. */
async function makeDirectory(path: string, mode: number): Promise<void> {
  const firstMade = await mkdir(path, { recursive: true, mode });
  if (firstMade === undefined) {
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return;
  }
  for (let made = path; made.length >= firstMade.length; made = dirname(made)) {
    await chmod(made, mode); // the umask may have taken bits away
  }
}
