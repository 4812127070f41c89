// Repositories that one attempt of a handler reads without a workspace.
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { CommitId, RemoteUrl } from "@croft/git";
import { z } from "zod";
import { JobFailure } from "../jobs/job-failure.ts";
import type { Attempt } from "../jobs/job-type.ts";
import { newId } from "../new-id.ts";
import { accessTo, type HandlerParts, remoteOf } from "./handler-parts.ts";

const RepositoryWish = z.strictObject({
  url: z.string(),
  ref: z.string().min(1).max(1000).optional(),
});

const ListWish = z.strictObject({
  repository: z.int(),
  prefix: z.string().max(4096),
  after: z.base64().max(100_000).optional(),
});

const ReadWish = z.strictObject({ repository: z.int(), path: z.string().max(4096) });

interface Opened {
  readonly remote: RemoteUrl;
  readonly commit: CommitId;
}

const COUNT_MAX = 100;
const PAGE_FILES = 5000;
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

  async list(request: unknown): Promise<unknown> {
    const { repository, prefix, after } = ListWish.parse(request);
    const { remote, commit } = this.#find(repository);
    const { contents } = await this.#parts.git();
    const wanted = Buffer.from(prefix);
    const { files, hasMore } = await contents.listFiles(
      remote,
      {
        commit,
        limit: PAGE_FILES,
        after: after === undefined ? undefined : Buffer.from(after, "base64"),
        where: (path) => path.subarray(0, wanted.length).equals(wanted),
      },
      this.#attempt.signal,
    );
    const last = hasMore ? files.at(-1) : undefined;
    return {
      files: files.map(({ path, size, mode }) => ({
        ...{ path: path.toString("utf8"), bytes: size, mode },
      })),
      ...(last === undefined ? {} : { next: last.path.toString("base64") }),
    };
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
    await this.#parts.assets.reserve.require(this.#directory, found.size);
    const file = newId();
    const target = createWriteStream(join(this.#directory, file), { flags: "wx", mode: 0o600 });
    await pipeline(contents.streamBlob(remote, found.blob, { signal }), target, { signal });
    return { file };
  }

  #find(number: number): Opened {
    const found = this.#opened[number];
    if (found === undefined) throw new JobFailure("invalid", "no-repository", "no such repository");
    return found;
  }
}
