// Which files of a commit its own `.gitattributes` leave out of archives.
import { join } from "node:path";
import { runGit } from "../command/run-git.ts";
import { recordsOf } from "../command/stream-git.ts";
import { removeTree } from "../disk/git-directories.ts";
import { makeDirectories } from "../disk/make-directories.ts";
import type { CommitId } from "../remote/commit-id.ts";
import { DIRECTORY, SUBMODULE, type TreeEntry, type TreePlace } from "./tree-entries.ts";

/**
 * Git looks for attributes in a checkout or in an index, and not before 2.40 in a commit: so an index of the commit is made
 * in a directory of its own. Attributes are only asked for here. No filter is run for them, whatever they name.
 */
export class ExportAttributes {
  readonly #place: TreePlace;
  readonly #directory: string;

  private constructor(place: TreePlace, directory: string) {
    this.#place = place;
    this.#directory = directory;
  }

  /** Nothing may be at `directory`; it is gone after `close`. */
  static async open(
    place: TreePlace,
    commit: CommitId,
    directory: string,
  ): Promise<ExportAttributes> {
    const attributes = new ExportAttributes(place, directory);
    try {
      await makeDirectories(directory, 0o700);
      await runGit(["read-tree", commit], {
        ...place,
        ...attributes.#variables,
        timeoutMs: READ_MS,
      });
      return attributes;
    } catch (error) {
      await attributes.close();
      throw error;
    }
  }

  /** For each entry, in their order. What is in a directory that is left out has to be left out by the caller. */
  async areLeftOut(entries: readonly TreeEntry[]): Promise<boolean[]> {
    if (entries.length === 0) return [];
    const input = Buffer.concat(entries.flatMap(({ path, mode }) => [path, endOf(mode)]));
    const args = ["check-attr", "--cached", "-z", "--stdin", "export-ignore"];
    const { stdout } = await runGit(args, { ...this.#place, ...this.#variables, input });
    const leftOut: boolean[] = [];
    let field = 0;
    for await (const records of recordsOf(once(stdout))) {
      // path, attribute, value; and the next
      for (const record of records) {
        if (field++ % 3 === 2) leftOut.push(record.toString("latin1") === "set");
      }
    }
    return leftOut;
  }

  async close(): Promise<void> {
    await removeTree(this.#directory);
  }

  get #variables() {
    return { variables: { GIT_INDEX_FILE: join(this.#directory, "index") } };
  }
}

const READ_MS = 10 * 60_000;
const DIRECTORY_END = Buffer.from("/\0");
const FILE_END = Buffer.from("\0");

/** A pattern that ends with a slash means directories only, and submodules are such. */
function endOf(mode: string): Buffer {
  return mode === DIRECTORY || mode === SUBMODULE ? DIRECTORY_END : FILE_END;
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
