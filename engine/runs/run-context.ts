// What expressions of a run can name, from how its steps stand.
import {
  type ExpressionContext,
  ExpressionFailure,
  ExpressionWork,
  evaluateText,
  type JsonValue,
  type Pipeline,
  type Step,
} from "@croft/pipeline";
import { type RunRow, rowsByStep, type StepRow } from "./run-rows.ts";
import { hasEnded } from "./run-state.ts";

type Members = Readonly<Record<string, JsonValue>>;

/** Known as soon as there is a run. */
export function beginningContext(
  run: Pick<
    RunRow,
    "id" | "name" | "number" | "attempt" | "started_by" | "inputs" | "event" | "repository" | "ref"
  > & { readonly commit?: string | null },
): ExpressionContext {
  const { id, name, number, attempt, started_by, inputs, event } = run;
  return {
    inputs,
    // Frozen, so that evaluators may keep what they have made of it: it can be large, and every step may look at it.
    event: Object.freeze(event ?? {}),
    run: { id, name, number, attempt, started_by },
    repository: repositoryMembers(run),
  };
}

/** Known when a step is to begin; `item` adds what only one item knows. */
export function stepContext(
  pipeline: Pipeline,
  run: RunRow,
  rows: readonly StepRow[],
  step: Step | undefined,
  item?: StepRow,
): ExpressionContext {
  const byStep = rowsByStep(rows);
  return new RunContext(pipeline, run, (id) => byStep.get(id) ?? []).of(step, item);
}

/** The contexts of all steps of a run: what they share is made once, and again only for steps that have changed. */
export class RunContext {
  readonly #pipeline: Pipeline;
  readonly #beginning: ExpressionContext;
  readonly #rowsOf: (step: string) => readonly StepRow[];
  readonly #states = new Map<string, Members>();
  #steps: Members | undefined;
  readonly #name: string;

  constructor(pipeline: Pipeline, run: RunRow, rowsOf: (step: string) => readonly StepRow[]) {
    this.#pipeline = pipeline;
    this.#beginning = beginningContext(run);
    this.#name = `${run.id} ${run.attempt} ${run.commit}`;
    this.#rowsOf = rowsOf;
  }

  /** To be said whenever one of its rows stands differently. */
  forget(step: string): void {
    this.#states.delete(step);
    this.#steps = undefined;
  }

  of(step: Step | undefined, item?: StepRow): ExpressionContext {
    const env = this.#variables();
    this.#steps ??= this.#allStates();
    const states = this.#steps;
    const needs = step === undefined ? [] : step.needs;
    return {
      ...this.#beginning,
      steps: states,
      needs: Object.fromEntries(needs.map((id) => [id, states[id] ?? null])),
      ...(item?.matrix == null ? {} : { matrix: item.matrix }),
      env,
    };
  }

  /** The pipeline's own know no more than the run does at its beginning. */
  #variables(): Variables {
    const own = variables.get(this.#pipeline) ?? new Map<string, Variables | ExpressionFailure>();
    const env =
      own.get(this.#name) ?? orFailure(() => textsOf(this.#pipeline.env, this.#beginning));
    if (own.size === VARIABLES_KEPT_MAX) own.clear();
    variables.set(this.#pipeline, own.set(this.#name, env));
    if (env instanceof ExpressionFailure) throw env;
    return env;
  }

  /** Frozen, as each of them: an evaluator may keep what it has made of it. */
  #allStates(): Members {
    const entries = this.#pipeline.steps.map((step): [string, Members] => {
      const state = this.#states.get(step.id) ?? stateOf(step, this.#rowsOf(step.id));
      this.#states.set(step.id, Object.freeze(state));
      return [step.id, state];
    });
    return Object.freeze(Object.fromEntries(entries));
  }
}

type Variables = Readonly<Record<string, string>>;

/** What costs much, or fails, would for every step, and whenever one has ended. */
const variables = new WeakMap<Pipeline, Map<string, Variables | ExpressionFailure>>();
const VARIABLES_KEPT_MAX = 20;

function orFailure<Value>(evaluate: () => Value): Value | ExpressionFailure {
  try {
    return evaluate();
  } catch (error) {
    if (error instanceof ExpressionFailure) return error;
    throw error;
  }
}

/** Variables may use those before them. */
export function textsOf(
  templates: Readonly<Record<string, string>>,
  context: ExpressionContext,
): Record<string, string> {
  const env: Record<string, string> = {};
  const known: Record<string, JsonValue> = { ...context.env };
  const { work = new ExpressionWork() } = context;
  for (const [name, template] of Object.entries(templates)) {
    const text = template.includes("${{")
      ? evaluateText(template, { ...context, env: known, work })
      : template;
    env[name] = text;
    known[name] = text;
  }
  return env;
}

function stateOf(step: Step, own: readonly StepRow[]): Members {
  const main = own.find(({ item }) => item === "");
  if (main === undefined) return {};
  const result = resultOf(main);
  if ("matrix" in step && step.matrix !== undefined) {
    const items = own.filter(({ item }) => item !== "");
    return { result, items: items.map((item) => ({ id: item.item, ...membersOf(item) })) };
  }
  switch (step.kind) {
    case "integrate":
      return { result, commit: main.commit, ...reportMembers(main, ["integrated", "conflicts"]) };
    case "approval": {
      const approvedAt = main.decided_at?.toISOString() ?? null;
      return { result, approved_by: main.decided_by, approved_at: approvedAt };
    }
    case "publish":
      return { ...membersOf(main), branch: main.branch };
    default:
      return membersOf(main);
  }
}

function membersOf(row: StepRow): Members {
  return { result: resultOf(row), outputs: row.outputs ?? {}, commit: row.commit };
}

function reportMembers({ report }: StepRow, names: readonly string[]): Members {
  return Object.fromEntries(names.map((name) => [name, report?.[name] ?? []]));
}

/** None while it has not ended. */
function resultOf({ status }: StepRow): string | null {
  return hasEnded({ status }) ? status : null;
}

function repositoryMembers({
  repository,
  ref,
  commit = null,
}: {
  readonly repository: string;
  readonly ref: string | null;
  readonly commit?: string | null;
}): Members {
  const parts = repository
    .replace(/\.git\/?$/, "")
    .split(/[/:]/)
    .filter((part) => part !== "");
  return {
    name: parts.at(-1) ?? "",
    owner: parts.length > 2 ? (parts.at(-2) ?? "") : "",
    url: repository,
    ...{ ref, commit },
  };
}
