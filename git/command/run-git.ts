// The only place that starts git: built environment, own process group, deadline, capped output, typed errors.
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import type { Duplex, Readable } from "node:stream";
import { childEnd } from "./child-end.ts";
import { endProcessGroup } from "./end-process-group.ts";
import { gitEnvironment, type Protocol } from "./git-environment.ts";
import { classifyGitFailure, GitError, type GitErrorCode, tellingLine } from "./git-error.ts";
import { redactSecrets } from "./redact-secrets.ts";

export interface RunGitOptions {
  /** The repository, named outright: git never looks for one in the directories above. */
  readonly gitDir?: string | undefined;
  readonly workTree?: string | undefined;
  readonly cwd?: string | undefined;
  /** None unless named: most commands have no business on the network. */
  readonly protocols?: readonly Protocol[] | undefined;
  readonly config?: readonly (readonly [key: string, value: string])[] | undefined;
  readonly variables?: Readonly<Record<string, string>> | undefined;
  readonly input?: string | Buffer | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly maxOutputBytes?: number | undefined;
  /**
   * For reads of what others have written: a repository of 100 KB can name more files than any memory takes. The packs that
   * git maps do not count. The kernel keeps it: Linux does, macOS does not.
   */
  readonly memoryBytesMax?: number | undefined;
  /** Exit codes that are answers, not failures: `git diff --quiet` says 1. */
  readonly answers?: readonly number[] | undefined;
  /** Values that must not appear in an error; read when it is made, because tokens come late. */
  readonly secrets?: (() => readonly string[]) | undefined;
  /** Speaks with git's credential helper over descriptor 3. */
  readonly onHelper?: ((helper: Duplex) => void) | undefined;
  /** Descriptors of locks: if we are killed, they stay held until this git has ended. */
  readonly lockDescriptors?: readonly number[] | undefined;
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
}

export interface GitResult {
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly exitCode: number;
}

const TIMEOUT_MS = 60_000;
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
export const STDERR_BYTES_MAX = 64 * 1024;

export async function runGit(
  args: readonly string[],
  options: RunGitOptions = {},
): Promise<GitResult> {
  const {
    timeoutMs = TIMEOUT_MS,
    signal,
    maxOutputBytes = OUTPUT_BYTES_MAX,
    answers = [],
  } = options;
  const command = args[0] ?? "";
  if (signal?.aborted) throw new GitError("aborted", `git ${command} was not started`, { command });
  const child = startGit(args, options);
  let stopped: GitErrorCode | undefined;
  const stop = (code: GitErrorCode) => {
    if (stopped !== undefined) return;
    stopped = code;
    void endProcessGroup(child);
  };
  const timer = setTimeout(() => stop("timeout"), timeoutMs);
  const onAbort = () => stop("aborted");
  signal?.addEventListener("abort", onAbort, { once: true });
  const stdout = collect(child.stdout, maxOutputBytes, () => stop("too-large"));
  const stderr = collect(child.stderr, STDERR_BYTES_MAX, () => {}); // the rest of a flood is dropped
  const end = await childEnd(child);
  clearTimeout(timer);
  signal?.removeEventListener("abort", onAbort);
  if (stopped !== undefined) await endProcessGroup(child); // none of the group outlives the call

  const exitCode = end.exitCode ?? -1;
  const result = { stdout: stdout(), stderr: stderr().toString("utf8"), exitCode };
  if (stopped === undefined && (exitCode === 0 || answers.includes(exitCode))) return result;
  throw gitFailure(
    command,
    { stopped, exitCode, spawnError: end.spawnError, stderr: result.stderr },
    options,
  );
}

/** The usual case: text out, without the newline at its end. */
export async function gitText(
  args: readonly string[],
  options: RunGitOptions = {},
): Promise<string> {
  const { stdout } = await runGit(args, options);
  return stdout.toString("utf8").trimEnd();
}

