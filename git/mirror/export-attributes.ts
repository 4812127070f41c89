// Which files of a commit its own `.gitattributes` leave out of archives.
import { join } from "node:path";
import { GitError } from "../command/git-error.ts";
import { runGit } from "../command/run-git.ts";
import { recordsOf } from "../command/stream-git.ts";
import { removeTree } from "../disk/git-directories.ts";
import { makeDirectories } from "../disk/make-directories.ts";
import type { CommitId } from "../remote/commit-id.ts";
import {
  DIRECTORY,
  readSizedTree,
  SUBMODULE,
  type TreeEntry,
  type TreePlace,
} from "./tree-entries.ts";

export interface ExportAttributesOptions {
  /** Nothing may be there; it is gone after `close`. */
  readonly directory: string;
  /** Only of these and of what is below them will be asked; of all, if there are none. */
  readonly paths: readonly string[];
}

/**
 * Git looks for attributes in a checkout or in an index, and not before 2.40 in a commit: so an index is made in a directory
 * of its own. It has the attributes' files and no others: with all of them git needs up to a kilobyte of memory a file.
 * Attributes are only asked for here. No filter is run for them, whatever they name.
 */
export class ExportAttributes {
  readonly #place: TreePlace;
  readonly #directory: string;

  private constructor(place: TreePlace, directory: string) {
    this.#place = place;
    this.#directory = directory;
  }

  static async open(
    place: TreePlace,
    commit: CommitId,
    { directory, paths }: ExportAttributesOptions,
  ): Promise<ExportAttributes> {
    const attributes = new ExportAttributes(place, directory);
    try {
      await makeDirectories(directory, 0o700);
      const input = await attributesFiles(place, commit, paths);
      const args = ["update-index", "-z", "--index-info"];
      const timeoutMs = WRITE_MS;
      await runGit(args, { ...place, ...attributes.#variables, input, timeoutMs });
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

const WRITE_MS = 10 * 60_000;
/** All that git is told of them: some hundred thousand. */
const FILES_BYTES_MAX = 32 * 1024 * 1024;
const NAME = Buffer.from(".gitattributes");
const SLASH = 0x2f;
const DIRECTORY_END = Buffer.from("/\0");
const FILE_END = Buffer.from("\0");

/** As `update-index` takes them: `100644 <id>` TAB path NUL. */
async function attributesFiles(
  place: TreePlace,
  commit: CommitId,
  paths: readonly string[],
): Promise<Buffer> {
  const wanted = [...new Set([...paths, ...paths.flatMap(attributesAbove)])];
  const lines: Buffer[] = [];
  let bytes = 0;
  for await (const entries of readSizedTree(place, commit, { paths: wanted })) {
    for (const { path, mode, blob } of entries) {
      if (!isAttributesFile(path)) continue;
      const line = Buffer.concat([Buffer.from(`${mode} ${blob}\t`), path, FILE_END]);
      bytes += line.length;
      if (bytes > FILES_BYTES_MAX) {
        const message = `the paths of all '${NAME}' take more than ${FILES_BYTES_MAX} bytes`;
        throw new GitError("too-large", message, { command: "update-index" });
      }
      lines.push(line);
    }
  }
  return Buffer.concat(lines);
}

/** Those count for a path too that lie in the directories which lead to it. */
function attributesAbove(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, depth) => [...parts.slice(0, depth), NAME].join("/"));
}

export function isAttributesFile(path: Buffer): boolean {
  return path.subarray(path.lastIndexOf(SLASH) + 1).equals(NAME);
}

/** A pattern that ends with a slash means directories only, and submodules are such. */
function endOf(mode: string): Buffer {
  return mode === DIRECTORY || mode === SUBMODULE ? DIRECTORY_END : FILE_END;
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
