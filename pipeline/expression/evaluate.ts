// Evaluates templates and conditions against what is known at the time, within limits.
import { data, type Expr } from "@actions/expressions";
import { EXPRESSION_TEXT_BYTES_MAX, EXPRESSION_VALUE_BYTES_MAX } from "../pipeline-limits.ts";
import type { JsonValue } from "../yaml/yaml-node.ts";
import { CountingEvaluator } from "./counting-evaluator.ts";
import { jsonFrom, LazyMembers } from "./expression-data.ts";
import { ExpressionFailure } from "./expression-failure.ts";
import { COST, ExpressionWork } from "./expression-work.ts";
import { FUNCTIONS, functionsFor, type RunStatus } from "./functions.ts";
import {
  type CompiledCondition,
  compileTemplate,
  type Template,
  type TemplateExpression,
} from "./template.ts";
import { callsIn, chainOf, contextsIn, nodesIn } from "./walk-expression.ts";

/** What expressions may name; a member that is missing counts as an empty one. */
export interface ExpressionContext {
  readonly inputs?: Readonly<Record<string, JsonValue>>;
  readonly env?: Readonly<Record<string, JsonValue>>;
  readonly matrix?: Readonly<Record<string, JsonValue>>;
  readonly needs?: Readonly<Record<string, JsonValue>>;
  readonly steps?: Readonly<Record<string, JsonValue>>;
  /** Step → artifact → its text; only those that `artifactsUsedBy` names are needed. */
  readonly artifacts?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly run?: Readonly<Record<string, JsonValue>>;
  readonly repository?: Readonly<Record<string, JsonValue>>;
  readonly event?: JsonValue;
  /** Cannot be named: what is evaluated together shares it. Without it each text has its own. */
  readonly work?: ExpressionWork | undefined;
}

/** A text that is one expression gives its value, any other a text. */
export function evaluateTemplate(
  template: Template | string,
  context: ExpressionContext,
  status?: RunStatus,
): JsonValue {
  const { work = new ExpressionWork() } = context;
  const { parts } = typeof template === "string" ? compiled(template, work) : template;
  const [only] = parts;
  const scope = scopeOf(context, work);
  const result = (part: TemplateExpression) => resultOf(part, scope, status, work);
  if (parts.length === 1 && only !== undefined && typeof only !== "string") {
    return limitedValue(result(only), work);
  }
  let text = "";
  for (const part of parts) {
    text += typeof part === "string" ? part : textOf(result(part));
    if (text.length > EXPRESSION_VALUE_BYTES_MAX) throw tooLong(EXPRESSION_VALUE_BYTES_MAX);
  }
  work.spend(text.length);
  return text;
}

/** As text, where a field takes no other: null is empty, a list or an object a failure. */
export function evaluateText(template: Template | string, context: ExpressionContext): string {
  const value = evaluateTemplate(template, context);
  if (typeof value === "object" && value !== null) {
    throw new ExpressionFailure(
      "gives a list or an object where a text is needed; toJSON() makes one",
    );
  }
  return value === null ? "" : String(value);
}

/** Whether a step runs: as in GitHub Actions, success is asked for unless the condition asks how the run stands. */
export function evaluateCondition(
  { template, asksStatus }: CompiledCondition,
  context: ExpressionContext,
  status: RunStatus,
): boolean {
  if (template === undefined) throw new ExpressionFailure("the condition cannot be read");
  if (!asksStatus && !status.success) return false;
  return isTrue(evaluateTemplate(template, context, status));
}

/** Which artifacts' texts must be at hand. */
export function artifactsUsedBy(template: Template): readonly { step: string; artifact: string }[] {
  const found = template.parts.flatMap((part) =>
    typeof part === "string"
      ? []
      : nodesIn(part.expression.tree).flatMap((node) => {
          const [context, step, artifact, more] = chainOf(node) ?? [];
          const isOne = context?.toLowerCase() === "artifacts" && more === undefined;
          return isOne && step !== undefined && artifact !== undefined ? [{ step, artifact }] : [];
        }),
  );
  return [...new Map(found.map((each) => [`${each.step}.${each.artifact}`, each])).values()];
}

const CONTEXT_NAMES = [
  ...["inputs", "env", "matrix", "needs", "steps", "artifacts", "run", "repository", "event"],
] as const;

function scopeOf(context: ExpressionContext, work: ExpressionWork): data.Dictionary {
  return new LazyMembers(new Map(CONTEXT_NAMES.map((name) => [name, context[name] ?? {}])), work);
}

function compiled(source: string, work: ExpressionWork): Template {
  const known = work.compiled.get(source);
  if (known !== undefined) return known;
  if (source.includes("${{")) work.spend(source.length * COST.compiled);
  const { template, faults } = compileTemplate(source);
  if (template === undefined) throw new ExpressionFailure(faults[0]?.message ?? "cannot be read");
  work.compiled.set(source, template);
  return template;
}

function resultOf(
  { expression }: TemplateExpression,
  scope: data.Dictionary,
  status: RunStatus | undefined,
  work: ExpressionWork,
): data.ExpressionData {
  work.spend(COST.expression);
  try {
    // The evaluator finds functions in an object, where `constructor` is one too.
    checkNames(expression.tree);
    return new CountingEvaluator(
      expression.tree,
      scope,
      functionsFor(status, work),
      work,
    ).evaluate();
  } catch (error) {
    if (error instanceof ExpressionFailure) throw error;
    throw new ExpressionFailure(error instanceof Error ? error.message : String(error), {
      cause: error,
    });
  }
}

const sound = new WeakSet<Expr>();

function checkNames(tree: Expr): void {
  if (sound.has(tree)) return;
  for (const { lexeme } of callsIn(tree)) {
    if (!FUNCTIONS.has(lexeme.toLowerCase()))
      throw new ExpressionFailure(`unknown function '${lexeme}'`);
  }
  const names: readonly string[] = CONTEXT_NAMES;
  for (const { lexeme } of contextsIn(tree)) {
    if (!names.includes(lexeme.toLowerCase()))
      throw new ExpressionFailure(`unknown name '${lexeme}'`);
  }
  sound.add(tree);
}

function limitedValue(value: data.ExpressionData, work: ExpressionWork): JsonValue {
  const json = jsonFrom(value, work);
  if (typeof json === "string" && json.length > EXPRESSION_TEXT_BYTES_MAX) {
    throw tooLong(EXPRESSION_TEXT_BYTES_MAX);
  }
  return json;
}

function textOf(value: data.ExpressionData): string {
  if (value.kind === data.Kind.Array || value.kind === data.Kind.Dictionary) {
    throw new ExpressionFailure(
      "a list or an object cannot stand inside a text; toJSON() makes one of it",
    );
  }
  const text = value.coerceString();
  if (text.length > EXPRESSION_TEXT_BYTES_MAX) throw tooLong(EXPRESSION_TEXT_BYTES_MAX);
  return text;
}

function tooLong(limit: number): ExpressionFailure {
  return new ExpressionFailure(`the result is too long: at most ${limit} characters`);
}

function isTrue(value: JsonValue): boolean {
  return !(value === null || value === false || value === 0 || value === "");
}
