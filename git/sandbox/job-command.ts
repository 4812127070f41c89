// One command of a job: started in the sandbox where there is one, ended with everything it started.
import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { childEnd } from "../command/child-end.ts";
import { endProcessGroup, KILL_GRACE_MS } from "../command/end-process-group.ts";
import { isProcessAlive, type ProcessIdentity } from "../command/process-identity.ts";
import { descendantsOf, signalProcess, WORKSPACE_VARIABLE } from "../command/process-tree.ts";
import { WorkspaceError } from "../workspace/workspace-error.ts";
import { jobEnvironment, PATH } from "./job-environment.ts";
import type { JobUser } from "./job-user.ts";
import { keyringFilter } from "./keyring-filter.ts";
import { type SandboxPlan, sandboxArguments } from "./sandbox-arguments.ts";
import { readSandboxStatus, type SandboxStatus } from "./sandbox-status.ts";

export interface JobCommandOptions {
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly input?: string | Buffer | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How much of each stream is kept for the result; more is thrown away, after `onOutput` has seen it. */
  readonly maxOutputBytes?: number | undefined;
  /** A promise that it returns is waited for before more is read, as long as the command runs. */
  readonly onOutput?: ((stream: "stdout" | "stderr", chunk: Buffer) => unknown) | undefined;
  /** Where the command's output goes instead of being kept. Its errors fail the command. */
  readonly output?: Writable | undefined;
  /** Between asking and force; a function is asked when it has to end. */
  readonly graceMs?: number | (() => number) | undefined;
}

export interface JobCommandResult {
  /** As shells tell it: 127 when there is no such program, 128 and its number when a signal ended it. */
  readonly exitCode: number;
  /** Why we ended it, if we did. */
  readonly stopped?: "timeout" | "aborted" | undefined;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/** Where and as whom commands of one workspace run. */
export interface JobPlace {
  /** Undefined: the machine cannot, and `doctor` says so. */
  readonly sandbox: SandboxPlan | undefined;
  readonly workspace: string;
  readonly temporary: string;
  readonly user: JobUser | undefined;
}

const TIMEOUT_MS = 3_600_000;
/** What a timer can count to; it would run out at once above. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;
const OUTPUT_BYTES_MAX = 1024 * 1024;
const LOOK_EVERY_MS = 20;

export class JobCommand {
  readonly result: Promise<JobCommandResult>;
  readonly #child: ChildProcess;
  readonly #graceMs: () => number;
  readonly #status: SandboxStatus | undefined;
  #stopped: "timeout" | "aborted" | undefined;
  #ending: Promise<void> | undefined;

  constructor(argv: readonly string[], place: JobPlace, options: JobCommandOptions = {}) {
    const { graceMs = KILL_GRACE_MS } = options;
    this.#graceMs = typeof graceMs === "number" ? () => graceMs : graceMs;
    this.#child = start(argv, place, options);
    this.#status = place.sandbox && sandboxStatus(this.#child);
    this.result = this.#run(options);
    this.result.catch(() => {}); // whoever wants to know awaits it; ending it must not crash the process
  }

  /** Politely, then by force; resolves when nothing of it is left. */
  end(reason: "timeout" | "aborted" = "aborted"): Promise<void> {
    this.#stopped ??= reason;
    if (this.#ending === undefined) {
      this.#ending = this.#end(this.#graceMs());
      this.#ending.catch(() => {}); // told by the result, and to whoever awaits it
    }
    return this.#ending;
  }

