// Writes how far an attempt is: not more often than people can look, and the newest word only.
import type { Database } from "../database/open-database.ts";
import { storable } from "../jobs/job-failure.ts";

export interface ProgressOptions {
  readonly database: Database;
  readonly jobId: string;
  readonly attempt: number;
  readonly workerId: string;
  readonly onError: (error: unknown) => void;
}

interface Progress {
  readonly fraction: number | null;
  readonly note: string | null;
}

const EVERY_MS = 200;
const NOTE_LENGTH_MAX = 500;

export class ProgressReporter {
  readonly #options: ProgressOptions;
  #next: Progress | undefined;
  #last: Progress | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: ProgressOptions) {
    this.#options = options;
  }

  report(fraction: number | undefined, note: string | undefined): void {
    const isNumber = fraction !== undefined && Number.isFinite(fraction);
    this.#next = {
      fraction: isNumber ? Math.min(1, Math.max(0, fraction)) : null,
      note: note === undefined ? null : storable(note.slice(0, NOTE_LENGTH_MAX)),
    };
    if (this.#timer !== undefined) return;
    this.#flush();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#flush();
    }, EVERY_MS);
  }

  async end(): Promise<void> {
    clearTimeout(this.#timer);
    this.#flush();
    await this.#writing;
  }

  #flush(): void {
    const progress = this.#next;
    this.#next = undefined;
    if (progress === undefined || isSame(progress, this.#last)) return;
    this.#last = progress;
    const { database, jobId, attempt, workerId, onError } = this.#options;
    this.#writing = this.#writing
      .then(async () => {
        await database.pool.query({
          name: "report-progress",
          text: "select croft.report_progress($1, $2, $3, $4)",
          values: [jobId, attempt, workerId, JSON.stringify(progress)],
        });
      })
      .catch(onError);
  }
}

function isSame(one: Progress, other: Progress | undefined): boolean {
  return one.fraction === other?.fraction && one.note === other.note;
}
