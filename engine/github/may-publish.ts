// Whether work may still show the world what it made: it is the current attempt, nobody cancelled it, and no newer event took its place.
import type { Queryable } from "../database/in-transaction.ts";
import { JobFailure } from "../jobs/job-failure.ts";

export type Publisher =
  | { readonly jobId: string; readonly attempt: number }
  /** The run as a whole; a sub-pipeline's stands and falls with the outermost. */
  | { readonly runId: string };

/**
 * Asked at the last moment before something goes out. What is on its way then arrives; but whatever took its place begins
 * only when this has ended, and so speaks last.
 */
export async function mayPublish(client: Queryable, publisher: Publisher): Promise<boolean> {
  const { rows } =
    "runId" in publisher
      ? await client.query<Answer>("select croft.may_publish_run($1) as may", [publisher.runId])
      : await client.query<Answer>("select croft.may_publish($1, $2) as may", [
          ...[publisher.jobId, publisher.attempt],
        ]);
  return rows[0]?.may === true;
}

interface Answer {
  readonly may: boolean;
}

/** For the fence of a push. */
export async function requireMayPublish(client: Queryable, publisher: Publisher): Promise<void> {
  if (await mayPublish(client, publisher)) return;
  const message = "it was cancelled, or a newer event took its place: nothing is published";
  throw new JobFailure("cancelled", "superseded", message);
}
