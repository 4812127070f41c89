// What expressions of a run can name, from how its steps stand.
import {
  type ExpressionContext,
  evaluateText,
  type JsonValue,
  type Pipeline,
  type Step,
} from "@croft/pipeline";
import type { RunRow, StepRow } from "./run-rows.ts";
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
    event: event ?? {},
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
  const beginning = beginningContext(run);
  const states: Record<string, JsonValue> = {};
  for (const each of pipeline.steps) states[each.id] = stateOf(each, rows);
  const needs = step === undefined ? [] : step.needs;
  const context: ExpressionContext = {
    ...beginning,
    steps: states,
    needs: Object.fromEntries(needs.map((id) => [id, states[id] ?? null])),
    ...(item?.matrix == null ? {} : { matrix: item.matrix }),
  };
  return { ...context, env: textsOf(pipeline.env, context) };
}

/** Variables may use those before them. */
export function textsOf(
  templates: Readonly<Record<string, string>>,
  context: ExpressionContext,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, template] of Object.entries(templates)) {
    env[name] = evaluateText(template, { ...context, env: { ...context.env, ...env } });
  }
  return env;
}

function stateOf(step: Step, rows: readonly StepRow[]): Members {
  const own = rows.filter((row) => row.step === step.id);
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
      return { result, commit: main.commit, branch: main.branch };
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
