// Goes on with a run, in one transaction: takes over what has ended, decides what is next, and does it.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { JobError } from "@croft/contract";
import { inTransaction, type Queryable } from "../database/in-transaction.ts";
import { monotonicMs } from "../worker/monotonic-ms.ts";
import { namedInDecision } from "./artifact-texts.ts";
import { cancelRuns, forceChildren } from "./child-runs.ts";
import { decideMoves } from "./decide-moves.ts";
import { stepsOf } from "./next-moves.ts";
import { RunChanges, type RunParts } from "./run-changes.ts";
import { type CarriedStep, lockRun, type RunRow, readRun } from "./run-rows.ts";
import type { Move, RunState, StepState } from "./run-state.ts";
import { recordEnd, turnOf } from "./settle-steps.ts";
import { StartResult } from "./step-result.ts";

/** How much one transaction does: it holds back every reader of events. What is left is due at once, after other runs. */
const WORKING_MS_MAX = 1000;
const CHANGES_MAX = 2000;
const CHILDREN_MAX = 20;
const ENDS_MAX = 300;
/** For so long nobody else in this process waits. */
const TURN_MS = 50;

/** False when somebody else was at it; then it is due again or will be. */
export async function advanceRun(parts: RunParts, runId: string): Promise<boolean> {
  return await inTransaction(parts.database, async (client) => {
    const run = await lockRun(client, runId);
    if (run === undefined) return await forgetGone(client, runId);
    await client.query("delete from croft.run_due where run_id = $1", [runId]);
    if (run.finished_at !== null) {
      await client.query("select croft.release_lane($1)", [runId]); // got when it had been given up
      return true;
    }
    await new RunAdvance(client, await RunChanges.begin(parts, client, run)).go();
    if (run.advance_failures > 0) await forgetFailures(client, runId);
    return true;
  });
}

/** Of a run that was removed; one that is only locked stays due. */
async function forgetGone(client: Queryable, runId: string): Promise<boolean> {
  const { rowCount } = await client.query(
    "delete from croft.run_due d where run_id = $1 and not exists (select from croft.run where id = d.run_id)",
    [runId],
  );
  return (rowCount ?? 0) > 0;
}

async function forgetFailures(client: Queryable, runId: string): Promise<void> {
  await client.query(
    "update croft.run set advance_failures = 0, advance_failing_since = null where id = $1",
    [runId],
  );
}

class RunAdvance {
  readonly #client: Queryable;
  readonly #changes: RunChanges;
  readonly #endsAt = monotonicMs() + WORKING_MS_MAX;

  constructor(client: Queryable, changes: RunChanges) {
    this.#client = client;
    this.#changes = changes;
  }

