// What an advance writes: the moves of a run, with the events that tell of them.
import type { JobError } from "@croft/contract";
import {
  type ExpressionContext,
  ExpressionFailure,
  ExpressionWork,
  evaluateTemplate,
  type Pipeline,
  type Step,
  type UsesStep,
} from "@croft/pipeline";
import type { Assets } from "../assets/assets.ts";
import type { Queryable } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import { EngineError } from "../engine-error.ts";
import { storable } from "../jobs/job-failure.ts";
import type { JobIntake } from "../jobs/submit-jobs.ts";
import { approvalMessage } from "./approval-message.ts";
import { type ArtifactTexts, artifactTexts, namedInStep } from "./artifact-texts.ts";
import { cancelRuns, reopenChild, resumeChildren, startChild } from "./child-runs.ts";
import type { ArtifactName } from "./current-artifacts.ts";
import { matrixFault } from "./matrix-fault.ts";
import { stepsOf } from "./next-moves.ts";
import { pipelineOf } from "./read-pipeline.ts";
import { RunContext } from "./run-context.ts";
import { firstError, groupError, runOutputs } from "./run-outcome.ts";
import { RunRecord, type StepEvent } from "./run-record.ts";
import { type CarriedStep, type RunRow, readSteps } from "./run-rows.ts";
import type { Move } from "./run-state.ts";
import { RunSteps } from "./run-steps.ts";
import { RunTree } from "./run-tree.ts";
import { stepSubmission } from "./step-submission.ts";

export interface RunParts {
  readonly database: Database;
  readonly intake: JobIntake;
  readonly assets: Assets;
}

/** One row of the steps. */
interface Place {
  readonly step: string;
  readonly item: string;
}

export class RunChanges {
  readonly pipeline: Pipeline;
  readonly steps: RunSteps;
  readonly record: RunRecord;
  readonly #parts: RunParts;
  readonly #client: Queryable;
  readonly #starts: (Place & { readonly event: StepEvent })[] = [];
  readonly #stops: Place[] = [];
  readonly #resumed: string[] = [];
  readonly #tree: RunTree;
  #context: RunContext | undefined;
  /** Sub-pipelines that were started or stopped: each takes several statements, and may be waited for. */
  children = 0;

  private constructor(
    parts: RunParts,
    client: Queryable,
    run: RunRow,
    rows: readonly CarriedStep[],
  ) {
    this.#parts = parts;
    this.#client = client;
    this.record = new RunRecord(client, run);
    this.#tree = new RunTree(client, run);
    this.pipeline = pipelineOf(run);
    this.steps = new RunSteps(rows, (id) => this.#context?.forget(id));
  }

  static async begin(parts: RunParts, client: Queryable, run: RunRow): Promise<RunChanges> {
    return new RunChanges(parts, client, run, await readSteps(client, run.id));
  }

  async texts(names: readonly ArtifactName[]): Promise<ArtifactTexts> {
    return await artifactTexts(this.#client, this.#parts.assets, this.run, names);
  }

  get run(): RunRow {
    return this.record.row;
  }

  contextOf(step: Step | undefined, row?: CarriedStep): ExpressionContext {
    this.#context ??= new RunContext(this.pipeline, this.run, (id) => this.steps.of(id));
    return this.#context.of(step, row);
  }

  async carryOut(move: Move): Promise<void> {
    switch (move.kind) {
      case "start":
        return await this.#start(move);
      case "resume":
        return this.#resume(move);
      case "ask":
        return await this.#ask(move);
      case "expand":
        return this.#expand(move);
      case "stop":
        return this.stop(move);
      case "settle":
        return this.#settle(move);
      case "wait":
        await this.write();
        await this.record.holdFollowers();
        await this.record.releaseLane();
        return await this.record.update("waiting");
      case "queue":
        await this.write();
        return await this.record.queue(this.#parts.intake);
      case "end":
        return await this.end(
          move.status,
          firstError(this.pipeline, (id) => this.steps.of(id)),
        );
    }
  }

  async #start({ step: id, item }: Place): Promise<void> {
    const step = this.#stepOf(id);
    const begun = {
      ...{ status: "running" as const, begins: true as const, error: null, reason: null },
      ...{ job_id: null, is_after_cancel: this.run.cancel_requested_at !== null },
    };
    if (step.kind !== "uses") {
      this.steps.change(id, item, { ...begun, child_id: null });
      this.#starts.push({ step: id, item, event: this.record.tellStep(id, item, "running") });
      return;
    }
    try {
      const childId = await this.#startChild(step, item);
      this.steps.change(id, item, {
        ...{ ...begun, child_id: childId, child_status: "running", child_attempts: 1 },
        deadlineMs: step.timeoutMs,
      });
      this.record.tellStep(id, item, "running", { child_id: childId });
    } catch (error) {
      this.#fail({ step: id, item }, error);
    }
  }

  async #startChild(step: UsesStep, item: string): Promise<string> {
    const row = this.steps.get(step.id, item);
    const artifacts = await this.texts(namedInStep(step));
    const context = { ...this.contextOf(step, row), artifacts, work: new ExpressionWork() };
    const given = Object.entries(step.with).map(([name, value]) => [
      name,
      typeof value === "string" ? evaluateTemplate(value, context) : value,
    ]);
    this.children++;
    const values = Object.fromEntries(given);
    return await startChild(this.#client, this.run, step, row, values, this.#tree);
  }

  /** Its run has failed, and is to be tried once more. */
  async startAgain({ step, item, child_id: childId, child_attempts }: CarriedStep): Promise<void> {
    if (childId === null) return;
    const status = this.run.status === "running" ? "running" : "queued";
    await reopenChild(this.#client, childId, status);
    this.children++;
    this.steps.change(step, item, {
      ...{ begins: true, child_status: status, child_attempts: child_attempts + 1 },
      deadlineMs: this.#stepOf(step).timeoutMs,
    });
    this.record.tellStep(step, item, "running", { child_id: childId, attempt: child_attempts + 1 });
  }

  #resume({ step, item }: Place): void {
    const { child_id: childId } = this.steps.get(step, item);
    if (childId !== null) this.#resumed.push(childId);
    this.steps.change(step, item, { child_status: "running" });
  }

  async #ask({ step: id }: Place): Promise<void> {
    const step = this.#stepOf(id);
    try {
      const context = this.contextOf(step);
      const message = await approvalMessage(step, async (names) => ({
        ...context,
        artifacts: await this.texts(names),
      }));
      if (message instanceof ExpressionFailure) throw message;
      const began = { status: "waiting" as const, begins: true as const, message };
      this.steps.change(id, "", { ...began, deadlineMs: step.timeoutMs });
      this.record.tellStep(id, "", "waiting", message === null ? {} : { message });
    } catch (error) {
      this.#fail({ step: id, item: "" }, error, "its message: ");
    }
  }

  #expand({ step, items }: Extract<Move, { kind: "expand" }>): void {
    const reason = matrixFault(items, this.steps.items);
    if (reason !== undefined) {
      this.#settle({ kind: "settle", step, item: "", status: "failed", reason });
      return;
    }
    this.steps.change(step, "", { status: "running", is_group: true, begins: true });
    this.steps.add(step, items);
    this.record.tellStep(step, "", "running", { items: items.length });
  }

