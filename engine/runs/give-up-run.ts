// Ends a run that cannot go on, whatever the reason is: none stays open for ever.
import type { JobError } from "@croft/contract";
import { inTransaction } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import { describeFailure } from "../jobs/job-failure.ts";
import { cancelRuns } from "./child-runs.ts";
import type { RunRow } from "./run-rows.ts";

/** So often in a row, and for so long: what passes by itself has passed by then. */
const FAILURES_MAX = 5;
const FAILING_SECONDS_MAX = 60;

/** True when it should be given up. Kept with the run, so that it counts whoever tries, and after a restart. */
export async function countFailure({ pool }: Database, runId: string): Promise<boolean> {
  const { rows } = await pool.query<{ isHopeless: boolean }>(
    `update croft.run set advance_failures = advance_failures + 1,
       advance_failing_since = coalesce(advance_failing_since, croft.now())
     where id = $1 and finished_at is null
     returning advance_failures >= $2 and advance_failing_since <= croft.now() - make_interval(secs => $3) as "isHopeless"`,
    [runId, FAILURES_MAX, FAILING_SECONDS_MAX],
  );
  return rows[0]?.isHopeless === true;
}

/** Does not even read its pipeline: that may be what fails. */
export async function giveUpRun(database: Database, runId: string, cause: unknown): Promise<void> {
  const error: JobError = {
    ...{ code: "internal", class: "transient" },
    message: `it could not go on, and was given up: ${describeFailure(cause).message}`,
  };
  await inTransaction(database, async (client) => {
    const { rows } = await client.query<RunRow>(
      "select * from croft.run where id = $1 and finished_at is null for update",
      [runId],
    );
    const [run] = rows;
    if (run === undefined) return;
    const { rows: children } = await client.query<{ id: string }>(
      "select id from croft.run where parent_id = $1 and finished_at is null",
      [runId],
    );
    await cancelRuns(
      client,
      children.map(({ id }) => id),
      true,
    );
    await client.query(
      "select croft.lock_lanes(array[croft.lane_id($1, ''), croft.lane_id($1, $2)])",
      [run.owner, run.key],
    );
    await client.query(
      `select croft.cancel(array(
         select id from croft.job where run_id = $1 and status in ('queued', 'running')))`,
      [runId],
    );
    await client.query("select croft.release_lane($1)", [runId]);
    await client.query(
      `update croft.run_step set status = 'cancelled', reason = 'the run was given up', finished_at = croft.now()
       where run_id = $1 and status in ('pending', 'running', 'waiting')`,
      [runId],
    );
    await client.query("delete from croft.run_due where run_id = $1", [runId]);
    await client.query(
      `with ended as (
         update croft.run set status = 'failed', error = $2, outputs = null, finished_at = croft.now(), seq = seq + 1
         where id = $1 returning id, owner, seq, parent_id
       ), told as (
         insert into croft.event (subject, seq, owner, type, data) select id, seq, owner, 'run.failed', '{}' from ended
       )
       select croft.announce(array[id]), case when parent_id is not null then croft.mark_due(array[parent_id]) end from ended`,
      [runId, JSON.stringify(error)],
    );
  });
}