  async go(): Promise<void> {
    const changes = this.#changes;
    await this.#takeOverStart();
    const areAllTaken = await this.#takeOverEnds();
    await changes.write(); // who decides about artifacts looks at what is written
    const isAllDone = areAllTaken && (await this.#moveOn());
    await changes.write();
    if (!isAllDone) await changes.record.markDue();
    await changes.record.tell();
  }

  /** False when there is more to do than one transaction should. */
  async #moveOn(): Promise<boolean> {
    const changes = this.#changes;
    if (changes.run.cancel_forced_at !== null && (await this.#forceChildren())) return false;
    let turnAt = monotonicMs() + TURN_MS;
    const isFull = () =>
      changes.steps.changes >= CHANGES_MAX ||
      changes.children >= CHILDREN_MAX ||
      monotonicMs() > this.#endsAt;
    for (;;) {
      const moves = await this.#decide();
      const isInLine = changes.run.status === "queued" && moves[0]?.kind === "queue";
      if (moves.length === 0 || isInLine) return true;
      for (const move of moves) {
        await changes.carryOut(move);
        if (isFull()) return false;
        if (monotonicMs() <= turnAt) continue;
        await nextTurn();
        turnAt = monotonicMs() + TURN_MS;
      }
    }
  }

  /** Steps that were told to stop before are not told again, but what they are must hear of it. True: perhaps more. */
  async #forceChildren(): Promise<boolean> {
    return (await forceChildren(this.#client, this.#changes.run, CHILDREN_MAX)) === CHILDREN_MAX;
  }

  /** The job that got it its lane has ended, or is not wanted any more. */
  async #takeOverStart(): Promise<void> {
    const { status, start_job_id: jobId, cancel_requested_at: cancelled } = this.#changes.run;
    if (status !== "queued") return;
    const hasBegun = this.#changes.run.started_at !== null;
    if (this.#changes.run.parent_id !== null) return await this.#endWithParent();
    if (jobId === null) return;
    const { rows } = await this.#client.query<{
      status: string;
      result: unknown;
      error: JobError | null;
    }>("select status, result, error from croft.job where id = $1", [jobId]);
    const [job] = rows;
    if (job?.status === "done") {
      const { commit, uses } = StartResult.parse(job.result);
      await this.#changes.record.update("running", { commit, uses: JSON.stringify(uses) });
      return;
    }
    if (job?.status === "queued" || job?.status === "running") {
      // One that has begun stays in line: what runs `always()` needs the lane.
      if (cancelled !== null && !hasBegun)
        await this.#client.query("select croft.cancel($1)", [[jobId]]);
      return;
    }
    const gone = {
      code: "job-gone",
      class: "lost" as const,
      message: "its job is not there any more",
    };
    await this.#endUnstarted(
      job?.status === "cancelled" ? "cancelled" : "failed",
      job === undefined ? gone : job.error,
    );
  }

  /** A sub-pipeline that waits for its parent's lane: who has ended gets none. */
  async #endWithParent(): Promise<void> {
    const parent = await readRun(this.#client, this.#changes.run.parent_id ?? "");
    if (parent?.finished_at != null) await this.#endUnstarted("cancelled", null);
  }

  /** None of its steps runs. A matrix of an earlier attempt counts as begun, and somebody may still be asked. */
  async #endUnstarted(status: "failed" | "cancelled", error: JobError | null): Promise<void> {
    const open = this.#changes.steps.all().filter((row) => isOpen(row.status));
    const children = open.flatMap(({ child_id }) => child_id ?? []);
    await cancelRuns(this.#client, children, true);
    for (const { step, item } of open) {
      const reason = "the run did not start";
      this.#changes.steps.change(step, item, { status: "cancelled", reason, ends: true });
    }
    await this.#changes.end(status, error);
  }

  /** False when there are more than are taken over at once. */
  async #takeOverEnds(): Promise<boolean> {
    const { run, steps, pipeline } = this.#changes;
    const { rows } = await this.#client.query<{ now: Date }>("select croft.now() as now");
    const now = rows[0]?.now ?? new Date();
    let taken = 0;
    for (const row of steps.all()) {
      const turn = turnOf(row, stepsOf(pipeline).get(row.step), run, now);
      if (turn.kind === "goes-on") continue;
      const isFull = taken === ENDS_MAX || this.#changes.children >= CHILDREN_MAX;
      if (isFull || (taken > 0 && monotonicMs() > this.#endsAt)) return false;
      taken++;
      switch (turn.kind) {
        case "ended": {
          const { status } = await recordEnd(this.#client, run, steps, row, turn.end);
          this.#changes.record.tellStep(row.step, row.item, status);
          break;
        }
        case "overdue":
          this.#changes.stop(row);
          break;
        case "pause":
          steps.change(row.step, row.item, { begins: true, retryMs: turn.ms });
          break;
        case "again":
          await this.#changes.startAgain(row);
          break;
      }
    }
    return true;
  }

  async #decide(): Promise<readonly Move[]> {
    const { pipeline, run, steps } = this.#changes;
    const isEnding = run.cancel_requested_at !== null && run.started_at !== null;
    if (run.status === "queued" && !isEnding) return [];
    return await decideMoves(pipeline, stateOf(run, steps.all()), {
      contextOf: (step) => this.#changes.contextOf(step),
      textsOf: (step) => this.#changes.texts(namedInDecision(step)),
    });
  }
}

function isOpen(status: StepState["status"]): boolean {
  return status === "pending" || status === "running" || status === "waiting";
}

function stateOf(run: RunRow, steps: Iterable<CarriedStep>): RunState {
  const isCancelled = run.cancel_requested_at !== null;
  const isForced = isCancelled && run.cancel_forced_at !== null;
  const isSpared = isCancelled && !isForced;
  const states: StepState[] = [];
  for (const row of steps) states.push(stepStateOf(row, isSpared));
  // In line it has no lane, as one that waits for people; only what needs none is done.
  const status = run.status === "queued" ? "waiting" : run.status;
  return { status, isCancelled, isForced, steps: states };
}

/** A row that has not changed is the same object; between two decisions few have. */
const known = new WeakMap<CarriedStep, { readonly isSpared: boolean; readonly state: StepState }>();

function stepStateOf(row: CarriedStep, isSpared: boolean): StepState {
  const found = known.get(row);
  if (found?.isSpared === isSpared) return found.state;
  const state: StepState = {
    ...{ step: row.step, item: row.item, status: row.status, isGroup: row.is_group },
    dependsOn: row.depends_on,
    isLeftAlone: row.stopped_at !== null || (row.is_after_cancel && isSpared),
    child: row.child_id === null ? undefined : (row.child_status ?? undefined),
  };
  known.set(row, { isSpared, state });
  return state;
}
