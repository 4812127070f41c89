// What a handler is given. All of it is made when it is asked for: a short job asks for nothing, and costs a third then.
import type { Assets } from "../assets/assets.ts";
import { AttemptFiles, type KeptAsset } from "../assets/attempt-assets.ts";
import type { Database } from "../database/open-database.ts";
import type { Attempt } from "../jobs/job-type.ts";
import type { Log } from "../log.ts";
import { JobLogWriter, NO_SECRETS } from "../logs/job-log-writer.ts";
import type { SecretMask } from "../logs/secret-mask.ts";
import type { Lease } from "./lease.ts";
import { ProgressReporter } from "./progress-reporter.ts";
import type { ClaimedJob } from "./run-attempt.ts";

export interface LiveParts {
  readonly database: Database;
  readonly log: Log;
  readonly assets: Assets;
  readonly workerId: string;
  readonly logBytesMax: number;
  readonly guard: Pick<Lease, "watch" | "forget">;
}

export class LiveAttempt implements Attempt {
  readonly id: string;
  readonly owner: string;
  readonly key: string | undefined;
  readonly type: string;
  readonly attempt: number;
  readonly sourceTaskId: string | undefined;
  /** As it was submitted, until it is read. */
  input: unknown;
  readonly #parts: LiveParts;
  readonly #controller = new AbortController(); // has no signal before somebody asks for it
  #writer: JobLogWriter | undefined;
  #progress: ProgressReporter | undefined;
  #files: AttemptFiles | undefined;
  #guarded: string[] | undefined;
  #isAbandoned = false;
  #isOver = false;

  constructor(job: ClaimedJob, parts: LiveParts) {
    const { id, owner, key, type, attempt, input, source_task_id: sourceTaskId } = job;
    this.id = id;
    this.owner = owner;
    this.key = key === "" ? undefined : key;
    this.type = type;
    this.attempt = attempt;
    this.sourceTaskId = sourceTaskId ?? undefined;
    this.input = input;
    this.#parts = parts;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get log(): Attempt["log"] {
    return (text, stream = "croft") => this.#writing().write(stream, text);
  }

  get mask(): Attempt["mask"] {
    return (secrets) => this.#writing().mask(secrets);
  }

  get progress(): Attempt["progress"] {
    return (fraction, note) => {
      if (this.#isOver) return; // a promise that nobody waited for
      this.#progress ??= new ProgressReporter(this.#fence());
      this.#progress.report(fraction, note === undefined ? note : this.secrets.blot(note));
    };
  }

  get guard(): Attempt["guard"] {
    return async (directory, uid) => {
      this.#guarded ??= [];
      this.#guarded.push(directory);
      await this.#parts.guard.watch(directory, uid);
    };
  }

  get assets(): AttemptFiles {
    if (this.#files !== undefined) return this.#files;
    const { assets } = this.#parts;
    const { id: jobId, attempt, signal } = this;
    this.#files = new AttemptFiles({ assets, jobId, attempt, signal });
    if (this.#isOver) this.#files.end();
    return this.#files;
  }

  /** All that is blotted out of what it says. */
  get secrets(): SecretMask {
    return this.#writer?.secrets ?? NO_SECRETS;
  }

  /** The first reason counts. */
  stop(reason: Error): void {
    this.#controller.abort(reason);
  }

  /** Nothing of it counts any more, and nobody waits for what it said last. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#writer?.abandon();
  }

  /** The files of a job that is done, safe until that is written; undefined when it has none. */
  keptFiles(): Promise<readonly KeptAsset[]> | undefined {
    return this.#files?.seal();
  }

  /** Resolves when all that it said is stored; undefined when it said nothing. */
  end(): Promise<unknown> | undefined {
    this.#isOver = true;
    this.#files?.end();
    for (const directory of this.#guarded ?? []) this.#parts.guard.forget(directory);
    if (this.#writer === undefined && this.#progress === undefined) return undefined;
    return Promise.all([this.#writer?.end(), this.#progress?.end()]);
  }

  #writing(): JobLogWriter {
    if (this.#writer !== undefined) return this.#writer;
    const maxBytes = this.#parts.logBytesMax;
    this.#writer = new JobLogWriter({ ...this.#fence(), maxBytes });
    if (this.#isAbandoned) this.#writer.abandon();
    return this.#writer;
  }

  #fence() {
    const { database, log, workerId } = this.#parts;
    const onError = (error: unknown) =>
      log.warn({ err: error, job: this.id }, "log or progress of a job could not be written");
    return { database, jobId: this.id, attempt: this.attempt, workerId, onError };
  }
}