/** For those who read while it runs; they end it too. `holdsInput`: its input stays open. */
export function startGit(
  args: readonly string[],
  options: RunGitOptions,
  holdsInput = false,
): ChildProcess {
  const { gitDir, workTree, cwd = "/", protocols = [], config, variables, input } = options;
  const { onHelper, lockDescriptors = [], uid, gid, memoryBytesMax } = options;
  const place = [
    ...(gitDir === undefined ? [] : [`--git-dir=${gitDir}`]),
    ...(workTree === undefined ? [] : [`--work-tree=${workTree}`]),
  ];
  const program = programWithin(memoryBytesMax);
  const child = started(args[0] ?? "", [...program, ...place, ...args], {
    cwd,
    env: gitEnvironment({ protocols, config, variables }),
    detached: true,
    stdio: [
      input === undefined && !holdsInput ? "ignore" : "pipe",
      "pipe",
      "pipe",
      onHelper === undefined ? "ignore" : "pipe",
      ...lockDescriptors,
    ],
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
  });
  child.stdin?.on("error", () => {}); // git may end before it has read all: its exit code tells
  if (!holdsInput) child.stdin?.end(input);
  if (onHelper !== undefined && child.pid !== undefined) onHelper(child.stdio[3] as Duplex);
  return child;
}

/** The shell is gone as soon as it has set the limit; where a lower one holds already, that stays. */
function programWithin(memoryBytesMax: number | undefined): readonly string[] {
  if (memoryBytesMax === undefined) return ["git"];
  const limit = `ulimit -d ${Math.ceil(memoryBytesMax / 1024)} 2>/dev/null; exec git "$@"`;
  return ["/bin/sh", "-c", limit, "sh"];
}

/** Some reasons are thrown at once (too many arguments, no memory), others come as an event. */
function started(
  command: string,
  [program = "", ...args]: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  try {
    return spawn(program, args, options);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new GitError("failed", `git ${command} failed: ${reason}`, { command }, error);
  }
}

/** A child that could not be started for want of descriptors has no streams. */
export function collect(
  stream: Readable | null | undefined,
  maxBytes: number,
  onOverflow: () => void,
): () => Buffer {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  stream?.on("data", (chunk: Buffer) => {
    const room = maxBytes - sizeBytes;
    if (room > 0) chunks.push(chunk.subarray(0, room));
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) onOverflow();
  });
  stream?.on("error", () => {}); // destroyed below when a stray holder keeps it open
  return () => Buffer.concat(chunks);
}

const MIB = 1024 * 1024;
/** Git's own words, and those of the libraries it quotes. */
const NO_MEMORY = /^(?:fatal|error): .*(?:out of memory|cannot allocate memory)/im;

export interface GitOutcome {
  readonly stopped: GitErrorCode | undefined;
  readonly exitCode: number;
  readonly spawnError?: Error | undefined;
  readonly stderr: string;
}

export function gitFailure(
  command: string,
  outcome: GitOutcome,
  { timeoutMs = TIMEOUT_MS, secrets, memoryBytesMax }: RunGitOptions,
): GitError {
  const { exitCode, spawnError } = outcome;
  const isFull = memoryBytesMax !== undefined && NO_MEMORY.test(outcome.stderr);
  const stopped = outcome.stopped ?? (isFull ? "too-large" : undefined);
  const stderr = redactSecrets(outcome.stderr, secrets?.() ?? []);
  const details = { command, exitCode, stderr };
  const reasons: Partial<Record<GitErrorCode, string>> = {
    timeout: `timed out after ${timeoutMs} ms`,
    aborted: "was aborted",
    "too-large": isFull
      ? `needs more than ${memoryBytesMax / MIB} MiB of memory`
      : "wrote more than is accepted",
  };
  const said = tellingLine(stderr);
  const reason =
    (stopped && reasons[stopped]) ?? spawnError?.message ?? (said || `exit code ${exitCode}`);
  const code = stopped ?? classifyGitFailure(outcome.stderr);
  return new GitError(code, `git ${command} failed: ${reason}`, details, spawnError);
}
