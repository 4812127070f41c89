// The row of a run while it goes on: its status, its lane, and what is told of it.
import type { Queryable } from "../database/in-transaction.ts";
import type { JobIntake } from "../jobs/submit-jobs.ts";
import type { RunRow } from "./run-rows.ts";
import type { RunStatus } from "./run-state.ts";
import { submitStart } from "./submit-start.ts";

export type StepEvent = Record<string, unknown>;

export class RunRecord {
  readonly #client: Queryable;
  readonly #told: { readonly type: string; readonly data: object }[] = [];
  #hasLanes = false;
  row: RunRow;

  constructor(client: Queryable, row: RunRow) {
    this.#client = client;
    this.row = row;
  }

  async update(status: RunStatus, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const names = Object.keys(more);
    const sets = names.map((name, index) => `, ${name} = $${index + 3}`).join("");
    const { rows } = await this.#client.query<RunRow>(
      `update croft.run set status = $2::croft.run_status,
         started_at = case when $2::croft.run_status = 'running' then coalesce(started_at, croft.now()) else started_at end,
         finished_at = case when $2::croft.run_status in ('done', 'failed', 'cancelled') then croft.now() end${sets}
       where id = $1 returning *`,
      [this.row.id, status, ...Object.values(more)],
    );
    this.row = rows[0] ?? this.row;
    this.#told.push({ type: status === "running" ? "run.started" : `run.${status}`, data: {} });
    const { parent_id: parent } = this.row;
    if (parent !== null) await this.#client.query("select croft.mark_due($1)", [[parent]]);
  }

  async queue(intake: JobIntake): Promise<void> {
    // A sub-pipeline has no lane of its own: whoever it is a step of gets it, and says so.
    if (this.row.parent_id !== null) return await this.update("queued");
    await this.lockLanes();
    const jobId = await submitStart(intake, this.#client, this.row);
    await this.#client.query("update croft.line_member set job_id = $2 where run_id = $1", [
      ...[this.row.id, jobId],
    ]);
    await this.update("queued", { start_job_id: jobId });
  }

  /** It has ended while it was in line. */
  async leaveLine(): Promise<void> {
    const { status, start_job_id: jobId } = this.row;
    if (status !== "queued" || jobId === null) return;
    await this.#client.query("select croft.cancel($1)", [[jobId]]);
  }

  /** Whoever comes after it in its line must not take its place: it has not ended. */
  async holdFollowers(): Promise<void> {
    await this.lockLanes();
    await this.#client.query("select croft.hold_jobs(croft.followers(array[$1::uuid]))", [
      this.row.start_job_id,
    ]);
  }

  async releaseLane(): Promise<void> {
    await this.lockLanes();
    await this.#client.query("select croft.release_lane($1)", [this.row.id]);
  }

  /** The two it may touch, in the order of their ids as everybody takes them. */
  async lockLanes(): Promise<void> {
    if (this.#hasLanes) return;
    this.#hasLanes = true;
    await this.#client.query(
      "select croft.lock_lanes(array[croft.lane_id($1, ''), croft.lane_id($1, $2)])",
      [this.row.owner, this.row.key],
    );
  }

  /** There is more to do, in a transaction of its own. */
  async markDue(): Promise<void> {
    await this.#client.query("select croft.mark_due($1)", [[this.row.id]]);
  }

  /** What is returned may be added to until it is told. */
  tellStep(step: string, item: string, status: string, more: object = {}): StepEvent {
    const data = { step, ...(item === "" ? {} : { item }), status, ...more };
    this.#told.push({ type: "run.step", data });
    return data;
  }

  async tell(): Promise<void> {
    if (this.#told.length === 0) return;
    await this.#client.query(
      `with next as (
         update croft.run set seq = seq + jsonb_array_length($2) where id = $1
         returning id, owner, seq - jsonb_array_length($2) as before
       ), told as (
         insert into croft.event (subject, seq, owner, type, data)
         select id, before + nth, owner, x ->> 'type', x -> 'data'
         from next, jsonb_array_elements($2) with ordinality as e(x, nth)
       )
       select croft.announce(array[id]) from next`,
      [this.row.id, JSON.stringify(this.#told)],
    );
  }
}
