// What a handler can do while its job runs.
import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { constants, copyFile, readFile, rm, stat, writeFile } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { githubOf, type HandlerGithub } from "./handler-github.ts";
import type { HandledJob } from "./handler-messages.ts";

export interface HandlerContext<Input = unknown> {
  /** Of the job. */
  readonly id: string;
  readonly owner: string;
  readonly key: string | undefined;
  /** 1, and one more each time it is tried again. */
  readonly attempt: number;
  /** As it was submitted with; what it enqueues and the files it keeps are linked to the same. */
  readonly source_task_id: string | undefined;
  readonly input: Input;
  /** Aborted when the job is cancelled, or its time is over: a few seconds later its process ends. */
  readonly signal: AbortSignal;
  /** Of this attempt alone; gone after it. */
  readonly directory: string;
  log(text: string): void;
  /** From 0 to 1. */
  progress(fraction: number | undefined, note?: string): void;
  /** A working copy of a commit, of this attempt alone; gone after it. */
  workspace(request: WorkspaceWish): Promise<HandlerWorkspace>;
  readonly assets: HandlerAssets;
  /** A repository at a commit, read without a working copy. */
  repository(url: string, ref?: string): Promise<HandlerRepository>;
  /** Another job of the same owner. The same again, in a later attempt of this job, is the job of the first. */
  enqueue(job: EnqueuedJob): Promise<{ readonly id: string }>;
  /** Comments, pull requests and check runs. */
  readonly github: HandlerGithub;
}

export interface WorkspaceWish {
  readonly repository: string;
  readonly ref?: string | undefined;
  readonly kind?: "overlay" | "clone" | undefined;
  readonly branch?: string | undefined;
  /** A branch, tag or commit: the workspace has history enough for `mergeBase`, which is where it has left that one. */
  readonly history?: string | undefined;
  readonly sparse?: readonly string[] | undefined;
  readonly submodules?: boolean | undefined;
  readonly lfs?: boolean | undefined;
}

export interface HandlerWorkspace {
  readonly path: string;
  readonly commit: string;
  /** If `history` was asked for; undefined also when the two have nothing in common. */
  readonly mergeBase: string | undefined;
  /** Runs a command in it as commands of jobs run: sandboxed, its output in the log. Rejects unless it ends with 0. */
  run(command: string | readonly string[], options?: CommandWish): Promise<CommandOutput>;
  /** A file in it, for `assets.put`: read without following a link that the repository or a command has made. */
  file(path: string): WorkspaceFile;
}

export interface CommandWish {
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Off unless asked for. */
  readonly network?: boolean | undefined;
}

/** The first megabyte of each. */
export interface CommandOutput {
  readonly stdout: string;
  readonly stderr: string;
}

export interface WorkspaceFile {
  readonly workspace: number;
  readonly path: string;
}

export interface HandlerAssets {
  /** Visible when the job is done, and only then. */
  put(name: string, content: AssetContent, options?: PutWish): Promise<PutFile>;
  /** A file of the same owner, as a copy in `directory`. */
  get(id: string): Promise<GotFile>;
}

export interface PutWish {
  readonly mediaType?: string | undefined;
  /** What it was made from. */
  readonly commit?: string | undefined;
}

/** `path`: a file that the handler itself has made. */
export type AssetContent =
  | string
  | Uint8Array
  | AsyncIterable<string | Uint8Array>
  | WorkspaceFile
  | { readonly path: string };

export interface PutFile {
  readonly id: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly mediaType: string;
}

export interface GotFile {
  readonly path: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
}

export interface HandlerRepository {
  readonly commit: string;
  /** In the order of their bytes. */
  list(prefix?: string): Promise<readonly RepositoryFile[]>;
  /** Undefined when there is no such file; also when it is a directory, a link or a submodule. */
  read(path: string): Promise<Buffer | undefined>;
}

export interface RepositoryFile {
  readonly path: string;
  readonly bytes: number;
  /** `100644`, `100755`, `120000` (link) or `160000` (submodule). */
  readonly mode: string;
}

export interface EnqueuedJob {
  readonly type: string;
  readonly input?: Readonly<Record<string, unknown>> | undefined;
  readonly key?: string | undefined;
  readonly priority?: "background" | "normal" | "interactive" | undefined;
  readonly run_at?: string | undefined;
  readonly attempts?: number | undefined;
  readonly timeout_ms?: number | undefined;
  readonly dedupe?: string | undefined;
  /** That of this job, unless it is given. */
  readonly source_task_id?: string | undefined;
  readonly notify?: boolean | undefined;
}

export interface ContextOptions {
  readonly job: HandledJob;
  readonly input: unknown;
  readonly directory: string;
  readonly signal: AbortSignal;
  readonly ask: (name: string, request: unknown) => Promise<unknown>;
  readonly progress: HandlerContext["progress"];
}

