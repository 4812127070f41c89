// Takes jobs in. Those that come while others are being written are written together, in one transaction.
import { createHash } from "node:crypto";
import type { JobPriority, JobSubmission } from "@croft/contract";
import type { Queryable } from "../database/in-transaction.ts";
import { isDatabaseUnavailable } from "../database/is-database-unavailable.ts";
import type { Database } from "../database/open-database.ts";
import { despiteDeadlocks } from "../database/try-again.ts";
import { EngineError } from "../engine-error.ts";
import { newId } from "../new-id.ts";
import { CHECK_LIMIT_MS } from "./input-schema.ts";
import { type JobTypes, parseInput } from "./job-type.ts";

export interface SubmittedJob extends JobSubmission {
  readonly owner: string;
  readonly idempotency_key?: string | undefined;
  readonly retry_of?: string | undefined;
  readonly run_id?: string | undefined;
  readonly step?: string | undefined;
  /** It begins when all work before it in this line of its owner has ended. The caller has locked it (`lockLines`). */
  readonly line?: string | undefined;
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
export const BATCH_BYTES_MAX = 8 * 1024 * 1024;
/** A process may have to be started for it; a transaction has less time. */
const CHECK_WITHIN_MS = 15_000;
/** How often to ask again for a job whose namesake has just ended. */
const AGAIN_MAX = 10;
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
    requireHearer(job);
    await this.check(job);
    const row = rowOf(job);
    return await new Promise<Submission>((resolve, reject) => {
      this.#waiting.push({ row, resolve, reject });
      if (!this.#isWriting) void this.#write();
    });
  }

  /** All or none, as part of the caller's transaction: they are there when it commits. */
  async submitWithin(client: Queryable, jobs: readonly SubmittedJob[]): Promise<Submission[]> {
    for (const job of jobs) {
      requireHearer(job);
      await this.check(job, client);
    }
    return await this.enqueueWithin(client, jobs);
  }

  /** The same for jobs that were checked before: a schema may take longer than a transaction should. */
  async enqueueWithin(client: Queryable, jobs: readonly SubmittedJob[]): Promise<Submission[]> {
    const rows = jobs.map(rowOf);
    const settled = new Map<unknown, Outcome>();
    for (let nth = 0; settled.size < rows.length; nth++) {
      if (nth === AGAIN_MAX) throw new Error("jobs under the same dedupe keys come and go");
      const open = rows.filter(({ id }) => !settled.has(id));
      for (const [id, outcome] of await this.#enqueue(open, client)) {
        if (outcome.outcome !== "again") settled.set(id, outcome);
      }
    }
    const submissions = rows.map(({ id }) => submissionOf(settled.get(id)));
    for (const [index, { line, run_id = null }] of jobs.entries()) {
      const { id, isNew } = submissions[index] ?? {};
      if (line === undefined || id === undefined || !isNew) continue;
      await client.query("select croft.join_line($1, $2, $3)", [id, run_id, line]);
    }
    return submissions;
  }

  /** The rules of a submit, for what is submitted later: the type is known and takes this input. */
  async check(
    { type: name, input, run_id }: Pick<SubmittedJob, "type" | "input" | "run_id">,
    client: Queryable = this.#database.pool,
  ): Promise<void> {
    const type = this.#types.get(name);
    if (type?.isOfRuns === true && run_id === undefined) {
      throw new EngineError("unknown-type", `'${name}' jobs belong to runs: start or retry a run`);
    }
    const isAlone = client === this.#database.pool;
    const limitMs = isAlone ? CHECK_WITHIN_MS : CHECK_LIMIT_MS;
    if (type !== undefined) await parseInput(type, input, limitMs);
    else await this.#requireElsewhere(name, client);
  }

