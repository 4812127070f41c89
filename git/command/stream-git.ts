// Runs git and hands on what it writes piece by piece, no faster than it is taken: for output of any length.
import { endProcessGroup } from "./end-process-group.ts";
import { GitError, type GitErrorCode } from "./git-error.ts";
import { collect, gitFailure, type RunGitOptions, STDERR_BYTES_MAX, startGit } from "./run-git.ts";

/** `timeoutMs` is how long git may be silent while it is waited for; a reader may take all the time it wants. */
export type StreamGitOptions = Omit<RunGitOptions, "maxOutputBytes" | "onHelper">;

const SILENCE_MS_MAX = 5 * 60_000;

/** Ends git when the reader leaves early. If we are killed, git ends at its next write. */
export async function* streamGit(
  args: readonly string[],
  options: StreamGitOptions = {},
): AsyncGenerator<Buffer, void, undefined> {
  const { timeoutMs = SILENCE_MS_MAX, signal, answers = [] } = options;
  const command = args[0] ?? "";
  if (signal?.aborted) throw new GitError("aborted", `git ${command} was not started`, { command });
  const child = startGit(args, options);
  const stderr = collect(child.stderr, STDERR_BYTES_MAX, () => {});
  const ended = new Promise<{ exitCode: number; spawnError?: Error }>((resolve) => {
    child.once("close", (exitCode) => resolve({ exitCode: exitCode ?? -1 }));
    child.once("error", (spawnError) => resolve({ exitCode: -1, spawnError }));
  });
  let stopped: GitErrorCode | undefined;
  const stop = (code: GitErrorCode) => {
    stopped ??= code;
    void endProcessGroup(child);
    child.stdout?.destroy();
  };
  const onAbort = () => stop("aborted");
  signal?.addEventListener("abort", onAbort, { once: true });
  let timer: NodeJS.Timeout | undefined;
  const watch = () => {
    timer = setTimeout(() => stop("timeout"), timeoutMs);
  };
  let isOver = false;
  try {
    watch();
    for await (const chunk of child.stdout ?? []) {
      clearTimeout(timer);
      yield chunk as Buffer;
      if (stopped !== undefined) break;
      watch();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error; // how it ended tells
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    isOver = child.stdout?.readableEnded === true && stopped === undefined;
    if (!isOver) await endProcessGroup(child);
  }
  const { exitCode, spawnError } = await ended;
  if (isOver && (exitCode === 0 || answers.includes(exitCode))) return;
  const said = stderr().toString("utf8");
  throw gitFailure(
    command,
    { stopped, exitCode, spawnError, stderr: said },
    { ...options, timeoutMs },
  );
}

/** What is longer is no path that any file system takes. */
const RECORD_BYTES_MAX = 1024 * 1024;

/** What stands between NUL and NUL, in lots: one at a time would cost more than the reading. */
export async function* recordsOf(
  pieces: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer[], void, undefined> {
  for await (const records of recordStartsOf(pieces, RECORD_BYTES_MAX + 1)) {
    if (records.some(({ length }) => length > RECORD_BYTES_MAX)) {
      throw new GitError("too-large", "a path is longer than is accepted", { command: "ls-tree" });
    }
    yield records;
  }
}

/** The same where others decide how long they are: of each only so many bytes, and no more of it is ever kept. */
export async function* recordStartsOf(
  pieces: AsyncIterable<Buffer>,
  bytesMax: number,
): AsyncGenerator<Buffer[], void, undefined> {
  let start: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const records: Buffer[] = [];
    let at = 0;
    for (let end = piece.indexOf(0); end !== -1; end = piece.indexOf(0, at)) {
      records.push(lengthened(start, piece.subarray(at, end), bytesMax));
      start = piece.subarray(0, 0);
      at = end + 1;
    }
    start = lengthened(start, piece.subarray(at), bytesMax);
    if (records.length > 0) yield records;
  }
}

function lengthened(start: Buffer, more: Buffer, bytesMax: number): Buffer {
  const fitting = more.subarray(0, bytesMax - start.length);
  if (start.length === 0) return fitting;
  return fitting.length === 0 ? start : Buffer.concat([start, fitting]);
}
