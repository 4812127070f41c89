// A run with all that it uses, near or far: so many runs, and no more.
import type { Queryable } from "../database/in-transaction.ts";
import { EngineError } from "../engine-error.ts";
import type { RunRow } from "./run-rows.ts";

const RUNS_MAX = 1000;

/** For one transaction. Where several make more of one tree at the same moment, it may become a few more. */
export class RunTree {
  readonly #client: Queryable;
  readonly #rootId: string;
  #runs: number | undefined;

  constructor(client: Queryable, { id, root_id: rootId }: Pick<RunRow, "id" | "root_id">) {
    this.#client = client;
    this.#rootId = rootId ?? id;
  }

  /** For one run more. Those that a retry has left behind do not count. */
  async takePlace(): Promise<void> {
    this.#runs ??= await this.#count();
    if (this.#runs >= RUNS_MAX) {
      const message = `a run uses at most ${RUNS_MAX} others, with all that they use themselves`;
      throw new EngineError("invalid-input", message);
    }
    this.#runs++;
  }

  async #count(): Promise<number> {
    const { rows } = await this.#client.query<{ runs: number }>(
      `with recursive tree as (
         select $1::uuid as id
         union all
         select s.child_id from tree join croft.run_step s on s.run_id = tree.id where s.child_id is not null
       )
       select count(*)::integer - 1 as runs from tree`,
      [this.#rootId],
    );
    return rows[0]?.runs ?? 0;
  }
}
