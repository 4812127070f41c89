// Writes and removes single files of one watch, never outside of its folder and never through a link.
import { randomUUID } from "node:crypto";
import {
  closeSync,
  futimesSync,
  lutimesSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { checkPath, type FileContent, type FileMode, Refusal } from "@croft/receiver";
import { childOf, newestIn, removeIfEmpty } from "./file-tree.ts";
import { look, versionOfFile } from "./version.ts";

export interface FolderOptions {
  readonly root: Buffer;
  /** On the same file system. */
  readonly scratch: Buffer;
  /** The number of the sync whose files these are. */
  readonly version: number;
}

const COPY_BYTES = 1024 * 1024;
/** Of this system. What a link leads to is a path too. */
const PATH_BYTES_MAX = 4095;
/** Names that this file system does not take. */
const UNUSABLE = new Set(["ENAMETOOLONG", "EINVAL", "EILSEQ", "ERR_INVALID_ARG_VALUE"]);

export class Folder {
  readonly #root: Buffer;
  readonly #scratch: Buffer;
  readonly #version: number;

  constructor({ root, scratch, version }: FolderOptions) {
    this.#root = root;
    this.#scratch = scratch;
    this.#version = version;
  }

  write(path: Buffer, mode: FileMode, content: FileContent): void {
    const parents = this.#parents(path);
    const target = childOf(this.#root, path);
    // Found out before a thousand directories are made for it.
    if (target.length > PATH_BYTES_MAX) throw new Refusal(422, "a path is too long here");
    const scratch = childOf(this.#scratch, Buffer.from(randomUUID()));
    try {
      if (mode === "120000") this.#writeLink(scratch, content);
      else this.#writeFile(scratch, mode === "100755" ? 0o777 : 0o666, content);
      if (this.#makeRoom(path, parents)) renameSync(scratch, target);
      else unlinkSync(scratch);
    } catch (error) {
      rmSync(scratch.toString(), { force: true });
      if (!isUnusable(error)) throw error;
      removeEmpty(parents);
      throw new Refusal(422, `this file system does not take it: ${error.message}`);
    }
  }

  /** Leaves no directory behind that has nothing in it. A directory of that name came after the file, and stays. */
  remove(path: Buffer): void {
    this.#remove(path, () => undefined);
  }

  /** For what is not kept: what was there before it goes, a directory too. */
  clear(path: Buffer): void {
    this.#remove(path, (directory) => this.#removeDirectory(directory));
  }

  #remove(path: Buffer, onDirectory: (directory: Buffer) => void): void {
    const parents: Buffer[] = [];
    try {
      for (const parent of this.#parents(path)) {
        const stats = look(parent);
        if (stats === undefined) break;
        if (!stats.isDirectory()) return; // something else by now: a link would lead out of here
        parents.push(parent);
      }
      const target = childOf(this.#root, path);
      const stats = look(target);
      if (stats?.isDirectory()) onDirectory(target);
      else if (stats !== undefined) unlinkSync(target);
    } catch (error) {
      if (!isUnusable(error)) throw error; // what cannot be there is not there
    }
    removeEmpty(parents);
  }

  /** Directories above it, and nothing but a file in its place; false if something later is there. */
  #makeRoom(path: Buffer, parents: readonly Buffer[]): boolean {
    for (const parent of parents) {
      const stats = look(parent);
      if (stats?.isDirectory()) continue;
      if (stats !== undefined) {
        if (versionOfFile(stats) > this.#version) return false;
        unlinkSync(parent);
      }
      mkdirSync(parent);
    }
    const target = childOf(this.#root, path);
    return look(target)?.isDirectory() ? this.#removeDirectory(target) : true;
  }

  /** Unless there is something later in it. */
  #removeDirectory(directory: Buffer): boolean {
    if (newestIn(directory) > this.#version) return false;
    const scratch = childOf(this.#scratch, Buffer.from(randomUUID()));
    renameSync(directory, scratch); // at once: nobody sees half of it
    rmSync(scratch.toString(), { recursive: true });
    return true;
  }

  /** From the top down, without the root. */
  #parents(path: Buffer): Buffer[] {
    checkPath(path);
    const parents: Buffer[] = [];
    for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) {
      parents.push(childOf(this.#root, path.subarray(0, at)));
    }
    return parents;
  }

  #writeFile(scratch: Buffer, mode: number, content: FileContent): void {
    const descriptor = openSync(scratch, "wx", mode); // less what the umask takes away, as git does
    try {
      if (content.kind === "bytes") writeAll(descriptor, content.bytes);
      else copyAll(descriptor, content.file);
      futimesSync(descriptor, this.#version, this.#version);
    } finally {
      closeSync(descriptor);
    }
  }

  #writeLink(scratch: Buffer, content: FileContent): void {
    const target = content.kind === "bytes" ? content.bytes : readFileSync(content.file);
    if (target.length === 0 || target.length > PATH_BYTES_MAX || target.includes(0)) {
      throw new Refusal(422, "a link leads to what is no path");
    }
    symlinkSync(target, scratch);
    lutimesSync(scratch, this.#version, this.#version);
  }
}

function writeAll(descriptor: number, bytes: Buffer): void {
  let done = 0;
  while (done < bytes.length) done += writeSync(descriptor, bytes, done);
}

function copyAll(descriptor: number, from: string): void {
  const source = openSync(from, "r");
  try {
    const buffer = Buffer.allocUnsafe(COPY_BYTES);
    for (let size = -1; size !== 0; ) {
      size = readSync(source, buffer);
      writeAll(descriptor, buffer.subarray(0, size));
    }
  } finally {
    closeSync(source);
  }
}

function removeEmpty(parents: readonly Buffer[]): void {
  for (const parent of parents.toReversed()) if (!removeIfEmpty(parent)) return;
}

function isUnusable(error: unknown): error is NodeJS.ErrnoException {
  const { code } = error as NodeJS.ErrnoException;
  return code !== undefined && UNUSABLE.has(code);
}
