// Finds workers that are no more and gives their jobs back: those of this host by their process, others by their lease.
import { isProcessAlive, type ProcessIdentity } from "@croft/git";
import type { Database } from "../database/open-database.ts";

export type Neighbour = ProcessIdentity;

export interface HostIdentity extends ProcessIdentity {
  /** The random id of the data directory's host. */
  readonly id: string;
  readonly name: string;
}

export interface DeadWorkersOptions {
  readonly host: HostIdentity;
  readonly maxLost: number;
  readonly self?: string | undefined;
  readonly onDeadNeighbour?: ((process: Neighbour) => Promise<void>) | undefined;
}

export async function endDeadWorkers(
  { pool }: Database,
  { host, maxLost, self, onDeadNeighbour }: DeadWorkersOptions,
): Promise<void> {
  const { rows } = await pool.query<{ id: string; pid: number; process_start: string }>(
    "select id, pid, process_start from croft.worker where ended_at is null and host = $1 and id is distinct from $2",
    [host.id, self ?? null],
  );
  const failures: unknown[] = [];
  for (const { id, pid, process_start: start } of rows) {
    if (isProcessAlive({ pid, start })) continue;
    try {
      await onDeadNeighbour?.({ pid, start });
      await pool.query("select croft.end_worker($1, 'lost', 'its process has ended', $2)", [
        id,
        maxLost,
      ]);
    } catch (error) {
      failures.push(error); // the others must not wait for this one; it is looked at again
    }
  }
  for (let isMore = true; isMore; ) {
    const { rowCount } = await pool.query("select from croft.end_lost_worker($1)", [maxLost]);
    isMore = (rowCount ?? 0) > 0;
  }
  if (failures.length > 0) throw failures[0];
}
