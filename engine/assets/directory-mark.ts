// The mark of a store in a directory: a file with a random id.
import { randomUUID } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { StoreMark } from "./asset-store.ts";

export class DirectoryMark implements StoreMark {
  readonly place: string;
  readonly wayOut = "set assets.path to the same shared directory on every host";
  readonly #file: string;
  readonly #staging: string;

  constructor(directory: string) {
    this.place = directory;
    this.#file = join(directory, "store-id");
    this.#staging = join(directory, "staging");
  }

  async read(): Promise<string | undefined> {
    try {
      return (await readFile(this.#file, "utf8")).trim();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  async make(): Promise<string> {
    const draft = join(this.#staging, `store-id-${randomUUID()}`);
    try {
      await writeFile(draft, `${randomUUID()}\n`, { mode: 0o600, flush: true });
      await link(draft, this.#file); // of several that begin at once, one wins
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    } finally {
      await rm(draft, { force: true });
    }
    const mark = await this.read();
    if (mark === undefined) throw new Error(`'${this.#file}' has gone`);
    return mark;
  }
}