export function createContext(options: ContextOptions): HandlerContext {
  const { job, input, directory, signal, ask, progress } = options;
  const { id, owner, key, attempt, sourceTaskId } = job;
  return {
    ...{ id, owner, key, attempt, source_task_id: sourceTaskId },
    ...{ input, signal, directory, progress },
    log: (text) => void process.stdout.write(`${String(text).replace(/\n$/, "")}\n`),
    workspace: async (wish) => workspaceOf(await ask("workspace", wish), ask),
    assets: {
      put: async (name, content, wish = {}) =>
        (await ask("put-asset", {
          ...wish,
          name,
          ...(await placeOf(content, options)),
        })) as PutFile,
      get: async (asset) => {
        const got = (await ask("get-asset", { id: asset })) as GotFile;
        return { ...got, path: join(directory, got.path) };
      },
    },
    repository: async (url, ref) => repositoryOf(await ask("repository", { url, ref }), options),
    enqueue: async (next) => (await ask("enqueue", next)) as { id: string },
    github: githubOf(ask),
  };
}

function workspaceOf(made: unknown, ask: ContextOptions["ask"]): HandlerWorkspace {
  const { number, path, commit, mergeBase } = made as {
    number: number;
    path: string;
    commit: string;
    mergeBase?: string;
  };
  return {
    ...{ path, commit, mergeBase },
    run: async (command, wish = {}) =>
      (await ask("command", { ...wish, workspace: number, command })) as CommandOutput,
    file: (inside) => ({ workspace: number, path: inside }),
  };
}

function repositoryOf(opened: unknown, { ask, directory }: ContextOptions): HandlerRepository {
  const { number, commit } = opened as { number: number; commit: string };
  const take = async (answer: unknown) => {
    const { file } = answer as { file?: string };
    if (file === undefined) return undefined;
    const place = join(directory, file);
    try {
      return await readFile(place);
    } finally {
      await rm(place, { force: true });
    }
  };
  const list = async (prefix = "") => {
    const listing = await take(await ask("list-files", { repository: number, prefix }));
    return JSON.parse(listing?.toString("utf8") ?? "[]") as RepositoryFile[];
  };
  const read = async (path: string) =>
    await take(await ask("read-file", { repository: number, path }));
  return { commit, list, read };
}

type AssetPlace =
  | { readonly file: string; readonly isDraft: boolean }
  | { readonly workspace: number; readonly file: string };

/** Asked for at a time: a stream does not say how long it will be, so the longer it is, the more. */
const PIECE_BYTES = { min: 64 * 1024, max: 4 * 1024 * 1024 } as const;

/** Where the worker finds it. A stream is written as it comes: never more than a piece of it is in memory. */
async function placeOf(
  content: AssetContent,
  { directory, signal, ask }: Pick<ContextOptions, "directory" | "signal" | "ask">,
): Promise<AssetPlace> {
  const draft = randomUUID();
  const path = join(directory, draft);
  if (typeof content === "string" || content instanceof Uint8Array) {
    await ask("room", { bytes: Buffer.byteLength(content) });
    await writeFile(path, content, { flag: "wx", signal });
  } else if ("workspace" in content) {
    return { workspace: content.workspace, file: content.path };
  } else if (Symbol.asyncIterator in content) {
    const target = createWriteStream(path, { flags: "wx" });
    try {
      await pipeline(Readable.from(content), (chunks) => inPieces(chunks, ask), target, { signal });
    } catch (error) {
      await rm(path, { force: true }); // the handler may go on without it
      throw error;
    }
  } else {
    const inside = relative(directory, content.path);
    const isInside = inside !== "" && !isAbsolute(inside) && !inside.split("/").includes("..");
    if (isInside) return { file: inside, isDraft: false };
    await ask("room", { bytes: (await stat(content.path)).size });
    await copyFile(content.path, path, constants.COPYFILE_FICLONE);
  }
  return { file: draft, isDraft: true };
}

/** The worker knows what must stay free. */
async function* inPieces(
  chunks: AsyncIterable<Uint8Array | string>,
  ask: ContextOptions["ask"],
): AsyncGenerator<Uint8Array | string> {
  let writtenBytes = 0;
  let grantedBytes = 0;
  for await (const chunk of chunks) {
    writtenBytes += Buffer.byteLength(chunk);
    if (writtenBytes > grantedBytes) {
      const pieceBytes = Math.min(Math.max(writtenBytes, PIECE_BYTES.min), PIECE_BYTES.max);
      const moreBytes = Math.max(pieceBytes, writtenBytes - grantedBytes);
      await ask("room", { bytes: moreBytes });
      grantedBytes += moreBytes;
    }
    yield chunk;
  }
}
