// An attempt of a job that writes to GitHub: only while it counts, and no newer event has taken its place.
import type { Queryable } from "../../database/in-transaction.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import { requireMayPublish } from "../may-publish.ts";
import type { Writer } from "./result-record.ts";

export function attemptWriter(
  { id, attempt }: { readonly id: string; readonly attempt: number },
  signal: AbortSignal,
): Writer {
  return {
    signal,
    attempt: { id, attempt },
    requireCurrent: async (client: Queryable) => {
      // Held to the end of the transaction, so that nobody takes the job over, or cancels it, in between. The run comes first
      // because whoever goes on with a run locks it before its jobs, and what is written here refers to it.
      await client.query(
        "select from croft.run where id = (select run_id from croft.job where id = $1) for key share",
        [id],
      );
      const { rowCount } = await client.query(
        "select from croft.job where id = $1 and status = 'running' and attempt = $2 for share",
        [id, attempt],
      );
      if (rowCount !== 1) throw new JobFailure("lost", "stale", "this attempt is over");
      await requireMayPublish(client, { jobId: id, attempt });
    },
  };
}
