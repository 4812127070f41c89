// One attempt of a job from its start to the word that ends it.
import { type JobError, storableJson } from "@croft/contract";
import type { Assets } from "../assets/assets.ts";
import { AttemptFiles, type KeptAsset } from "../assets/attempt-assets.ts";
import type { Database } from "../database/open-database.ts";
import { describeFailure, JobFailure } from "../jobs/job-failure.ts";
import { type Attempt, type JobType, type JobTypes, parseInput } from "../jobs/job-type.ts";
import type { Log } from "../log.ts";
import { JobLogWriter } from "../logs/job-log-writer.ts";
import type { Lease } from "./lease.ts";
import { ProgressReporter } from "./progress-reporter.ts";

/** What the database gives with a claim. */
export interface ClaimedJob {
  readonly id: string;
  readonly owner: string;
  readonly key: string;
  readonly lane_id: string;
  readonly type: string;
  readonly class: number;
  readonly attempt: number;
  readonly timeout_ms: number | null;
  readonly input: unknown;
}

/** Which attempt a result is of, and what is counted for it. */
export type AttemptName = Pick<ClaimedJob, "id" | "owner" | "lane_id" | "attempt">;

/** What it is told at the end. */
export interface AttemptResult extends AttemptName {
  readonly outcome: "done" | "held" | "failed" | "cancelled" | "drained" | "lost";
  readonly class?: JobError["class"] | undefined;
  readonly result?: unknown;
  /** Recorded in the same transaction. */
  readonly assets?: readonly KeptAsset[] | undefined;
  readonly error?: JobError | undefined;
  readonly delay_ms?: number | undefined;
  readonly max_lost?: number | undefined;
  readonly tries?: number | undefined;
}

/** Why an attempt is ended by us. `lost`: its lease is gone, and nobody wants to hear of it any more. */
export type StopReason = "cancelled" | "timeout" | "drained" | "lost";

/** The reason of an attempt's signal. After `lost` there is no time for politeness. */
export class Stopped extends Error {
  override readonly name = "Stopped";
  readonly reason: StopReason;

