// How far a job or a run is, for those who follow it.
import type { Database } from "../database/open-database.ts";
import { EngineError } from "../engine-error.ts";
import type { Scope } from "../jobs/read-jobs.ts";

export interface FollowedState {
  readonly hasEnded: boolean;
  /** The number of its newest event. */
  readonly seq: number;
}

/** A foreign one is not there. */
export async function readSubject(
  { pool }: Database,
  { owner }: Scope,
  { kind, id }: { readonly kind: "job" | "run"; readonly id: string },
): Promise<FollowedState> {
  const { rows } = await pool.query<FollowedState>({
    name: `read-${kind}-state`,
    text: `select seq, finished_at is not null as "hasEnded" from croft.${kind}
           where id = $1 and ($2::text is null or owner = $2)`,
    values: [id, owner ?? null],
  });
  const [row] = rows;
  if (row === undefined) throw new EngineError("not-found", `there is no such ${kind}`);
  return row;
}
