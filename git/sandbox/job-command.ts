// One command of a job: started in the sandbox where there is one, ended with everything it started.
import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { endProcessGroup, KILL_GRACE_MS } from "../command/end-process-group.ts";
import { isProcessAlive, type ProcessIdentity } from "../command/process-identity.ts";
import { readProcessState } from "../command/process-state.ts";
import { descendantsOf, signalProcess } from "../command/process-tree.ts";
import type { JobUser } from "./job-user.ts";
import { type SandboxPlan, sandboxArguments } from "./sandbox-arguments.ts";

export interface JobCommandOptions {
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly input?: string | Buffer | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How much of each stream is kept for the result; more is thrown away, after `onOutput` has seen it. */
  readonly maxOutputBytes?: number | undefined;
  readonly onOutput?: ((stream: "stdout" | "stderr", chunk: Buffer) => void) | undefined;
  /** Where the command's output goes instead of being kept. Its errors fail the command. */
  readonly output?: Writable | undefined;
  readonly graceMs?: number | undefined;
}

export interface JobCommandResult {
  /** -1 when a signal ended it. */
  readonly exitCode: number;
  readonly signal: NodeJS.Signals | null;
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
const OUTPUT_BYTES_MAX = 1024 * 1024;
const LAST_OUTPUT_MS = 1000;
const LOOK_EVERY_MS = 20;
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export class JobCommand {
  readonly result: Promise<JobCommandResult>;
  readonly #child: ChildProcess;
  readonly #graceMs: number;
  /** First process of the sandbox's process namespace: when it is gone, all of them are. */
  readonly #sandboxInit: Promise<ProcessIdentity | undefined>;
  #stopped: "timeout" | "aborted" | undefined;
  #ending: Promise<void> | undefined;

  constructor(argv: readonly string[], place: JobPlace, options: JobCommandOptions = {}) {
    this.#graceMs = options.graceMs ?? KILL_GRACE_MS;
    this.#child = start(argv, place, options);
    this.#sandboxInit = place.sandbox ? readInit(this.#child) : Promise.resolve(undefined);
    this.result = this.#run(options);
    this.result.catch(() => {}); // whoever wants to know awaits it; ending it must not crash the process
  }

  /** Politely, then by force; resolves when nothing of it is left. */
  end(reason: "timeout" | "aborted" = "aborted"): Promise<void> {
    this.#stopped ??= reason;
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #run(options: JobCommandOptions): Promise<JobCommandResult> {
    const { signal, timeoutMs = TIMEOUT_MS } = options;
    const child = this.#child;
    const stdout = keep(child.stdout, "stdout", options);
    const stderr = keep(child.stderr, "stderr", options);
    const timer = setTimeout(() => void this.end("timeout"), timeoutMs);
    const onAbort = () => void this.end("aborted");
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      const outcome = await ended(child);
      await this.#ending;
      await this.#gone();
      return { ...outcome, stopped: this.#stopped, stdout: stdout(), stderr: stderr() };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  async #end(): Promise<void> {
    const init = await this.#sandboxInit;
    if (init !== undefined) {
      await endPolitely(init, this.#graceMs);
      signalProcess(init.pid, "SIGKILL");
    }
    await endProcessGroup(this.#child, init === undefined ? this.#graceMs : 0);
    await this.#gone();
  }

  /** The kernel ends a process namespace before its first process can be collected. */
  async #gone(): Promise<void> {
    const init = await this.#sandboxInit;
    while (init !== undefined && isProcessAlive(init)) await delay(LOOK_EVERY_MS);
  }
}

function start(argv: readonly string[], place: JobPlace, options: JobCommandOptions): ChildProcess {
  const { sandbox, workspace, temporary, user } = place;
  const [program = "", ...args] =
    sandbox === undefined
      ? argv
      : ["bwrap", ...sandboxArguments(sandbox), "--info-fd", "3", "--", ...argv];
  const child = spawn(program, args, {
    cwd: sandbox === undefined ? workspace : "/",
    env: {
      PATH,
      HOME: sandbox === undefined ? temporary : "/tmp/home",
      TMPDIR: sandbox === undefined ? temporary : "/tmp",
      LANG: "C.UTF-8",
      ...options.environment,
    },
    detached: true,
    stdio: [
      options.input === undefined ? "ignore" : "pipe",
      "pipe",
      "pipe",
      sandbox === undefined ? "ignore" : "pipe",
    ],
    ...(user === undefined ? {} : { uid: user.uid, gid: user.gid }),
  });
  child.stdin?.on("error", () => {}); // it may end before it has read all: its exit code tells
  child.stdin?.end(options.input);
  return child;
}

/** Bubblewrap tells the number of its first process; nothing comes when it could not start one. */
async function readInit(child: ChildProcess): Promise<ProcessIdentity | undefined> {
  const stream = child.stdio[3] as Readable;
  let text = "";
  const pid = await new Promise<number | undefined>((resolve) => {
    stream.on("data", (chunk) => {
      text += chunk;
      const found = /"child-pid": (\d+)/.exec(text)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
    stream.on("error", () => resolve(undefined));
    stream.on("close", () => resolve(undefined));
    child.once("error", () => resolve(undefined));
    child.once("exit", () => resolve(undefined));
  });
  const state = pid === undefined ? undefined : readProcessState(pid);
  return pid === undefined || state === undefined ? undefined : { pid, start: state.start };
}

/** SIGTERM to all processes in the sandbox; its first one ends when the command has. */
async function endPolitely(init: ProcessIdentity, graceMs: number): Promise<void> {
  const killAt = Date.now() + graceMs;
  for (const pid of descendantsOf(init.pid)) signalProcess(pid, "SIGTERM");
  while (isProcessAlive(init) && Date.now() < killAt) await delay(LOOK_EVERY_MS);
}

function keep(
  stream: Readable | null,
  name: "stdout" | "stderr",
  { maxOutputBytes = OUTPUT_BYTES_MAX, onOutput, output }: JobCommandOptions,
): () => Buffer {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  if (name === "stdout" && output !== undefined) {
    stream?.pipe(output);
    return () => Buffer.alloc(0);
  }
  stream?.on("data", (chunk: Buffer) => {
    onOutput?.(name, chunk);
    const room = maxOutputBytes - sizeBytes;
    if (room > 0) chunks.push(chunk.subarray(0, room));
    sizeBytes += chunk.length;
  });
  stream?.on("error", () => {}); // destroyed below when a stray holder keeps it open
  return () => Buffer.concat(chunks);
}

async function ended(child: ChildProcess) {
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const outcome = await new Promise<{ exitCode: number; signal: NodeJS.Signals | null }>(
    (resolve, reject) => {
      child.once("exit", (code, signal) => resolve({ exitCode: code ?? -1, signal }));
      child.once("error", reject);
    },
  );
  const waiting = new AbortController();
  await Promise.race([
    closed,
    delay(LAST_OUTPUT_MS, undefined, { signal: waiting.signal }).catch(() => {}),
  ]);
  waiting.abort();
  for (const stream of child.stdio) stream?.destroy();
  return outcome;
}