  constructor(reason: StopReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface AttemptContext {
  readonly database: Database;
  readonly log: Log;
  readonly types: JobTypes;
  readonly assets: Assets;
  readonly workerId: string;
  readonly timeoutMs: number;
  readonly maxLost: number;
  readonly logBytesMax: number;
  readonly guard: Pick<Lease, "watch" | "forget">;
}

const RESULT_BYTES_MAX = 1024 * 1024;
const MESSAGES: Record<StopReason, string> = {
  cancelled: "cancelled while it ran",
  timeout: "it ran longer than allowed",
  drained: "its worker was shut down",
  lost: "its worker lost the right to run it",
};

export class RunningAttempt {
  readonly job: ClaimedJob;
  readonly ended: Promise<AttemptResult>;
  readonly #context: AttemptContext;
  readonly #name: AttemptName;
  readonly #controller = new AbortController();
  readonly #guarded: string[] = [];
  readonly #writer: JobLogWriter;

  constructor(job: ClaimedJob, context: AttemptContext) {
    const { id, owner, lane_id, attempt } = job;
    this.job = job;
    this.#name = { id, owner, lane_id, attempt };
    this.#context = context;
    this.#writer = new JobLogWriter({ ...this.#fence(), maxBytes: context.logBytesMax });
    this.ended = this.#run();
  }

  /** The first reason counts. */
  stop(reason: StopReason): void {
    if (reason === "lost") this.#writer.abandon(); // also when it is on its way out for another reason
    this.#controller.abort(new Stopped(reason, MESSAGES[reason]));
  }

  #fence() {
    const { database, log, workerId } = this.#context;
    const onError = (error: unknown) =>
      log.warn(
        { err: error, job: this.job.id },
        "log, progress or a file of a job could not be written",
      );
    return { database, jobId: this.job.id, attempt: this.job.attempt, workerId, onError };
  }

  async #run(): Promise<AttemptResult> {
    const { job } = this;
    const writer = this.#writer;
    const progress = new ProgressReporter(this.#fence());
    const { assets } = this.#context;
    const files = new AttemptFiles({ ...this.#fence(), assets, signal: this.#controller.signal });
    const timeoutMs = job.timeout_ms ?? this.#context.timeoutMs;
    const timer = setTimeout(() => this.stop("timeout"), Math.min(timeoutMs, 2 ** 31 - 1));
    try {
      const result = await this.#handle(writer, progress, files);
      return this.#done(result, await files.seal());
    } catch (error) {
      const result = this.#failed(error);
      if (result.error !== undefined) writer.write("croft", `\n${result.error.message}\n`);
      return result;
    } finally {
      clearTimeout(timer);
      files.end();
      for (const directory of this.#guarded) this.#context.guard.forget(directory);
      await Promise.all([writer.end(), progress.end()]);
    }
  }

  async #handle(
    writer: JobLogWriter,
    progress: ProgressReporter,
    assets: AttemptFiles,
  ): Promise<unknown> {
    const { job } = this;
    const type = this.#context.types.get(job.type);
    if (type === undefined) {
      throw new JobFailure(
        "invalid",
        "unknown-type",
        `this worker has no handler for '${job.type}'`,
      );
    }
    const attempt: Attempt = {
      id: job.id,
      owner: job.owner,
      key: job.key === "" ? undefined : job.key,
      type: job.type,
      attempt: job.attempt,
      input: type.readsOwnInput === true ? job.input : await parse(type, job.input),
      signal: this.#controller.signal,
      assets,
      log: (text, stream = "croft") => writer.write(stream, text),
      mask: (secrets) => writer.mask(secrets),
      progress: (fraction, note) =>
        progress.report(fraction, note === undefined ? note : writer.secrets.blot(note)),
      guard: async (directory, uid) => {
        this.#guarded.push(directory);
        await this.#context.guard.watch(directory, uid);
      },
    };
    return await type.run(attempt);
  }

  #done(result: unknown, assets: readonly KeptAsset[]): AttemptResult {
    const text = storableJson(result);
    if (text === undefined || Buffer.byteLength(text) > RESULT_BYTES_MAX) {
      const message = `the result must be JSON of at most ${RESULT_BYTES_MAX} bytes, without U+0000 and half surrogate pairs`;
      return this.#failed(new JobFailure("invalid", "invalid-result", message));
    }
    const { holdsLane, fixedFields } = this.#context.types.get(this.job.type) ?? {};
    const masked = this.#writer.secrets.blotAll(JSON.parse(text), fixedFields);
    const outcome = holdsLane === true ? "held" : "done";
    return { ...this.#name, outcome, result: masked, ...(assets.length > 0 ? { assets } : {}) };
  }

  #failed(error: unknown): AttemptResult {
    const name = this.#name;
    const { signal } = this.#controller;
    const stopped = signal.reason instanceof Stopped ? signal.reason : undefined;
    if (stopped === undefined) {
      const described = this.#describe(error);
      const { retryAfterMs, attempts } = error instanceof JobFailure ? error : {};
      return {
        ...{ ...name, outcome: "failed", class: described.class, error: described },
        ...{ delay_ms: retryAfterMs, tries: attempts },
      };
    }
    const { reason, message } = stopped;
    return {
      ...{ ...name, class: reason, max_lost: this.#context.maxLost },
      outcome: reason === "timeout" ? "failed" : reason,
      error: { code: reason, class: reason, message },
    };
  }

  #describe(error: unknown): JobError {
    const { secrets } = this.#writer;
    const { details, ...described } = describeFailure(error, (text) => secrets.blot(text));
    if (details === undefined) return described;
    return { ...described, details: secrets.blotAll(details) as JobError["details"] };
  }
}

/** It was checked when it was submitted, but perhaps by another version. */
async function parse(type: JobType, input: unknown): Promise<unknown> {
  try {
    return await parseInput(type, input);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new JobFailure("invalid", "invalid-input", message, { cause: error });
  }
}
