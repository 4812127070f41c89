// The marks of a store in a directory: files with one line.
import { randomUUID } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncDirectory } from "../data-directory/sync-directory.ts";
import type { MarkName, StoreMark } from "./asset-store.ts";

export class DirectoryMark implements StoreMark {
  readonly place: string;
  readonly wayOut = "set assets.path to the same shared directory on every host";
  readonly #staging: string;

  constructor(directory: string) {
    this.place = directory;
    this.#staging = join(directory, "staging");
  }

  async read(name: MarkName): Promise<string | undefined> {
    try {
      return (await readFile(join(this.place, name), "utf8")).trim();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  /**
   * The database is about to remember it for ever: after a power cut a mark that was never on disk would be another one, and
   * the directory no longer the store. Also one that was there already: whoever made it may have died before this.
   */
  async provide(name: MarkName, text: string): Promise<string> {
    const file = join(this.place, name);
    const draft = join(this.#staging, `${name}-${randomUUID()}`);
    try {
      await writeFile(draft, `${text}\n`, { mode: 0o600, flush: true });
      await link(draft, file); // of several that begin at once, one wins
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    } finally {
      await rm(draft, { force: true });
    }
    for (const path of [this.place, dirname(this.place)]) await syncDirectory(path);
    const mark = await this.read(name);
    if (mark === undefined) throw new Error(`'${file}' has gone`);
    return mark;
  }
}
