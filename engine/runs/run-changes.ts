// What an advance writes: each move of a run, with the event that tells of it.
import type { JobError } from "@croft/contract";
import { ExpressionFailure, evaluateTemplate, type Pipeline, type Step } from "@croft/pipeline";
import type { Assets } from "../assets/assets.ts";
import type { Queryable } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import { EngineError } from "../engine-error.ts";
import type { JobIntake, SubmittedJob } from "../jobs/submit-jobs.ts";
import { approvalMessage } from "./approval-message.ts";
import { type ArtifactTexts, artifactTexts } from "./artifact-texts.ts";
import { createRun } from "./create-run.ts";
import { pipelineOf } from "./read-pipeline.ts";
import { stepContext } from "./run-context.ts";
import { type CarriedStep, type RunRow, readSteps } from "./run-rows.ts";
import type { Move, RunStatus } from "./run-state.ts";
import { priorityOf, submitStart } from "./submit-start.ts";
import { usedName } from "./used-pipelines.ts";

export interface RunParts {
  readonly database: Database;
  readonly intake: JobIntake;
  readonly assets: Assets;
}

/** Steps end by their own time; this is for a handler that does not. */
const STEP_BACKSTOP_MS = 20 * 86_400_000;

export class RunChanges {
  readonly pipeline: Pipeline;
  readonly #parts: RunParts;
  readonly #client: Queryable;
  readonly #told: { type: string; data: object }[] = [];
  run: RunRow;
  steps: readonly CarriedStep[] = [];

  constructor(parts: RunParts, client: Queryable, run: RunRow) {
    this.#parts = parts;
    this.#client = client;
    this.run = run;
    this.pipeline = pipelineOf(run);
  }

  async readSteps(): Promise<void> {
    this.steps = await readSteps(this.#client, this.run.id);
  }

  async texts(): Promise<ArtifactTexts> {
    const { assets } = this.#parts;
    return await artifactTexts(this.#client, assets, this.pipeline, this.run, this.steps);
  }

  async carryOut(move: Move): Promise<void> {
    switch (move.kind) {
      case "start":
        return await this.#start(move.step, move.item);
      case "ask":
        return await this.#ask(move.step);
      case "expand":
        return await this.#expand(move);
      case "stop":
        return await this.#stop(move.step, move.item);
      case "settle":
        return await this.#settle(move);
      case "wait":
        await this.#client.query("select croft.release_lane($1)", [this.run.id]);
        return await this.update("waiting");
      case "queue":
        return await this.#queue();
      case "end":
        return await this.end(move.status, this.#firstError());
    }
  }

  async #start(id: string, item: string): Promise<void> {
    const step = this.pipeline.steps.find((each) => each.id === id);
    if (step === undefined) throw new Error(`the pipeline has no step '${id}'`);
    let carrier: { readonly child_id?: string; readonly job_id?: string };
    try {
      carrier =
        step.kind === "uses"
          ? { child_id: await this.#startChild(step, item) }
          : { job_id: await this.#submit(step, item) };
    } catch (error) {
      // Its own values are wrong: nothing has been written for it yet, and the rest of the run goes on.
      if (!(error instanceof ExpressionFailure || error instanceof EngineError)) throw error;
      return await this.#settle({
        ...{ kind: "settle", step: id, item, status: "failed", reason: error.message },
      });
    }
    await this.#client.query(
      `update croft.run_step set status = 'running', job_id = $4, child_id = $5, started_at = croft.now(),
         finished_at = null, stopped_at = null, error = null, reason = null
       where run_id = $1 and step = $2 and item = $3`,
      [this.run.id, id, item, carrier.job_id ?? null, carrier.child_id ?? null],
    );
    this.tellStep(id, item, "running", carrier);
  }

  async #submit({ id, retry }: Step, item: string): Promise<string> {
    const { run } = this;
    const job: SubmittedJob = {
      ...{ type: "step", owner: run.owner, priority: priorityOf(run) },
      input: { run_id: run.id, step: id, item },
      attempts: retry.attempts,
      timeout_ms: STEP_BACKSTOP_MS,
      ...{ run_id: run.id, step: item === "" ? id : `${id}/${item}` },
    };
    const [submission] = await this.#parts.intake.submitWithin(this.#client, [job]);
    if (submission === undefined) throw new Error("the database did not answer for a job");
    return submission.id;
  }

