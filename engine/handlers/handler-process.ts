// One process of handlers: gives it a job, hears what becomes of it, and ends it with all that it started.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type Duplex, PassThrough } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { markedProcesses, processesIn, signalProcess } from "@croft/git";
import { JobFailure } from "../jobs/job-failure.ts";
import type { Attempt } from "../jobs/job-type.ts";
import { CHANNEL, type HandlerCommand, handlerCommand } from "./handler-command.ts";
import { type Answer, FromHandler, type Question, type ToHandler } from "./handler-messages.ts";
import { MessageLines } from "./message-lines.ts";
import { OutputReader } from "./output-reader.ts";

export interface HandledAttempt {
  readonly attempt: Attempt;
  /** Of this attempt alone. */
  readonly directory: string;
  /** Between the signal and the end. */
  readonly graceMs: () => number;
  readonly answer: (question: Question) => Promise<Answer>;
}

/** It ended before it had begun with the job: another process may have it, as if nothing had been. */
export class NotBegun extends Error {
  override readonly name = "NotBegun";
}

const START_LIMIT_MS = 30_000;
const LEAVE_WITHIN_MS = 5000;
const LOOK_EVERY_MS = 10;
const LAST_WORDS_MS = 1000;
const SAID_LENGTH_MAX = 2000;
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
/** More questions wait in its own memory. */
const ASKED_MAX = 32;

/*
 *   start ──ready──▶ idle ──run──▶ busy ──done──▶ idle …
 *     │                              │
 *     └──── unfit, too slow ─────────┴── failed, ended, stopped, worn ──▶ end
 */
export class HandlerProcess {
  readonly #child: ChildProcess;
  readonly #directory: string;
  readonly #lines: MessageLines;
  readonly #output: OutputReader;
  /** With all that it had said by then. */
  readonly #exited: Promise<void>;
  #hear: (message: FromHandler) => Promise<void> | undefined = () => undefined;
  #junk: string | undefined;
  /** What the project has started when it was loaded: it belongs to the process, and to no job. */
  #household: ReadonlySet<number> = new Set();
  #jobs = 0;
  #isWorn = false;