  stop({ step, item }: Place): void {
    this.#stops.push({ step, item });
    if (this.steps.get(step, item).child_id !== null) this.children++;
    this.steps.change(step, item, { stops: true });
  }

  #settle({ step, item, status, reason }: Extract<Move, { kind: "settle" }>): void {
    const said = reason === undefined ? undefined : storable(reason);
    const error: JobError | undefined =
      status !== "failed"
        ? undefined
        : said === undefined
          ? groupError(this.steps.of(step))
          : { code: "expression", class: "invalid", message: said };
    this.steps.change(step, item, {
      ...{ status, ends: true, reason: said ?? null },
      ...(error === undefined ? {} : { error }),
    });
    this.record.tellStep(step, item, status, said === undefined ? {} : { reason: said });
  }

  /** Its own values are wrong: nothing has been written for it yet, and the rest of the run goes on. */
  #fail({ step, item }: Place, error: unknown, prefix = ""): void {
    if (!(error instanceof ExpressionFailure || error instanceof EngineError)) throw error;
    const reason = `${prefix}${error.message}`;
    this.#settle({ kind: "settle", step, item, status: "failed", reason });
  }

  async end(status: "done" | "failed" | "cancelled", error: JobError | null): Promise<void> {
    const outputs =
      status !== "done"
        ? null
        : await runOutputs(this.pipeline, async (names) => {
            const artifacts = await this.texts(names);
            return { ...this.contextOf(undefined), artifacts };
          });
    if (outputs instanceof ExpressionFailure) {
      const message = storable(`outputs: ${outputs.message}`);
      return await this.end("failed", { code: "expression", class: "invalid", message });
    }
    await this.write();
    await this.record.releaseLane();
    await this.record.leaveLine();
    await this.record.update(status, {
      error: status === "done" || error === null ? null : JSON.stringify(error),
      outputs: outputs === null ? null : JSON.stringify(outputs),
    });
  }

  /** Everything that was decided so far. Runs are locked before lanes, as everybody does. */
  async write(): Promise<void> {
    const client = this.#client;
    const stopped = this.#stops.splice(0);
    const children = stopped.flatMap(({ step, item }) => this.steps.get(step, item).child_id ?? []);
    await cancelRuns(client, children, this.run.cancel_forced_at !== null);
    await resumeChildren(client, this.#resumed.splice(0));
    // One whose run had ended already would not hear of it.
    if (children.length > 0) await this.record.markDue();
    if (this.#starts.length + stopped.length > 0) await this.record.lockLanes();
    await this.#submit();
    const jobs = stopped.flatMap(({ step, item }) => this.steps.get(step, item).job_id ?? []);
    if (jobs.length > 0) await client.query("select croft.cancel($1)", [jobs]);
    await this.steps.write(client, this.run.id);
  }

  async #submit(): Promise<void> {
    const starts = this.#starts.splice(0);
    if (starts.length === 0) return;
    const jobs = starts.map(({ step, item }) => stepSubmission(this.run, this.#stepOf(step), item));
    try {
      const submitted = await this.#parts.intake.submitWithin(this.#client, jobs);
      for (const [index, { step, item, event }] of starts.entries()) {
        const id = submitted[index]?.id ?? null;
        event["job_id"] = id;
        this.steps.change(step, item, { job_id: id });
      }
    } catch (error) {
      for (const start of starts) this.#fail(start, error);
      await this.record.markDue();
    }
  }

  #stepOf(id: string): Step {
    const step = stepsOf(this.pipeline).get(id);
    if (step === undefined) throw new Error(`the pipeline has no step '${id}'`);
    return step;
  }
}
