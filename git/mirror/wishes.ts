// What the processes of this host want fetched, written down so that one of them can fetch it for all.
import { randomUUID } from "node:crypto";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { isProcessAlive, type ProcessIdentity, thisProcess } from "../command/process-identity.ts";
import { makeDirectories } from "../disk/make-directories.ts";

export interface Wish {
  /** Of its file, which is gone once it has been fulfilled. */
  readonly name: string;
  readonly refs: readonly string[];
}

const DRAFT = ".draft";
const TRIES_MAX = 5;

/** Beside the mirror, which may not exist yet. */
export function wishesOf(gitDir: string): string {
  return join(gitDir, "..", `.${basename(gitDir)}.wanted`);
}

export class Wishes {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Whole or not at all; before the lock is waited for, so that whoever has it can fulfil it. */
  async write(refs: readonly string[]): Promise<Wish> {
    const { pid, start } = thisProcess();
    const name = `${pid}.${start}.${randomUUID().slice(0, 8)}.json`;
    const path = join(this.#directory, name);
    for (let tries = 1; ; tries++) {
      try {
        await makeDirectories(this.#directory, 0o700);
        await writeFile(path + DRAFT, JSON.stringify(refs));
        break;
      } catch (error) {
        // With an unwanted mirror its empty directory goes too, maybe at this moment.
        if ((error as NodeJS.ErrnoException).code !== "ENOENT" || tries >= TRIES_MAX) throw error;
      }
    }
    await rename(path + DRAFT, path);
    return { name, refs };
  }

  /** Of all processes that live; a dead one wants nothing any more. */
  async read(): Promise<Wish[]> {
    const names = await this.#names();
    const living = names.filter((name) => !name.endsWith(DRAFT) && isWanted(name));
    const wishes = await Promise.all(living.map((name) => this.#readOne(name)));
    return wishes.filter((wish) => wish !== undefined);
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) await rm(join(this.#directory, name), { force: true });
  }

  /** Paths of what dead processes left here. */
  async sweep(): Promise<string[]> {
    const left = (await this.#names()).filter((name) => !isWanted(name));
    await this.remove(left);
    return left.map((name) => join(this.#directory, name));
  }

  /** Of ours only: whatever else lies here is not touched. */
  async #names(): Promise<string[]> {
    try {
      return (await readdir(this.#directory)).filter((name) => makerOf(name) !== undefined);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw error;
    }
  }

  async #readOne(name: string): Promise<Wish | undefined> {
    try {
      return { name, refs: JSON.parse(await readFile(join(this.#directory, name), "utf8")) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined; // whoever wanted it has left
      if (error instanceof SyntaxError) return undefined; // cut by a power loss, of a number that lives again
      throw error;
    }
  }
}

function makerOf(name: string): ProcessIdentity | undefined {
  const [, pid, start] = /^(\d+)\.([\da-f-]*)\.[0-9a-f]{8}\.json(?:\.draft)?$/.exec(name) ?? [];
  return pid === undefined || start === undefined ? undefined : { pid: Number(pid), start };
}

function isWanted(name: string): boolean {
  const maker = makerOf(name);
  return maker !== undefined && isProcessAlive(maker);
}