  private constructor(command: HandlerCommand) {
    this.#directory = command.directory;
    const { program, args, options } = handlerCommand(command);
    this.#child = spawn(program, args, options);
    this.#output = new OutputReader(this.#child);
    this.#child.on("error", () => {}); // told where it is waited for
    this.#lines = new MessageLines(channelOf(this.#child), {
      lengthMax: MESSAGE_BYTES_MAX,
      onMessage: (message) => this.#read(message),
      onJunk: (what) => this.#refuse(what),
    });
    void this.#lines.ended.then(() => this.#kill()); // one that cannot be heard any more is of no use
    this.#exited = once(this.#child, "exit").then(
      () => Promise.race([this.#lines.ended, delay(LAST_WORDS_MS)]),
      () => {}, // it could not be started
    );
  }

  /** Rejects when the project's configuration cannot be loaded there. */
  static async start(command: HandlerCommand, signal: AbortSignal): Promise<HandlerProcess> {
    const made = new HandlerProcess(command);
    try {
      await made.#begin(signal);
      made.#household = new Set(made.#company());
      return made;
    } catch (error) {
      await made.end();
      throw error;
    }
  }

  /** Whether it can have another job. */
  get isFit(): boolean {
    const { exitCode, signalCode } = this.#child;
    return !this.#isWorn && !this.#output.isClosed && exitCode === null && signalCode === null;
  }

  /** How many it has had. */
  get jobs(): number {
    return this.#jobs;
  }

  async #begin(signal: AbortSignal): Promise<void> {
    let said = "";
    this.#output.write = (_stream, chunk) => {
      said = (said + chunk.toString("utf8")).slice(-SAID_LENGTH_MAX);
      return undefined;
    };
    const failed = (what: string) => {
      const last = said.trim() === "" ? "" : `: ${said.trim()}`;
      return new JobFailure("transient", "handler-start", `its process ${what}${last}`);
    };
    const over = new AbortController();
    try {
      await new Promise<void>((resolve, reject) => {
        this.#child.once("error", reject);
        this.#hear = (message) => {
          if (message.kind === "ready") resolve();
          if (message.kind === "unfit") reject(failed(`cannot load it: ${message.message}`));
          return undefined;
        };
        signal.addEventListener("abort", () => reject(signal.reason), { signal: over.signal });
        void this.#exited.then(() => reject(failed("ended at its start")));
        const late = () => reject(failed(`took longer than ${START_LIMIT_MS / 1000} s to start`));
        delay(START_LIMIT_MS, undefined, { signal: over.signal }).then(late, () => {}); // it started in time
        if (signal.aborted) reject(signal.reason);
      });
    } finally {
      over.abort();
      this.#output.write = undefined;
      this.#hear = () => undefined;
    }
  }

  /** What the handler returns. After a failure the process is of no use any more. */
  async run(handled: HandledAttempt): Promise<unknown> {
    const { attempt, directory, graceMs } = handled;
    const run = ++this.#jobs;
    const { id, owner, key, type, input, signal } = attempt;
    const over = new AbortController();
    const asked = new Set<Promise<void>>();
    this.#output.write = (stream, chunk) => attempt.log(chunk, stream);
    const stop = () => {
      const message = signal.reason instanceof Error ? signal.reason.message : "stopped";
      this.#tell({ kind: "stop", run, message });
      delay(graceMs(), undefined, { signal: over.signal }).then(
        () => this.#kill(),
        () => {}, // it ended by itself
      );
    };
    try {
      const result = await new Promise<unknown>((resolve, reject) => {
        let hasBegun = false;
        this.#hear = (message) => {
          if (!("run" in message) || message.run !== run) return undefined; // of the job before
          hasBegun = true;
          if (message.kind === "ask") return this.#ask(message, handled, asked);
          if (message.kind === "progress") attempt.progress(message.fraction, message.note);
          if (message.kind === "failed") reject(failureOf(message.error, attempt));
          if (message.kind === "done") {
            this.#isWorn ||= message.isWorn;
            resolve(message.result);
          }
          return undefined;
        };
        void this.#exited.then(() => reject(hasBegun ? this.#whyEnded() : new NotBegun()));
        signal.addEventListener("abort", stop, { signal: over.signal });
        const job = { id, owner, key, type, attempt: attempt.attempt, input };
        this.#tell({ kind: "run", run, job, directory });
        if (signal.aborted) stop();
      });
      await Promise.all(asked); // what it did not wait for itself is part of it
      return result;
    } finally {
      over.abort();
      await this.#output.untilQuiet();
      this.#output.write = undefined;
      this.#hear = () => undefined;
    }
  }

  /** Whether something that a job has started goes on. */
  hasCompany(): boolean {
    return this.#company().some((pid) => !this.#household.has(pid));
  }

  /** With all that it has started, also what has left its process group. */
  async end(): Promise<void> {
    const giveUpAt = Date.now() + LEAVE_WITHIN_MS;
    this.#kill();
    if (this.#child.pid !== undefined) await this.#exited;
    const look = () => processesIn([this.#directory], process.getuid?.() ?? 0);
    for (let found = look(); found.length > 0 && Date.now() < giveUpAt; found = look()) {
      for (const pid of found) signalProcess(pid, "SIGKILL");
      await delay(LOOK_EVERY_MS);
    }
    this.#output.close();
  }

  #company(): number[] {
    const users = new Set([process.getuid?.() ?? 0]);
    return markedProcesses(users)
      .filter(({ pid, workspace }) => workspace === this.#directory && pid !== this.#child.pid)
      .map(({ pid }) => pid);
  }

  #kill(): void {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid !== undefined && exitCode === null && signalCode === null) {
      signalProcess(-pid, "SIGKILL");
    }
  }

  #tell(message: ToHandler): void {
    void this.#lines.send(message);
  }

  #read(message: unknown): Promise<void> | undefined {
    const parsed = FromHandler.safeParse(message);
    if (parsed.success) return this.#hear(parsed.data);
    this.#refuse("a message that is none of Croft's");
    return undefined;
  }

  #refuse(what: string): void {
    this.#junk ??= what;
    this.#isWorn = true;
    this.#kill();
  }

  /** A promise: it asks faster than it is answered, and is not listened to until then. */
  #ask(
    { run, call, question }: Extract<FromHandler, { kind: "ask" }>,
    { answer }: HandledAttempt,
    asked: Set<Promise<void>>,
  ): Promise<void> | undefined {
    const answered = answer(question).then((told) => {
      asked.delete(answered);
      this.#tell({ kind: "answer", run, call, answer: told });
    });
    asked.add(answered);
    return asked.size < ASKED_MAX ? undefined : Promise.race(asked);
  }

  #whyEnded(): JobFailure {
    const { exitCode, signalCode } = this.#child;
    if (this.#junk !== undefined) {
      const message = `its process was ended: it sent ${this.#junk}`;
      return new JobFailure("transient", "handler-ended", message);
    }
    const how = signalCode === null ? `with exit code ${exitCode}` : `by ${signalCode}`;
    const isFull = signalCode === "SIGABRT" || exitCode === 134;
    const why = isFull ? ": probably it took more memory than it may (handler.memory)" : "";
    return new JobFailure("transient", "handler-ended", `its process ended ${how}${why}`);
  }
}

/** One that could not be started at all, for want of descriptors, has none. */
function channelOf(child: ChildProcess): Duplex {
  const streams: ChildProcess["stdio"] | undefined = child.stdio;
  return (streams?.[CHANNEL] as Duplex | undefined) ?? new PassThrough().end();
}

function failureOf(
  { message, code = "failed", class: kind = "transient", retryAfterMs, stack }: HandlerErrorOf,
  attempt: Attempt,
): JobFailure {
  if (stack !== undefined) void attempt.log(`${stack}\n`, "stderr");
  return new JobFailure(kind, code, message, retryAfterMs === undefined ? {} : { retryAfterMs });
}

type HandlerErrorOf = Extract<FromHandler, { kind: "failed" }>["error"];
