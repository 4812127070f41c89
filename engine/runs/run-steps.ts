// The steps of a run while it goes on: changed in memory, and written once.
import type { Queryable } from "../database/in-transaction.ts";
import type { CarriedStep } from "./run-rows.ts";
import type { NewItem } from "./run-state.ts";

/** What an advance changes of a step; what is left out stays. */
export type StepChange = Partial<
  Pick<
    CarriedStep,
    | "status"
    | "is_group"
    | "job_id"
    | "child_id"
    | "child_status"
    | "child_attempts"
    | "outputs"
    | "commit"
    | "base"
    | "branch"
    | "report"
    | "summary"
    | "error"
    | "reason"
    | "message"
    | "is_after_cancel"
  >
> &
  StepTimes;

/** The database's own time is meant. */
interface StepTimes {
  readonly begins?: true;
  readonly stops?: true;
  readonly ends?: true;
  readonly deadlineMs?: number;
  readonly retryMs?: number;
}

type TimeMarks = { -readonly [Name in keyof StepTimes]: StepTimes[Name] };

export class RunSteps {
  readonly #onChange: (step: string) => void;
  readonly #byStep = new Map<string, Map<string, CarriedStep>>();
  readonly #changed = new Map<string, { readonly row: CarriedStep; readonly times: TimeMarks }>();
  readonly #added: { readonly step: string; readonly items: readonly NewItem[] }[] = [];

  constructor(rows: readonly CarriedStep[], onChange: (step: string) => void) {
    for (const row of rows) this.#put(row);
    this.#onChange = onChange;
  }

  all(): readonly CarriedStep[] {
    const rows: CarriedStep[] = [];
    for (const own of this.#byStep.values()) for (const row of own.values()) rows.push(row);
    return rows;
  }

  of(step: string): readonly CarriedStep[] {
    return [...(this.#byStep.get(step)?.values() ?? [])];
  }

  get(step: string, item: string): CarriedStep {
    const found = this.#byStep.get(step)?.get(item);
    if (found === undefined) throw new Error(`the run has no step '${step}' '${item}'`);
    return found;
  }

  /** Of all matrices. */
  get items(): number {
    let items = 0;
    for (const own of this.#byStep.values()) items += own.size - 1;
    return items;
  }

  /** How many rows are to be written. */
  get changes(): number {
    return this.#changed.size + this.#added.reduce((sum, { items }) => sum + items.length, 0);
  }

  change(step: string, item: string, change: StepChange): void {
    const { begins, stops, ends, deadlineMs, retryMs, ...values } = change;
    const now = new Date(); // only that there is a time matters here
    const before = this.get(step, item);
    const row: CarriedStep = {
      ...before,
      ...values,
      ...(begins ? { started_at: now, finished_at: null, stopped_at: null } : {}),
      ...(stops ? { stopped_at: now } : {}),
      ...(ends ? { finished_at: now } : {}),
    };
    const key = `${step}\0${item}`;
    const times: TimeMarks = { ...this.#changed.get(key)?.times };
    if (begins) {
      times.begins = true;
      delete times.stops;
      delete times.ends;
    }
    if (stops) times.stops = true;
    if (ends) times.ends = true;
    if (deadlineMs !== undefined) times.deadlineMs = deadlineMs;
    if (retryMs !== undefined) times.retryMs = retryMs;
    this.#changed.set(key, { row, times });
    this.#put(row);
    this.#onChange(step);
  }

  /** Of a matrix. */
  add(step: string, items: readonly NewItem[]): void {
    const main = this.get(step, "");
    this.#added.push({ step, items });
    for (const [position, { id, values, dependsOn }] of items.entries()) {
      this.#put({
        ...main,
        ...NEW_ITEM,
        item: id,
        position,
        matrix: values,
        depends_on: dependsOn,
      });
    }
    this.#onChange(step);
  }

  async write(client: Queryable, runId: string): Promise<void> {
    if (this.#added.length > 0) await client.query(INSERT, [runId, json(this.#newRows())]);
    this.#added.length = 0;
    if (this.#changed.size === 0) return;
    const rows = [...this.#changed.values()].map(({ row, times }) => ({
      ...stored(row),
      ...times,
    }));
    this.#changed.clear();
    await client.query(UPDATE, [runId, json(rows)]);
  }

  #newRows(): object[] {
    return this.#added.flatMap(({ step, items }) =>
      items.map(({ id, values, dependsOn }, position) => ({
        ...{ step, item: id, position, matrix: values, depends_on: dependsOn },
      })),
    );
  }

  #put(row: CarriedStep): void {
    const own = this.#byStep.get(row.step);
    if (own === undefined) this.#byStep.set(row.step, new Map([[row.item, row]]));
    else own.set(row.item, row);
  }
}

const NEW_ITEM = {
  ...{ status: "pending" as const, is_group: false, child_attempts: 0, is_after_cancel: false },
  ...{ job_id: null, child_id: null, retry_at: null, outputs: null, commit: null, base: null },
  ...{ branch: null, report: null, summary: null, error: null, reason: null, message: null },
  ...{ decided_by: null, decided_at: null, deadline_at: null, stopped_at: null },
  ...{ started_at: null, finished_at: null, job_status: null, job_attempt: null },
  ...{ job_result: null, job_error: null, child_status: null, child_outputs: null },
  child_error: null,
} as const;

const INSERT = `
  insert into croft.run_step (run_id, step, item, position, matrix, depends_on)
  select $1, step, item, position, matrix, coalesce(depends_on, '{}')
  from jsonb_to_recordset($2) as x(step text, item text, position integer, matrix jsonb, depends_on text[])`;

const UPDATE = `
  update croft.run_step s set
    status = x.status, is_group = x.is_group, job_id = x.job_id, child_id = x.child_id, child_attempts = x.child_attempts,
    outputs = x.outputs, commit = x.commit, base = x.base, branch = x.branch, report = x.report, summary = x.summary,
    error = x.error, reason = x.reason, message = x.message, is_after_cancel = x.is_after_cancel,
    decided_by = case when x.status = 'waiting' then null else s.decided_by end,
    decided_at = case when x.status = 'waiting' then null else s.decided_at end,
    started_at = case when x.begins then croft.now() else s.started_at end,
    stopped_at = case when x.stops then croft.now() when x.begins then null else s.stopped_at end,
    finished_at = case when x.ends then croft.now() when x.begins then null else s.finished_at end,
    deadline_at = case when x."deadlineMs" is not null then croft.now() + make_interval(secs => x."deadlineMs" / 1000)
      when x.begins then null else s.deadline_at end,
    retry_at = croft.now() + make_interval(secs => x."retryMs" / 1000)
  from jsonb_to_recordset($2) as x(
    step text, item text, status croft.step_status, is_group boolean, job_id uuid, child_id uuid, child_attempts integer,
    outputs jsonb, commit text, base text, branch text, report jsonb, summary text, error jsonb, reason text, message text,
    is_after_cancel boolean, begins boolean, stops boolean, ends boolean, "deadlineMs" float8, "retryMs" float8)
  where s.run_id = $1 and s.step = x.step and s.item = x.item`;

function stored(row: CarriedStep) {
  const { step, item, status, is_group, job_id, child_id, child_attempts, outputs, commit } = row;
  const { base, branch, report, summary, error, reason, message, is_after_cancel } = row;
  return {
    ...{ step, item, status, is_group, job_id, child_id, child_attempts, outputs, commit },
    ...{ base, branch, report, summary, error, reason, message, is_after_cancel },
  };
}

function json(value: unknown): string {
  return JSON.stringify(value);
}
