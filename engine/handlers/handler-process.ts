// One process of handlers: gives it a job, hears what becomes of it, and ends it with all that it started.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type Duplex, PassThrough } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { JobFailure } from "../jobs/job-failure.ts";
import type { Attempt } from "../jobs/job-type.ts";
import { CHANNEL, type HandlerCommand, handlerCommand } from "./handler-command.ts";
import { HandlerCompany } from "./handler-company.ts";
import { whyEnded } from "./handler-ended.ts";
import {
  type Answer,
  FromHandler,
  type HandlerError,
  type Question,
  type ToHandler,
} from "./handler-messages.ts";
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

interface Listener {
  hear(message: FromHandler): Promise<void> | undefined;
  /** It will not say any more. */
  gone(): void;
}

const NOBODY: Listener = { hear: () => undefined, gone: () => {} };
const START_LIMIT_MS = 30_000;
const LAST_WORDS_MS = 1000;
/** Longer after a job's end only somebody prints whom it has left behind. */
const QUIET_WITHIN_MS = 5000;
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
  /** Undefined for one that could not be started. */
  readonly #company: HandlerCompany | undefined;
  readonly #lines: MessageLines;
  readonly #output: OutputReader;
  /** With all that it had said by then. */
  readonly #exited: Promise<void>;
  #listener = NOBODY;
  #isGone = false;
  #junk: string | undefined;
  #jobs = 0;
  #isWorn = false;

  private constructor(command: HandlerCommand) {
    const { program, args, options } = handlerCommand(command);
    this.#child = spawn(program, args, options);
    const { pid } = this.#child;
    this.#company = pid === undefined ? undefined : new HandlerCompany(pid, command.directory);
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
    void this.#exited.then(() => {
      this.#isGone = true;
      this.#listener.gone();
    });
  }

  /** Rejects when the project's configuration cannot be loaded there. */
  static async start(command: HandlerCommand, signal: AbortSignal): Promise<HandlerProcess> {
    const made = new HandlerProcess(command);
    try {
      await made.#begin(signal);
      await made.#company?.settle();
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
      await this.#listen<void>((resolve, reject) => {
        this.#child.once("error", reject);
        signal.addEventListener("abort", () => reject(signal.reason), { signal: over.signal });
        const late = () => reject(failed(`took longer than ${START_LIMIT_MS / 1000} s to start`));
        delay(START_LIMIT_MS, undefined, { signal: over.signal }).then(late, () => {}); // it started in time
        if (signal.aborted) reject(signal.reason);
        return {
          hear: (message) => {
            if (message.kind === "ready") resolve();
            if (message.kind === "unfit") reject(failed(`cannot load it: ${message.message}`));
            return undefined;
          },
          gone: () => reject(failed("ended at its start")),
        };
      });
    } finally {
      over.abort();
      this.#output.write = undefined;
    }
  }

  /** What the handler returns. After a failure the process is of no use any more. */
  async run(handled: HandledAttempt): Promise<unknown> {
    const { attempt, directory, graceMs } = handled;
    const { id, owner, key, type, input, sourceTaskId, signal } = attempt;
    const over = new AbortController();
    const asked = new Set<Promise<void>>();
    this.#output.write = (stream, chunk) => attempt.log(chunk, stream);
    const stop = (run: number) => {
      const message = signal.reason instanceof Error ? signal.reason.message : "stopped";
      this.#tell({ kind: "stop", run, message });
      delay(graceMs(), undefined, { signal: over.signal }).then(
        () => this.#kill(),
        () => {}, // it ended by itself
      );
    };
    try {
      const result = await this.#perform((run) => {
        signal.addEventListener("abort", () => stop(run), { signal: over.signal });
        const job = { id, owner, key, type, attempt: attempt.attempt, sourceTaskId, input };
        this.#tell({ kind: "run", run, job, directory });
        if (signal.aborted) stop(run);
        return (message) => {
          if (message.kind === "ask") return this.#ask(message, handled, asked);
          if (message.kind === "progress") attempt.progress(message.fraction, message.note);
          const stack = message.kind === "failed" ? message.error.stack : undefined;
          if (stack !== undefined) void attempt.log(`${stack}\n`, "stderr");
          return undefined;
        };
      });
      await Promise.all(asked); // what it did not wait for itself is part of it
      return result;
    } finally {
      over.abort();
      await this.#output.untilQuiet(QUIET_WITHIN_MS);
      this.#output.write = undefined;
    }
  }

  /** What the schema of a handler says of an input, see `CheckedInput`. */
  async check(type: string, input: unknown): Promise<unknown> {
    return await this.#perform((run) => {
      this.#tell({ kind: "check", run, type, input });
      return () => undefined;
    });
  }

  /** What becomes of the one thing that `begin` asks for; whatever else is said of it goes to what that returns. */
  async #perform(begin: (run: number) => Listener["hear"]): Promise<unknown> {
    const run = ++this.#jobs;
    return await this.#listen<unknown>((resolve, reject) => {
      const hear = begin(run);
      let hasBegun = false;
      return {
        hear: (message) => {
          if (!("run" in message) || message.run !== run) return undefined; // of the one before
          hasBegun = true;
          const wait = hear(message);
          if (message.kind === "failed") reject(failureOf(message.error));
          if (message.kind === "done") {
            this.#isWorn ||= message.isWorn;
            resolve(message.result);
          }
          return wait;
        },
        gone: () => reject(whyEnded(this.#child, { junk: this.#junk, hasBegun })),
      };
    });
  }

  async #listen<T>(
    begin: (resolve: (value: T) => void, reject: (error: unknown) => void) => Listener,
  ): Promise<T> {
    try {
      return await new Promise<T>((resolve, reject) => {
        this.#listener = begin(resolve, reject);
        if (this.#isGone) this.#listener.gone();
      });
    } finally {
      this.#listener = NOBODY;
    }
  }

  /** Whether something that a job has started goes on. */
  async hasCompany(): Promise<boolean> {
    return (await this.#company?.isThere()) ?? false;
  }

  /** With all that it has started, also what has left its process group. */
  async end(): Promise<void> {
    this.#kill();
    if (this.#company !== undefined) await this.#exited;
    await this.#company?.end();
    this.#output.close();
  }

  #kill(): void {
    const { exitCode, signalCode } = this.#child;
    if (exitCode === null && signalCode === null) this.#company?.kill();
  }

  #tell(message: ToHandler): void {
    void this.#lines.send(message);
  }

  #read(message: unknown): Promise<void> | undefined {
    const parsed = FromHandler.safeParse(message);
    if (parsed.success) return this.#listener.hear(parsed.data);
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
    const answered = answer(question)
      .then((told) => this.#lines.send({ kind: "answer", run, call, answer: told } as ToHandler))
      .finally(() => asked.delete(answered)); // not before it is on its way: one that does not read is not asked for more
    asked.add(answered);
    return asked.size < ASKED_MAX ? undefined : Promise.race(asked);
  }
}

/** One that could not be started at all, for want of descriptors, has none. */
function channelOf(child: ChildProcess): Duplex {
  const streams: ChildProcess["stdio"] | undefined = child.stdio;
  return (streams?.[CHANNEL] as Duplex | undefined) ?? new PassThrough().end();
}

function failureOf(error: HandlerError): JobFailure {
  const { message, code = "failed", class: kind = "transient", retryAfterMs } = error;
  return new JobFailure(kind, code, message, retryAfterMs === undefined ? {} : { retryAfterMs });
}
