// Evaluates templates and conditions against what is known at the time, within limits.
import { data, Evaluator, type Expr } from "@actions/expressions";
import { EXPRESSION_TEXT_BYTES_MAX, EXPRESSION_VALUE_BYTES_MAX } from "../pipeline-limits.ts";
import type { JsonValue } from "../yaml/yaml-node.ts";
import { jsonFrom, LazyMembers } from "./expression-data.ts";
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
}

/** The expression is right, but with these values it has no result. */
export class ExpressionFailure extends Error {
  override readonly name = "ExpressionFailure";
}

/** A text that is one expression gives its value, any other a text. */
export function evaluateTemplate(
  template: Template | string,
  context: ExpressionContext,
  status?: RunStatus,
): JsonValue {
  const { parts } = typeof template === "string" ? compiled(template) : template;
  const [only] = parts;
  const scope = scopeOf(context);
  if (parts.length === 1 && only !== undefined && typeof only !== "string") {
    return limitedValue(resultOf(only, scope, status));
  }
  const text = parts
    .map((part) => (typeof part === "string" ? part : textOf(resultOf(part, scope, status))))
    .join("");
  if (text.length > EXPRESSION_VALUE_BYTES_MAX) throw tooLong(EXPRESSION_VALUE_BYTES_MAX);
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

function scopeOf(context: ExpressionContext): data.Dictionary {
  const known: Readonly<Record<string, JsonValue | undefined>> = { ...context };
  return new LazyMembers(new Map(CONTEXT_NAMES.map((name) => [name, known[name] ?? {}])));
}

function compiled(source: string): Template {
  const { template, faults } = compileTemplate(source);
  if (template === undefined) throw new ExpressionFailure(faults[0]?.message ?? "cannot be read");
  return template;
}

function resultOf(
  { expression }: TemplateExpression,
  scope: data.Dictionary,
  status: RunStatus | undefined,
): data.ExpressionData {
  try {
    // The evaluator finds functions in an object, where `constructor` is one too.
    checkNames(expression.tree, scope);
    return new Evaluator(expression.tree, scope, functionsFor(status)).evaluate();
  } catch (error) {
    if (error instanceof ExpressionFailure) throw error;
    throw new ExpressionFailure(error instanceof Error ? error.message : String(error), {
      cause: error,
    });
  }
}

function checkNames(tree: Expr, scope: data.Dictionary): void {
  for (const { lexeme } of callsIn(tree)) {
    if (!FUNCTIONS.has(lexeme.toLowerCase()))
      throw new ExpressionFailure(`unknown function '${lexeme}'`);
  }
  for (const { lexeme } of contextsIn(tree)) {
    if (scope.get(lexeme) === undefined) throw new ExpressionFailure(`unknown name '${lexeme}'`);
  }
}

function limitedValue(value: data.ExpressionData): JsonValue {
  const json = jsonFrom(value);
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
