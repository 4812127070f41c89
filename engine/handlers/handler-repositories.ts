// Repositories that one attempt of a handler reads without a workspace.
import { setMaxListeners } from "node:events";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { CommitId, RemoteUrl, SizedEntry } from "@croft/git";
import { z } from "zod";
import { JobFailure } from "../jobs/job-failure.ts";
import type { Attempt } from "../jobs/job-type.ts";
import { newId } from "../new-id.ts";
import { accessTo, type HandlerParts, remoteOf } from "./handler-parts.ts";

const RepositoryWish = z.strictObject({
  url: z.string(),
  ref: z.string().min(1).max(1000).optional(),
});

const ListWish = z.strictObject({ repository: z.int(), prefix: z.string().max(4096) });

const ReadWish = z.strictObject({ repository: z.int(), path: z.string().max(4096) });

interface Opened {
  readonly remote: RemoteUrl;
  readonly commit: CommitId;
}

const COUNT_MAX = 100;
const LIST_FILES_MAX = 1_000_000;
const LIST_BYTES_MAX = 256 * 1024 * 1024;
const FILE_BYTES_MAX = 100 * 1024 * 1024;
const REGULAR = /^100/;

/** By number: what the remote has not shown to this attempt, it cannot ask for. */
export class HandlerRepositories {
  readonly #parts: HandlerParts;
  readonly #attempt: Attempt;
  readonly #directory: string;
  readonly #opened: Opened[] = [];

  constructor(parts: HandlerParts, attempt: Attempt, directory: string) {
    this.#parts = parts;
    this.#attempt = attempt;
    this.#directory = directory;
    setMaxListeners(0, attempt.signal); // as many as it reads at a time
  }

  async open(request: unknown): Promise<unknown> {
    const { url, ref } = RepositoryWish.parse(request);
    if (this.#opened.length >= COUNT_MAX) {
      throw new JobFailure("invalid", "too-many", `a job reads at most ${COUNT_MAX} repositories`);
    }
    const repository = remoteOf(this.#parts, this.#attempt, url);
    const access = await accessTo(this.#parts, this.#attempt, repository);
    const { remotes } = await this.#parts.git();
    const commit = await remotes.resolve({ repository, ref, access });
    this.#opened.push({ remote: repository, commit });
    return { number: this.#opened.length - 1, commit };
  }

  /** In one go, for git has to begin anew for each part; and into a file, as below. */
  async list(request: unknown): Promise<unknown> {
    const { repository, prefix } = ListWish.parse(request);
    const { remote, commit } = this.#find(repository);
    const { signal } = this.#attempt;
    const { contents } = await this.#parts.git();
    const directory = prefix.split("/").slice(0, -1);
    if (directory.some(isNoName)) return await this.#keep(listing([], prefix), 0);
    const paths = directory.length === 0 ? [] : [directory.join("/")];
    const tree = contents.tree(remote, commit, { signal, paths });
    return await this.#keep(listing(tree, prefix), 0); // how long it will be nobody knows
  }

  /** Into a file of the attempt's own directory: it may be large. */
  async read(request: unknown): Promise<unknown> {
    const { repository, path } = ReadWish.parse(request);
    const { remote, commit } = this.#find(repository);
    const { signal } = this.#attempt;
    const { contents } = await this.#parts.git();
    const found = await contents.findFile(remote, { commit }, Buffer.from(path), signal);
    if (found === undefined || !REGULAR.test(found.mode)) return {};
    if (found.size > FILE_BYTES_MAX) {
      const message = `'${path.slice(0, 200)}' is larger than ${FILE_BYTES_MAX} bytes: use a workspace`;
      throw new JobFailure("invalid", "too-large", message);
    }
    return await this.#keep(contents.streamBlob(remote, found.blob, { signal }), found.size);
  }

  async #keep(content: AsyncIterable<string | Buffer>, bytes: number): Promise<unknown> {
    const { signal } = this.#attempt;
    await this.#parts.assets.reserve.require(this.#directory, bytes);
    const file = newId();
    const place = join(this.#directory, file);
    try {
      await pipeline(content, createWriteStream(place, { flags: "wx", mode: 0o600 }), { signal });
      return { file };
    } catch (error) {
      await rm(place, { force: true }); // a handler may ask again and again
      throw error;
    }
  }

  #find(number: number): Opened {
    const found = this.#opened[number];
    if (found === undefined) throw new JobFailure("invalid", "no-repository", "no such repository");
    return found;
  }
}

/** As JSON: an array of what a handler gets. */
async function* listing(
  tree: AsyncIterable<readonly SizedEntry[]> | [],
  prefix: string,
): AsyncGenerator<string, void, undefined> {
  const start = Buffer.from(prefix);
  let [count, bytesOfAll] = [0, 0];
  yield "[";
  for await (const entries of tree) {
    const lines: string[] = [];
    for (const { path, size: bytes, mode } of entries) {
      if (!path.subarray(0, start.length).equals(start)) continue;
      const file = JSON.stringify({ path: path.toString("utf8"), bytes, mode });
      lines.push(count++ === 0 ? file : `,\n${file}`);
    }
    const text = lines.join("");
    bytesOfAll += Buffer.byteLength(text);
    if (count > LIST_FILES_MAX || bytesOfAll > LIST_BYTES_MAX) {
      const message = `more than ${LIST_FILES_MAX} files, or ${LIST_BYTES_MAX} bytes of names: list a directory at a time`;
      throw new JobFailure("invalid", "too-many-files", message);
    }
    if (text !== "") yield text;
  }
  yield "]";
}

/** No file of git's is in such a directory, and git would look for it elsewhere. */
function isNoName(part: string): boolean {
  return ["", ".", ".."].includes(part) || part.includes("\0");
}
