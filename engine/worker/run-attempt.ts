// One attempt of a job from its start to the word that ends it.
import { type JobError, storableJson } from "@croft/contract";
import type { KeptAsset } from "../assets/attempt-assets.ts";
import { type InputReading, readInput } from "../jobs/input-schema.ts";
import { describeFailure, JobFailure } from "../jobs/job-failure.ts";
import type { JobType, JobTypes } from "../jobs/job-type.ts";
import { LiveAttempt, type LiveParts } from "./live-attempt.ts";

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
  readonly source_task_id: string | null;
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

export interface AttemptContext extends LiveParts {
  readonly types: JobTypes;
  readonly timeoutMs: number;
  readonly maxLost: number;
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
  readonly #live: LiveAttempt;
  #stopped: Stopped | undefined;

  constructor(job: ClaimedJob, context: AttemptContext) {
    this.job = job;
    this.#context = context;
    this.#live = new LiveAttempt(job, context);
    this.ended = this.#run();
  }

  /** The first reason counts. */
  stop(reason: StopReason): void {
    if (reason === "lost") this.#live.abandon(); // also when it is on its way out for another reason
    this.#stopped ??= new Stopped(reason, MESSAGES[reason]);
    this.#live.stop(this.#stopped);
  }

  async #run(): Promise<AttemptResult> {
    const live = this.#live;
    const timeoutMs = this.job.timeout_ms ?? this.#context.timeoutMs;
    const timer = setTimeout(() => this.stop("timeout"), Math.min(timeoutMs, 2 ** 31 - 1));
    try {
      const type = this.#type();
      if (type.readsOwnInput !== true) {
        const read = readInput(type.input, live.input);
        live.input = inputOf(read instanceof Promise ? await read : read);
      }
      const result = await type.run(live);
      const files = live.keptFiles();
      return this.#done(result, files === undefined ? [] : await files);
    } catch (error) {
      const result = this.#failed(error);
      if (result.error !== undefined) void live.log(`\n${result.error.message}\n`);
      return result;
    } finally {
      clearTimeout(timer);
      const said = live.end();
      if (said !== undefined) await said;
    }
  }

  get #name(): AttemptName {
    const { id, owner, lane_id, attempt } = this.job;
    return { id, owner, lane_id, attempt };
  }

  #type(): JobType {
    const { type: name } = this.job;
    const type = this.#context.types.get(name);
    if (type !== undefined) return type;
    const message = `this worker has no handler for '${name}'`;
    throw new JobFailure("invalid", "unknown-type", message);
  }

  #done(result: unknown, assets: readonly KeptAsset[]): AttemptResult {
    const text = storableJson(result);
    if (text === undefined || Buffer.byteLength(text) > RESULT_BYTES_MAX) {
      const message = `the result must be JSON of at most ${RESULT_BYTES_MAX} bytes, without U+0000 and half surrogate pairs`;
      return this.#failed(new JobFailure("invalid", "invalid-result", message));
    }
    const { holdsLane, fixedFields } = this.#context.types.get(this.job.type) ?? {};
    const masked = this.#live.secrets.blotAll(JSON.parse(text), fixedFields);
    const outcome = holdsLane === true ? "held" : "done";
    return { ...this.#name, outcome, result: masked, ...(assets.length > 0 ? { assets } : {}) };
  }

  #failed(error: unknown): AttemptResult {
    const name = this.#name;
    if (this.#stopped === undefined) {
      const described = this.#describe(error);
      const { retryAfterMs, attempts } = error instanceof JobFailure ? error : {};
      return {
        ...{ ...name, outcome: "failed", class: described.class, error: described },
        ...{ delay_ms: retryAfterMs, tries: attempts },
      };
    }
    const { reason, message } = this.#stopped;
    return {
      ...{ ...name, class: reason, max_lost: this.#context.maxLost },
      outcome: reason === "timeout" ? "failed" : reason,
      error: { code: reason, class: reason, message },
    };
  }

  #describe(error: unknown): JobError {
    const { secrets } = this.#live;
    const { details, ...described } = describeFailure(error, (text) => secrets.blot(text));
    if (details === undefined) return described;
    return { ...described, details: secrets.blotAll(details) as JobError["details"] };
  }
}

/** It was checked when it was submitted, but perhaps by another version. */
function inputOf(read: InputReading): unknown {
  if (read.fault === undefined) return read.value;
  throw new JobFailure("invalid", "invalid-input", read.fault);
}
