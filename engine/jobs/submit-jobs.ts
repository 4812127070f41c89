// Takes jobs in. Those that come while others are being written are written together, in one transaction.
import { createHash } from "node:crypto";
import type { JobPriority, JobSubmission } from "@croft/contract";
import type { Database } from "../database/open-database.ts";
import { EngineError } from "../engine-error.ts";
import { newId } from "../new-id.ts";
import { type JobTypes, parseInput } from "./job-type.ts";

export interface SubmittedJob extends JobSubmission {
  readonly owner: string;
  readonly idempotency_key?: string | undefined;
  readonly retry_of?: string | undefined;
  readonly run_id?: string | undefined;
  readonly step?: string | undefined;
}

export interface Submission {
  readonly id: string;
  /** False: the same was asked for before, and this is that job. */
  readonly isNew: boolean;
}

interface Waiting {
  readonly row: Readonly<Record<string, unknown>>;
  resolve(submission: Submission): void;
  reject(error: unknown): void;
}

interface Outcome {
  readonly asked: string;
  readonly job_id: string | null;
  readonly outcome: "new" | "repeated" | "reused" | "deduplicated" | "again";
}

const BATCH_MAX = 200;
const BATCH_BYTES_MAX = 8 * 1024 * 1024;
const CLASSES = { background: 0, normal: 1, interactive: 2 } as const satisfies Record<
  JobPriority,
  number
>;

export class JobIntake {
  readonly #database: Database;
  readonly #types: JobTypes;
  readonly #waiting: Waiting[] = [];
  #isWriting = false;

  constructor(database: Database, types: JobTypes) {
    this.#database = database;
    this.#types = types;
  }

  /** Resolves when the job is durable. */
  async submit(job: SubmittedJob): Promise<Submission> {
    const type = this.#types.get(job.type);
    if (type !== undefined) parseInput(type, job.input);
    else await this.#requireElsewhere(job.type);
    const row = rowOf(job);
    return await new Promise<Submission>((resolve, reject) => {
      this.#waiting.push({ row, resolve, reject });
      if (!this.#isWriting) void this.#write();
    });
  }

  /** A type that only workers on other machines have: its input is checked there. */
  async #requireElsewhere(name: string): Promise<void> {
    const { rows } = await this.#database.pool.query<{ types: string[] }>(
      "select types from croft.worker where ended_at is null",
    );
    const known = new Set([...this.#types.keys(), ...rows.flatMap(({ types }) => types)]);
    if (known.has(name)) return;
    const list = [...known].sort().join(", ");
    throw new EngineError("unknown-type", `there is no job type '${name}'; there are: ${list}`);
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    try {
      while (this.#waiting.length > 0) await this.#writeBatch(this.#nextBatch());
    } finally {
      this.#isWriting = false;
    }
  }

  #nextBatch(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const { row } of this.#waiting) {
      bytes += JSON.stringify(row["input"]).length;
      if (count === BATCH_MAX || (count > 0 && bytes > BATCH_BYTES_MAX)) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  async #writeBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#enqueue(batch.map(({ row }) => row));
      for (const waiting of batch) {
        const outcome = outcomes.get(waiting.row["id"] as string);
        if (outcome?.outcome === "again") this.#waiting.push(waiting);
        else settle(waiting, outcome);
      }
    } catch (error) {
      // One bad row must not cost the others theirs.
      if (batch.length === 1 || isConnectionError(error))
        for (const { reject } of batch) reject(error);
      else for (const waiting of batch) await this.#writeBatch([waiting]);
    }
  }

  async #enqueue(rows: readonly object[]): Promise<Map<string, Outcome>> {
    const { rows: outcomes } = await this.#database.pool.query<Outcome>({
      name: "enqueue",
      text: "select asked, job_id, outcome from croft.enqueue($1)",
      values: [JSON.stringify(rows)],
    });
    return new Map(outcomes.map((outcome) => [outcome.asked, outcome]));
  }
}

function settle({ resolve, reject }: Waiting, outcome: Outcome | undefined): void {
  if (outcome?.outcome === "reused") {
    const message = "this Idempotency-Key came with another request within the last 24 hours";
    reject(new EngineError("idempotency-key-reused", message));
  } else if (outcome?.job_id == null) {
    reject(new Error("the database did not answer for a job"));
  } else {
    resolve({ id: outcome.job_id, isNew: outcome.outcome === "new" });
  }
}

function rowOf(job: SubmittedJob): Record<string, unknown> {
  const { idempotency_key, priority, key, ...rest } = job;
  const row = { ...rest, id: newId(), key: key ?? "", class: CLASSES[priority] };
  if (idempotency_key === undefined) return row;
  const digest = createHash("sha256")
    .update(JSON.stringify(canonical(job)))
    .digest("hex");
  return { ...row, idempotency_key, digest };
}

/** The same request is the same, in whatever order its members come. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, canonical(member)]);
}

function isConnectionError(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === undefined || /^(08|57|E[A-Z])/.test(code);
}