  async #run(options: JobCommandOptions): Promise<JobCommandResult> {
    const { signal, timeoutMs = TIMEOUT_MS } = options;
    const child = this.#child;
    const stdout = keep(child, "stdout", options);
    const stderr = keep(child, "stderr", options);
    const timer = setTimeout(() => void this.end("timeout"), Math.min(timeoutMs, TIMEOUT_MS_MAX));
    const onAbort = () => void this.end("aborted");
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      const outcome = await exitCodeOf(child);
      const isCutOff = this.#status !== undefined && this.#status.exitCode() === undefined;
      await (isCutOff ? (this.#ending ?? this.#end(0)) : this.#ending);
      await this.#gone();
      const exitCode = this.#status === undefined ? outcome : this.#status.exitCode();
      if (exitCode === undefined && this.#stopped === undefined) {
        throw sandboxFailed(stderr(), outcome);
      }
      const told = exitCode ?? outcome;
      return { exitCode: told, stopped: this.#stopped, stdout: stdout(), stderr: stderr() };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Also when bubblewrap was killed by others: for a moment after its start its first process would outlive it. */
  async #end(graceMs: number): Promise<void> {
    const hanging = delay(graceMs, undefined, { ref: false }); // a sandbox that never gets ready
    const init = await Promise.race([this.#status?.init, hanging]);
    if (init !== undefined) {
      await endPolitely(init, graceMs);
      if (isProcessAlive(init)) signalProcess(init.pid, "SIGKILL");
    }
    await endProcessGroup(this.#child, init === undefined ? graceMs : 0);
    await this.#gone();
  }

  /** The kernel ends a process namespace before its first process can be collected. */
  async #gone(): Promise<void> {
    const init = await this.#status?.init;
    while (init !== undefined && isProcessAlive(init)) await delay(LOOK_EVERY_MS);
  }
}

const STATUS_DESCRIPTOR = 3;
const ARGUMENTS_DESCRIPTOR = 4;
const FILTER_DESCRIPTOR = 5;
const FILTER = keyringFilter(process.arch);
/** Finds the program in the command's own PATH and says 127 when there is none, in the sandbox or not. */
const EXECUTE = ["/bin/sh", "-c", 'exec "$@"', "sh"];

/**
 * Bubblewrap itself runs outside the sandbox, so it gets nothing of the command's environment: with a PATH or LD_PRELOAD
 * of the job's it would be the job that runs there. What the command gets comes by a descriptor, where others cannot read
 * it as they can an argument. It knows the workspace so that all of it can be found: killed just after its start, it
 * leaves a process that waits for its word for ever, or one that goes on alone (seen).
 */
function start(argv: readonly string[], place: JobPlace, options: JobCommandOptions): ChildProcess {
  const { sandbox, workspace, temporary, user } = place;
  const environment = jobEnvironment({
    ...{ workspace, temporary: sandbox === undefined ? temporary : "/tmp" },
    environment: options.environment,
  });
  const flags = ["--args", `${ARGUMENTS_DESCRIPTOR}`, "--json-status-fd", `${STATUS_DESCRIPTOR}`];
  const wrapper = sandbox === undefined ? [] : ["bwrap", ...flags, "--"];
  const [program = "", ...args] = [...wrapper, ...EXECUTE, ...argv];
  const extra = sandbox === undefined ? ("ignore" as const) : ("pipe" as const);
  const child = spawn(program, args, {
    cwd: sandbox === undefined ? workspace : "/",
    env: sandbox === undefined ? environment : { PATH, [WORKSPACE_VARIABLE]: workspace },
    detached: true,
    stdio: [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe", extra, extra, extra],
    ...(user === undefined ? {} : { uid: user.uid, gid: user.gid }),
  });
  child.stdin?.on("error", () => {}); // it may end before it has read all: its exit code tells
  child.stdin?.end(options.input);
  if (sandbox !== undefined && child.pid !== undefined) {
    const setting = Object.entries(environment).flatMap(([name, value]) => [
      "--setenv",
      name,
      value,
    ]);
    const filter = FILTER === undefined ? [] : ["--seccomp", `${FILTER_DESCRIPTOR}`];
    const told = [...sandboxArguments(sandbox), ...filter, "--clearenv", ...setting];
    tell(child, ARGUMENTS_DESCRIPTOR, `${told.join("\0")}\0`);
    tell(child, FILTER_DESCRIPTOR, FILTER ?? "");
  }
  return child;
}

function tell(child: ChildProcess, descriptor: number, what: string | Buffer): void {
  const channel = child.stdio[descriptor] as Writable;
  channel.on("error", () => {}); // it ended before it had read all: its exit code tells
  channel.end(what);
}

/** A child that could not be started at all (no descriptors left) has no streams either. */
function sandboxStatus(child: ChildProcess): SandboxStatus | undefined {
  return child.pid === undefined ? undefined : readSandboxStatus(child, STATUS_DESCRIPTOR);
}

/** How the command ended is not known: not its own failure, but the machine's. */
function sandboxFailed(stderr: Buffer, exitCode: number): WorkspaceError {
  const said = stderr.toString("utf8").trim().split("\n").at(-1) ?? "";
  const why = said || `bubblewrap ended with ${exitCode}`;
  return new WorkspaceError("sandbox-failed", `the sandbox failed: ${why}`);
}

/** SIGTERM once to each process in the sandbox, also to those that come late; its first one ends when the command has. */
async function endPolitely(init: ProcessIdentity, graceMs: number): Promise<void> {
  const killAt = Date.now() + graceMs;
  const asked = new Set<number>();
  while (isProcessAlive(init) && Date.now() < killAt) {
    for (const pid of descendantsOf(init.pid)) {
      if (!asked.has(pid)) signalProcess(pid, "SIGTERM");
      asked.add(pid);
    }
    await delay(LOOK_EVERY_MS);
  }
}

function keep(
  child: ChildProcess,
  name: "stdout" | "stderr",
  { maxOutputBytes = OUTPUT_BYTES_MAX, onOutput, output }: JobCommandOptions,
): () => Buffer {
  const stream: Readable | null = child[name];
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  let hasEnded = false;
  const waiting = output === undefined ? [child.stdout, child.stderr] : [stream]; // else one would overtake the other
  if (name === "stdout" && output !== undefined) {
    stream?.pipe(output);
    return () => Buffer.alloc(0);
  }
  stream?.on("data", (chunk: Buffer) => {
    const wait = onOutput?.(name, chunk);
    if (wait instanceof Promise && !hasEnded) {
      const goOn = () => void waiting.map((each) => each?.resume());
      for (const each of waiting) each?.pause();
      wait.then(goOn, goOn);
    }
    const room = maxOutputBytes - sizeBytes;
    if (room > 0) chunks.push(chunk.subarray(0, room));
    sizeBytes += chunk.length;
  });
  child.once("exit", () => {
    hasEnded = true; // what is left in the pipe is little, and nobody waits long for it
    stream?.resume();
  });
  stream?.on("error", () => {}); // destroyed below when a stray holder keeps it open
  return () => Buffer.concat(chunks);
}

/** As a shell would tell it. */
async function exitCodeOf(child: ChildProcess): Promise<number> {
  const { exitCode, signal, spawnError } = await childEnd(child);
  if (spawnError !== undefined) throw spawnError;
  return exitCode ?? 128 + constants.signals[signal ?? "SIGKILL"];
}