  async #startChild(step: Extract<Step, { kind: "uses" }>, item: string): Promise<string> {
    const row = this.steps.find((each) => each.step === step.id && each.item === item);
    const context = {
      ...stepContext(this.pipeline, this.run, this.steps, step, row),
      artifacts: await this.texts(),
    };
    const given = Object.entries(step.with).map(([name, value]) => [
      name,
      typeof value === "string" ? evaluateTemplate(value, context) : value,
    ]);
    const name = usedName(step, this.run.file) ?? "";
    const { id, owner, event, repository, ref, commit, kind, uses, started_by } = this.run;
    return await createRun(this.#client, {
      ...{ owner, text: uses[name] ?? "", file: name, inputs: Object.fromEntries(given) },
      ...{
        event,
        repository,
        ref,
        kind,
        uses,
        commit,
        startedBy: started_by,
        class: this.run.class,
      },
      parent: { id, step: step.id, item },
    });
  }

  async #ask(id: string): Promise<void> {
    const step = this.pipeline.steps.find((each) => each.id === id);
    const context = stepContext(this.pipeline, this.run, this.steps, step);
    const message = approvalMessage(step, { ...context, artifacts: await this.texts() });
    if (message instanceof ExpressionFailure) {
      const reason = `its message: ${message.message}`;
      return await this.#settle({ kind: "settle", step: id, item: "", status: "failed", reason });
    }
    await this.#client.query(
      `update croft.run_step set status = 'waiting', started_at = croft.now(), decided_by = null, decided_at = null,
         deadline_at = croft.now() + make_interval(secs => $3), message = $4
       where run_id = $1 and step = $2 and item = ''`,
      [this.run.id, id, (step?.timeoutMs ?? 0) / 1000, message],
    );
    this.tellStep(id, "", "waiting", message === null ? {} : { message });
  }

  async #expand({ step, items }: Extract<Move, { kind: "expand" }>): Promise<void> {
    await this.#client.query(
      `update croft.run_step set status = 'running', is_group = true, started_at = croft.now()
       where run_id = $1 and step = $2 and item = ''`,
      [this.run.id, step],
    );
    const rows = items.map(({ id, values, dependsOn }, position) => ({
      ...{ item: id, position, matrix: values, depends_on: dependsOn },
    }));
    await this.#client.query(
      `insert into croft.run_step (run_id, step, item, position, matrix, depends_on)
       select $1, $2, item, position, matrix, coalesce(depends_on, '{}')
       from jsonb_to_recordset($3) as x(item text, position integer, matrix jsonb, depends_on text[])`,
      [this.run.id, step, JSON.stringify(rows)],
    );
    await this.readSteps();
    this.tellStep(step, "", "running", { items: items.length });
  }

  async #stop(id: string, item: string): Promise<void> {
    const row = this.steps.find((each) => each.step === id && each.item === item);
    await this.#client.query(
      "update croft.run_step set stopped_at = croft.now() where run_id = $1 and step = $2 and item = $3",
      [this.run.id, id, item],
    );
    if (row?.job_id != null) await this.#client.query("select croft.cancel($1)", [[row.job_id]]);
    if (row?.child_id == null) return;
    await this.#client.query(
      `with asked as (update croft.run set cancel_requested_at = coalesce(cancel_requested_at, croft.now())
         where id = $1 returning id)
       select croft.mark_due(array_agg(id)) from asked`,
      [row.child_id],
    );
  }

  async #settle({ step, item, status, reason }: Extract<Move, { kind: "settle" }>): Promise<void> {
    const error =
      status === "failed" && reason !== undefined
        ? { code: "expression", class: "invalid", message: reason }
        : null;
    await this.#client.query(
      `update croft.run_step set status = $4, reason = $5, error = coalesce($6, error), finished_at = croft.now()
       where run_id = $1 and step = $2 and item = $3`,
      [
        this.run.id,
        step,
        item,
        status,
        reason ?? null,
        error === null ? null : JSON.stringify(error),
      ],
    );
    this.tellStep(step, item, status, reason === undefined ? {} : { reason });
  }

  async #queue(): Promise<void> {
    const jobId = await submitStart(this.#parts.intake, this.#client, this.run);
    await this.update("queued", { start_job_id: jobId });
  }

  async end(status: "done" | "failed" | "cancelled", error: JobError | null): Promise<void> {
    const outputs = status === "done" ? this.#outputs() : null;
    if (outputs instanceof ExpressionFailure) {
      const message = `outputs: ${outputs.message}`;
      return await this.end("failed", { code: "expression", class: "invalid", message });
    }
    await this.#client.query("select croft.release_lane($1)", [this.run.id]);
    await this.update(status, {
      error: status === "done" || error === null ? null : JSON.stringify(error),
      outputs: outputs === null ? null : JSON.stringify(outputs),
    });
    const { parent_id: parent } = this.run;
    if (parent !== null) await this.#client.query("select croft.mark_due($1)", [[parent]]);
  }

  #outputs(): Record<string, unknown> | ExpressionFailure {
    try {
      const context = stepContext(this.pipeline, this.run, this.steps, undefined);
      return Object.fromEntries(
        Object.entries(this.pipeline.outputs).map(([name, template]) => [
          name,
          evaluateTemplate(template, context),
        ]),
      );
    } catch (error) {
      if (error instanceof ExpressionFailure) return error;
      throw error;
    }
  }

  /** Of what made the run fail: not of a step whose failure it was told not to mind. */
  #firstError(): JobError | null {
    const minded = new Set(
      this.pipeline.steps.filter(({ continueOnError }) => !continueOnError).map(({ id }) => id),
    );
    const failed = this.steps.find(
      ({ step, status, error }) => status === "failed" && error !== null && minded.has(step),
    );
    if (failed?.error == null) return null;
    return { ...failed.error, message: `step '${failed.step}': ${failed.error.message}` };
  }

  async update(status: RunStatus, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const names = Object.keys(more);
    const sets = names.map((name, index) => `, ${name} = $${index + 3}`).join("");
    const { rows } = await this.#client.query<RunRow>(
      `update croft.run set status = $2::croft.run_status,
         started_at = case when $2::croft.run_status = 'running' then coalesce(started_at, croft.now()) else started_at end,
         finished_at = case when $2::croft.run_status in ('done', 'failed', 'cancelled') then croft.now() end${sets}
       where id = $1 returning *`,
      [this.run.id, status, ...Object.values(more)],
    );
    this.run = rows[0] ?? this.run;
    this.#told.push({ type: status === "running" ? "run.started" : `run.${status}`, data: {} });
  }

  tellStep(step: string, item: string, status: string, more: object = {}): void {
    const data = { step, ...(item === "" ? {} : { item }), status, ...more };
    this.#told.push({ type: "run.step", data });
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
      [this.run.id, JSON.stringify(this.#told)],
    );
  }
}