  /** A type that only other workers have, or had a while ago: its input is checked there. */
  async #requireElsewhere(name: string, client: Queryable): Promise<void> {
    const { rows } = await client.query<{ types: string[] }>(
      "select distinct types from croft.worker where ended_at is null or ended_at > croft.now() - interval '1 day'",
    );
    const known = new Set([...this.#types.keys(), ...rows.flatMap(({ types }) => types)]);
    if (known.has(name)) return;
    const list = [...known]
      .filter((each) => this.#types.get(each)?.isOfRuns !== true)
      .sort()
      .join(", ");
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
      if (batch.length === 1 || isDatabaseUnavailable(error))
        for (const { reject } of batch) reject(error);
      else for (const waiting of batch) await this.#writeBatch([waiting]);
    }
  }

  async #enqueue(
    rows: readonly object[],
    client: Queryable = this.#database.pool,
  ): Promise<Map<string, Outcome>> {
    const tells = rows.some((row) => "notify" in row && row.notify === true);
    const enqueue = tells ? "enqueue_telling" : "enqueue";
    const statement = {
      name: enqueue,
      text: `select asked, job_id, outcome from croft.${enqueue}($1)`,
      values: [JSON.stringify(rows)],
    };
    const ask = () => client.query<Outcome>(statement);
    // Within the caller's transaction only the caller can begin again.
    const isAlone = client === this.#database.pool;
    const { rows: outcomes } = await (isAlone ? despiteDeadlocks(ask) : ask());
    return new Map(outcomes.map((outcome) => [outcome.asked, outcome]));
  }
}

export interface LockedLines {
  /** Jobs that are to come, by owner and key of their lanes. */
  readonly coming: readonly Pick<SubmittedJob, "owner" | "key" | "line">[];
  /** Jobs that are to be cancelled. */
  readonly going?: readonly string[] | undefined;
}

/** All lanes that a transaction writes, and the lines of what comes: before it looks at any of them. */
export async function lockLines(
  client: Queryable,
  { coming, going = [] }: LockedLines,
): Promise<void> {
  const inLine = coming.filter(({ line }) => line !== undefined);
  await client.query(
    `select croft.lock_lines(array(
       select croft.lane_id(x.owner, x.key) from unnest($1::text[], $2::text[]) as x(owner, key)
       union select lane_id from croft.job where id = any ($3)), $4, $5)`,
    [
      ...[coming.map(({ owner }) => owner), coming.map(({ key }) => key ?? ""), going],
      ...[inLine.map(({ owner }) => owner), inLine.map(({ line }) => line)],
    ],
  );
}

/** Whoever has no address cannot be told, and should not wait for it. */
export function requireHearer(work: {
  readonly owner: string;
  readonly notify?: boolean | undefined;
}): void {
  if (work.notify !== true || work.owner.startsWith("app:")) return;
  throw new EngineError("invalid-input", "not valid: notify: only apps are told of an end");
}

function settle({ resolve, reject }: Waiting, outcome: Outcome | undefined): void {
  try {
    resolve(submissionOf(outcome));
  } catch (error) {
    reject(error);
  }
}

function submissionOf(outcome: Outcome | undefined): Submission {
  if (outcome?.outcome === "reused") throw keyReused();
  if (outcome?.job_id == null) throw new Error("the database did not answer for a job");
  return { id: outcome.job_id, isNew: outcome.outcome === "new" };
}

function rowOf(job: SubmittedJob): Record<string, unknown> {
  const { idempotency_key, priority, key, ...rest } = job;
  const row = { ...rest, id: newId(), key: key ?? "", class: CLASSES[priority] };
  if (idempotency_key === undefined) return row;
  return { ...row, idempotency_key, digest: digestOf(job) };
}

export function keyReused(): EngineError {
  const message = "this Idempotency-Key came with another request within the last 24 hours";
  return new EngineError("idempotency-key-reused", message);
}

export function digestOf(request: object): string {
  return createHash("sha256")
    .update(JSON.stringify(canonical(request)))
    .digest("hex");
}

/** The same request is the same, in whatever order its members come. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, canonical(member)]);
}
