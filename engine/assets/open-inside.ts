// Opens what lies below a directory that a job can write: without following a link, and nothing but the job's own files.
import { constants, existsSync, type Stats } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { JobUser } from "@croft/git";
import { AssetError } from "./asset-error.ts";

export interface HostileFile {
  /** The job's. Only what is below may be its work: the way to it is ours. */
  readonly directory: string;
  /** From there, as somebody else says. */
  readonly path: string;
  /** As whom the job runs; the directory's owner without one. */
  readonly user?: JobUser | undefined;
}

export interface OpenedFile {
  readonly handle: FileHandle;
  readonly size: number;
  readonly isExecutable: boolean;
}

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
/** macOS: no link on the whole way. Linux goes step by step instead. */
const NOFOLLOW = process.platform === "darwin" ? 0x2000_0000 : O_NOFOLLOW;
const HAS_DESCRIPTOR_PATHS = existsSync("/proc/self/fd");
const PATH_LENGTH_MAX = 4096;

/**
 * The path of a thing in an open directory: as `openat` would, the kernel begins at the directory itself, wherever a job has
 * moved it and whatever it has put in its place.
 */
export function pathIn(directory: OpenDirectory, name: string): string {
  if (!HAS_DESCRIPTOR_PATHS) return join(directory.path, name);
  return `/proc/self/fd/${directory.handle.fd}/${name}`;
}

export interface OpenDirectory {
  readonly handle: FileHandle;
  readonly path: string;
}

/** Opens a regular file of the job's own, wherever it has links, pipes or devices on the way. */
export async function openInside({ directory, path, user }: HostileFile): Promise<OpenedFile> {
  const parts = partsOf(path);
  const name = parts.pop() ?? "";
  const root = await openDirectory(directory, directory);
  let place = root;
  try {
    const owner = user ?? (await root.handle.stat());
    for (const part of parts) {
      const next = await openDirectory(pathIn(place, part), join(place.path, part));
      await place.handle.close();
      place = next;
    }
    return await openFile(place, name, { path, owner });
  } finally {
    await place.handle.close();
  }
}

/** Opens a directory of the job's, and says whose files in it may be read. */
export async function openDirectoryInside({ directory, path, user }: HostileFile): Promise<{
  readonly place: OpenDirectory;
  readonly owner: JobUser;
}> {
  let place = await openDirectory(directory, directory);
  try {
    const owner = user ?? (await place.handle.stat());
    for (const part of partsOf(path)) {
      const next = await openDirectory(pathIn(place, part), join(place.path, part), path);
      await place.handle.close();
      place = next;
    }
    return { place, owner };
  } catch (error) {
    await place.handle.close();
    throw error;
  }
}

/** From its beginning; the handle stays open. */
export function readOpened(handle: FileHandle): Readable {
  return handle.createReadStream({ start: 0, autoClose: false, highWaterMark: 256 * 1024 });
}

/** Each part as it is: a path that has to be tidied up first is one that somebody thought about. */
export function partsOf(path: string): string[] {
  const parts = path.split("/");
  const isOdd = (part: string) => part === "" || part === "." || part === "..";
  if (parts.some(isOdd) || path.includes("\0") || path.length > PATH_LENGTH_MAX) {
    throw unsafe(path, "must be a relative path without '.', '..' and empty parts");
  }
  return parts;
}

/** `path` is for systems where a directory cannot be reached by its descriptor; `named` for messages. */
export async function openDirectory(
  at: string,
  path: string,
  named = path,
): Promise<OpenDirectory> {
  try {
    const handle = await open(at, O_RDONLY | O_DIRECTORY | NOFOLLOW);
    return { handle, path };
  } catch (error) {
    throw await explained(error, at, named);
  }
}

export function unsafe(path: string, reason: string, cause?: unknown): AssetError {
  return new AssetError("unsafe-path", `the path '${shown(path)}' ${reason}`, cause);
}

/** What the job's own words do to a terminal or log is no concern of the error's. */
export function shown(path: string): string {
  return path.slice(0, 200).replaceAll(/\p{Cc}/gu, "\ufffd");
}

/** `path` is for messages. */
export async function openFile(
  place: OpenDirectory,
  name: string,
  { path, owner }: { readonly path: string; readonly owner: JobUser },
): Promise<OpenedFile> {
  const at = pathIn(place, name);
  let handle: FileHandle;
  try {
    // Not blocking, lest a pipe without a writer holds us.
    handle = await open(at, O_RDONLY | NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  } catch (error) {
    throw await explained(error, at, path);
  }
  try {
    const found = await handle.stat();
    if (found.isDirectory()) {
      throw new AssetError("is-directory", `'${shown(path)}' is a directory`);
    }
    if (!found.isFile()) throw new AssetError("not-a-file", `'${shown(path)}' is not a file`);
    requireJobs(found, owner, path);
    return { handle, size: found.size, isExecutable: (found.mode & 0o100) !== 0 };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * We may be able to read more than the job: a hard link, or a file that it moved here, must not lend it our eyes. With more
 * names than one only its own files are taken (compilers make such); others only if it could read them itself.
 */
function requireJobs({ uid, gid, mode, nlink }: Stats, owner: JobUser, path: string): void {
  if (uid === owner.uid) return;
  if (nlink > 1) throw unsafe(path, "is a hard link to a file of somebody else");
  const mayRead = gid === owner.gid ? (mode & 0o040) !== 0 : (mode & 0o004) !== 0;
  if (!mayRead) throw unsafe(path, "is a file that the job itself cannot read");
}

/** Looks again to say what it was; what is done about it does not depend on that. */
async function explained(error: unknown, at: string, path: string): Promise<unknown> {
  const { code } = error as NodeJS.ErrnoException;
  switch (code) {
    case "ENOENT":
    case "ENAMETOOLONG":
      return new AssetError("not-found", `there is no '${shown(path)}'`, error);
    case "ELOOP":
    case "ENOTDIR": {
      const isLink = await lstat(at).then(
        (found) => found.isSymbolicLink(),
        () => false, // it has gone meanwhile
      );
      if (isLink || code === "ELOOP") return unsafe(path, "is a symbolic link", error);
      return new AssetError("not-found", `'${shown(path)}' is not a directory`, error);
    }
    case "ENXIO":
      return new AssetError("not-a-file", `'${shown(path)}' is not a file`, error);
    case "EACCES":
      return unsafe(path, "cannot be read", error);
    default:
      return error;
  }
}
