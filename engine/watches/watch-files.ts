// The files of a watch at the commit that its app was told of: listed and read, while its own credential opens them.
import type {
  Watch,
  WatchContentQuery,
  WatchFile,
  WatchFileList,
  WatchFileQuery,
} from "@croft/contract";
import {
  type CommitId,
  type Git,
  GitError,
  isCommitId,
  type RemoteUrl,
  type SizedEntry,
} from "@croft/git";
import { encodedPath } from "../deliveries/delivery-files.ts";
import { EngineError } from "../engine-error.ts";
import type { Scope } from "../jobs/read-jobs.ts";
import { ReadCheckFailed, ReadChecks } from "./read-checks.ts";
import { readWatch } from "./read-watches.ts";
import { remoteOf, type WatchParts } from "./watch-access.ts";
import { faultOf } from "./watch-health.ts";

export interface OpenFile {
  readonly name: string;
  readonly mode: string;
  readonly blob: string;
  readonly size: number;
  readonly commit: string;
  /** From the first byte to the one before the second number. */
  stream(from: number, to: number): AsyncGenerator<Buffer, void, undefined>;
}

/** What may be read, and where it is. */
interface Sight {
  readonly watch: Watch;
  readonly git: Git;
  readonly remote: RemoteUrl;
}

/** Larger files have a git of their own each, so that whoever reads slowly keeps nobody. */
const SMALL_BYTES = 1024 * 1024;

export class WatchFiles {
  readonly #parts: WatchParts;
  readonly #checks: ReadChecks;

  constructor(parts: WatchParts) {
    this.#parts = parts;
    this.#checks = new ReadChecks(parts);
  }

  async list(
    scope: Scope,
    id: string,
    query: WatchFileQuery,
    signal?: AbortSignal,
  ): Promise<WatchFileList> {
    const { prefix, search, limit } = query;
    const cursor = query.cursor === undefined ? undefined : parseCursor(query.cursor);
    const watch = await readWatch(this.#parts.database.pool, scope, id);
    requireOpen(watch);
    const commit = cursor?.commit ?? watch.commit;
    if (commit === null) return { commit, files: [], next_cursor: null };
    if (commit !== watch.commit) await this.#requireTold(id, commit);
    const { git, remote } = await this.#see(scope, watch, commit);
    const { files, hasMore } = await withReasons(() =>
      git.contents.listFiles(
        remote,
        {
          ...{ commit: commit as CommitId, filters: watch, after: cursor?.after, limit },
          where: whereOf(prefix, search),
        },
        signal,
      ),
    );
    const last = hasMore ? files.at(-1) : undefined;
    return {
      ...{ commit, files: files.map(fileOf) },
      next_cursor: last === undefined ? null : `${commit}.${last.path.toString("base64url")}`,
    };
  }

  /** A submodule has no content, and is as good as missing. */
  async open(
    scope: Scope,
    id: string,
    { path, path_encoding }: WatchContentQuery,
  ): Promise<OpenFile> {
    const watch = await readWatch(this.#parts.database.pool, scope, id);
    requireOpen(watch);
    const { commit } = watch;
    if (commit === null) throw noFile();
    const { git, remote } = await this.#see(scope, watch, commit);
    const name = Buffer.from(path, path_encoding === "base64" ? "base64" : "utf8");
    const view = { commit: commit as CommitId, filters: watch };
    const found = await withReasons(() => git.contents.findFile(remote, view, name));
    if (found === undefined || found.mode === "160000") throw noFile();
    const { mode, blob, size } = found;
    return {
      ...{ name: name.toString("utf8"), mode, blob, size, commit },
      stream: (from, to) => read({ git, remote }, found, from, to),
    };
  }

  /** Nothing of it is told before the remote has said that this watch may hear it. */
  async #see(scope: Scope, watch: Watch, commit: string): Promise<Sight> {
    const git = await this.#parts.git();
    const remote = remoteOf(this.#parts, watch.url);
    if (!(await git.contents.hasCommit(remote, commit as CommitId))) throw elsewhere(commit);
    let mayRead: boolean;
    try {
      mayRead = await this.#checks.mayRead(watch.id);
    } catch (error) {
      const fault = error instanceof ReadCheckFailed ? error.fault : faultOf(error);
      if (fault === undefined) throw error;
      throw new EngineError("unavailable", `the remote was not reached: ${fault.message}`);
    }
    if (mayRead) return { watch, git, remote };
    await readWatch(this.#parts.database.pool, scope, watch.id); // it may be gone
    throw held();
  }

  /** A mirror has more commits than one watch was ever told of. */
  async #requireTold(watchId: string, commit: string): Promise<void> {
    const { rows } = await this.#parts.database.pool.query(
      `select 1 from croft.sync where watch_id = $1 and state <> 'making' and $2 in (to_commit, from_commit) limit 1`,
      [watchId, commit],
    );
    if (rows.length === 0) throw badCursor();
  }
}

function requireOpen(watch: Watch): void {
  if (watch.held) throw held();
}

async function* read(
  { git, remote }: Pick<Sight, "git" | "remote">,
  { blob, size }: SizedEntry,
  from: number,
  to: number,
): AsyncGenerator<Buffer, void, undefined> {
  if (size <= SMALL_BYTES) {
    yield (await git.contents.readBlob(remote, blob)).subarray(from, to);
    return;
  }
  let left = to - from;
  for await (const piece of git.contents.streamBlob(remote, blob, { start: from })) {
    yield piece.length > left ? piece.subarray(0, left) : piece;
    left -= piece.length;
    if (left <= 0) return;
  }
}

/** Names that are no UTF-8 are searched by what of them can be read. */
function whereOf(prefix: string | undefined, search: string | undefined) {
  const start = Buffer.from(prefix ?? "");
  const part = search?.toLowerCase();
  return (path: Buffer): boolean =>
    path.subarray(0, start.length).equals(start) &&
    (part === undefined || path.toString("utf8").toLowerCase().includes(part));
}

function fileOf({ path, blob, size, mode }: SizedEntry): WatchFile {
  const { text, isBase64 } = encodedPath(path);
  return {
    path: text,
    ...(isBase64 ? { path_encoding: "base64" as const } : {}),
    ...{ blob, size, mode: mode as WatchFile["mode"] },
  };
}

function parseCursor(text: string) {
  const [commit = "", path = "", ...rest] = text.split(".");
  const after = Buffer.from(path, "base64url");
  if (rest.length > 0 || after.length === 0 || !isCommitId(commit)) throw badCursor();
  return { commit, after };
}

/** Filters and ignore files may ask too much of whoever applies them. */
async function withReasons<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== "rejected") throw error;
    throw new EngineError("invalid-input", `not valid: ${error.message}`, { cause: error });
  }
}

function badCursor(): EngineError {
  const message = "not valid: cursor: its commit is not known any more; begin anew";
  return new EngineError("invalid-input", message);
}

function noFile(): EngineError {
  return new EngineError("not-found", "the watch has no such file");
}

function held(): EngineError {
  const message = "the watch's credential is refused at the moment, so nothing of it is shown";
  return new EngineError("watch-held", message);
}

function elsewhere(commit: string): EngineError {
  const message = `this host has no copy of commit ${commit}; the one that synced it has`;
  return new EngineError("mirror-elsewhere", message);
}
