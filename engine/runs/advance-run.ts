// Goes on with a run, in one transaction: takes over what has ended, decides what is next, and does it.
import type { JobError } from "@croft/contract";
import {
  compileCondition,
  type ExpressionContext,
  ExpressionFailure,
  evaluateCondition,
  expandMatrix,
  type Step,
} from "@croft/pipeline";
import { inTransaction, type Queryable } from "../database/in-transaction.ts";
import { type Expressions, nextMoves } from "./next-moves.ts";
import { RunChanges, type RunParts } from "./run-changes.ts";
import { stepContext } from "./run-context.ts";
import { type CarriedStep, lockRun, type RunRow } from "./run-rows.ts";
import type { Move, RunState, StepState } from "./run-state.ts";
import { endOf, recordEnd } from "./settle-steps.ts";
import { StartResult } from "./step-result.ts";

/** False when somebody else was at it; then it is due again or will be. */
export async function advanceRun(parts: RunParts, runId: string): Promise<boolean> {
  return await inTransaction(parts.database, async (client) => {
    const run = await lockRun(client, runId);
    if (run === undefined) return await forgetGone(client, runId);
    await client.query("delete from croft.run_due where run_id = $1", [runId]);
    await new RunAdvance(parts, client, run).go();
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

class RunAdvance {
  readonly #client: Queryable;
  readonly #changes: RunChanges;

  constructor(parts: RunParts, client: Queryable, run: RunRow) {
    this.#client = client;
    this.#changes = new RunChanges(parts, client, run);
  }

  async go(): Promise<void> {
    await this.#takeOverStart();
    await this.#takeOverEnds();
    for (let isLocked = false; ; isLocked = true) {
      const moves = await this.#decide();
      if (moves.length === 0) break;
      if (!isLocked) await this.#lockLanes();
      for (const move of moves) await this.#changes.carryOut(move);
      await this.#changes.readSteps();
    }
    await this.#changes.tell();
  }

  /** The job that got it its lane has ended, or is not wanted any more. */
  async #takeOverStart(): Promise<void> {
    const { status, start_job_id: jobId, cancel_requested_at: cancelled } = this.#changes.run;
    if (status !== "queued" || jobId === null) return;
    const { rows } = await this.#client.query<{
      status: string;
      result: unknown;
      error: JobError | null;
    }>("select status, result, error from croft.job where id = $1", [jobId]);
    const [job] = rows;
    if (job?.status === "done") {
      const { commit, uses } = StartResult.parse(job.result);
      await this.#changes.update("running", { commit, uses: JSON.stringify(uses) });
      return;
    }
    if (job?.status === "queued" || job?.status === "running") {
      if (cancelled !== null) await this.#client.query("select croft.cancel($1)", [[jobId]]);
      return;
    }
    const gone = {
      code: "job-gone",
      class: "lost" as const,
      message: "its job is not there any more",
    };
    const error = job === undefined ? gone : job.error;
    const ended = job?.status === "cancelled" ? "cancelled" : "failed";
    // None of them runs. A matrix of an earlier attempt counts as begun, and somebody may still be asked.
    await this.#client.query(
      `update croft.run_step set status = 'cancelled', reason = 'the run did not start', finished_at = croft.now()
       where run_id = $1 and status in ('pending', 'running', 'waiting')`,
      [this.#changes.run.id],
    );
    await this.#changes.end(ended, error);
  }

  async #takeOverEnds(): Promise<void> {
    await this.#changes.readSteps();
    const { rows } = await this.#client.query<{ now: Date }>("select croft.now() as now");
    const now = rows[0]?.now ?? new Date();
    let hasChanged = false;
    for (const row of this.#changes.steps) {
      const ended = endOf(row, now);
      if (ended === undefined) continue;
      const { status } = await recordEnd(this.#client, this.#changes.run, row, ended);
      this.#changes.tellStep(row.step, row.item, status);
      hasChanged = true;
    }
    if (hasChanged) await this.#changes.readSteps();
  }

  async #decide(): Promise<readonly Move[]> {
    const state = stateOf(this.#changes.run, this.#changes.steps);
    if (state.status !== "running" && state.status !== "waiting") return [];
    const texts = await this.#changes.texts();
    const contextOf = (step: Step): ExpressionContext => ({
      ...stepContext(this.#changes.pipeline, this.#changes.run, this.#changes.steps, step),
      artifacts: texts,
    });
    return nextMoves(this.#changes.pipeline, state, expressionsOf(contextOf));
  }

  /** The two it may touch, in the order of their ids as everybody takes them. */
  async #lockLanes(): Promise<void> {
    const { owner, key } = this.#changes.run;
    await this.#client.query(
      "select croft.lock_lanes(array[croft.lane_id($1, ''), croft.lane_id($1, $2)])",
      [owner, key],
    );
  }
}

function stateOf(run: RunRow, steps: readonly CarriedStep[]): RunState {
  const cancelledAt = run.cancel_requested_at;
  return {
    status: run.status,
    isCancelled: cancelledAt !== null,
    steps: steps.map(
      (row): StepState => ({
        ...{ step: row.step, item: row.item, status: row.status, isGroup: row.is_group },
        dependsOn: row.depends_on,
        isLeftAlone:
          row.stopped_at !== null ||
          (cancelledAt !== null && row.started_at !== null && row.started_at > cancelledAt),
      }),
    ),
  };
}

function expressionsOf(contextOf: (step: Step) => ExpressionContext): Expressions {
  return {
    isWanted: (step, standing) => {
      try {
        if (step.if === undefined) return standing.success;
        return evaluateCondition(compileCondition(step.if), contextOf(step), standing);
      } catch (error) {
        if (!(error instanceof ExpressionFailure)) throw error;
        return { fault: `its condition: ${error.message}` };
      }
    },
    itemsOf: (step) => {
      if (!("matrix" in step) || step.matrix === undefined) return [];
      const expanded = expandMatrix(step.matrix, contextOf(step));
      return expanded.items ?? { fault: `its matrix: ${expanded.problem}` };
    },
  };
}
