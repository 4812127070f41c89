// Jobs that a handler submits: of the same owner, and not twice when the handler's own job is tried again.
import { JobSubmission } from "@croft/contract";
import { inTransaction, type Queryable } from "../database/in-transaction.ts";
import { despiteDeadlocks } from "../database/try-again.ts";
import { copyWork } from "../github/github-work.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import type { Attempt } from "../jobs/job-type.ts";
import { digestOf } from "../jobs/submit-jobs.ts";
import type { HandlerParts } from "./handler-parts.ts";

const COUNT_MAX = 10_000;

export class JobEnqueuer {
  readonly #parts: Pick<HandlerParts, "database" | "intake">;
  readonly #attempt: Attempt;
  /** How often each was asked for. */
  readonly #asked = new Map<string, number>();
  #count = 0;

  constructor(parts: Pick<HandlerParts, "database" | "intake">, attempt: Attempt) {
    this.#parts = parts;
    this.#attempt = attempt;
  }

  /**
   * The key is made of the job's id, what is asked for and how often it was asked for before: an attempt that does the same
   * as the one before it, in whatever order, gets the same jobs. No caller of the API can have such a key: it has spaces.
   */
  async enqueue(request: unknown): Promise<{ readonly id: string }> {
    const { id, owner, sourceTaskId } = this.#attempt;
    const asked = JobSubmission.parse(request);
    const job = { ...asked, source_task_id: asked.source_task_id ?? sourceTaskId };
    if (++this.#count > COUNT_MAX) {
      throw new JobFailure("invalid", "too-many", `a job enqueues at most ${COUNT_MAX} others`);
    }
    const digest = digestOf(job);
    const nth = (this.#asked.get(digest) ?? 0) + 1;
    this.#asked.set(digest, nth);
    const submitted = { ...job, owner, idempotency_key: `croft ${id} ${digest} ${nth}` };
    const { database, intake } = this.#parts;
    return await despiteDeadlocks(() =>
      inTransaction(database, async (client) => {
        await this.#requireCurrent(client);
        await this.#lockWork(client);
        const [submission] = await intake().submitWithin(client, [submitted]);
        if (submission === undefined) throw new Error("a job was submitted and has no id");
        if (submission.isNew) await copyWork(client, this.#attempt.id, submission.id);
        return { id: submission.id };
      }),
    );
  }

  /** A newer event of the pull request comes before this transaction, or after it. */
  async #lockWork(client: Queryable): Promise<void> {
    await client.query(
      "select croft.lock_work(trigger, repository_id, pull_request) from croft.github_work where job_id = $1",
      [this.#attempt.id],
    );
  }

  /** Held to the end of the transaction, so that nobody takes the job over in between. */
  async #requireCurrent(client: Queryable): Promise<void> {
    const { id, attempt } = this.#attempt;
    const { rowCount } = await client.query(
      "select from croft.job where id = $1 and status = 'running' and attempt = $2 for key share",
      [id, attempt],
    );
    if (rowCount !== 1) throw new JobFailure("lost", "stale", "this attempt is over");
  }
}
