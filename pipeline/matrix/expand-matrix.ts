// Makes the items of a matrix from its lists: values, ids, and who waits for whom.
import { type ExpressionContext, evaluateTemplate } from "../expression/evaluate.ts";
import { ExpressionFailure } from "../expression/expression-failure.ts";
import { ExpressionWork } from "../expression/expression-work.ts";
import { findCycle } from "../graph.ts";
import type { Matrix } from "../model/pipeline.ts";
import { MATRIX_ITEMS_MAX } from "../pipeline-limits.ts";
import type { JsonValue } from "../yaml/yaml-node.ts";
import { type Combination, combinationsOf, type MatrixLists } from "./combinations.ts";
import { defaultId, slugOf } from "./item-id.ts";

export interface MatrixItem {
  /** From 0, in the order in which results are merged. */
  readonly index: number;
  readonly id: string;
  /** What `matrix` is in the item's expressions. */
  readonly values: Readonly<Record<string, JsonValue>>;
  /** Ids of items that must have ended before. */
  readonly dependsOn: readonly string[];
}

export type ExpandedMatrix =
  | { readonly items: readonly MatrixItem[] }
  | { readonly items: undefined; readonly problem: string };

/** No items is a result too: the step succeeds at once. */
export function expandMatrix(matrix: Matrix, context: ExpressionContext): ExpandedMatrix {
  try {
    const { work = new ExpressionWork() } = context;
    return { items: itemsOf(matrix, { ...context, work }, work) };
  } catch (error) {
    if (!(error instanceof ExpressionFailure)) throw error;
    return { items: undefined, problem: error.message };
  }
}

function itemsOf(matrix: Matrix, context: ExpressionContext, work: ExpressionWork): MatrixItem[] {
  const combinations = combinationsOf(listsOf(matrix, context), work);
  if (combinations === undefined) {
    throw new ExpressionFailure(`the matrix has too many items: at most ${MATRIX_ITEMS_MAX}`);
  }
  const named = combinations.map((values, index) => ({
    index,
    values,
    id: idOf(matrix, { ...context, matrix: values }, values, index),
  }));
  const ids = uniqueIds(named.map(({ id }) => id));
  const items = named.map((item) => ({
    ...item,
    dependsOn: dependenciesOf(matrix, { ...context, matrix: item.values }, item.id, ids),
  }));
  const cycle = findCycle(new Map(items.map(({ id, dependsOn }) => [id, dependsOn])));
  if (cycle !== undefined) {
    throw new ExpressionFailure(`items of the matrix wait for each other: ${cycle.join(" → ")}`);
  }
  return items;
}

function listsOf({ values, include, exclude }: Matrix, context: ExpressionContext): MatrixLists {
  return {
    values: Object.fromEntries(
      Object.entries(values).map(([name, list]) => [name, listOf(list, context, `matrix.${name}`)]),
    ),
    include: listOf(include ?? [], context, "matrix.include").map((more) =>
      combinationOf(more, "include"),
    ),
    exclude: listOf(exclude ?? [], context, "matrix.exclude").map((less) =>
      combinationOf(less, "exclude"),
    ),
  };
}

function listOf(
  list: readonly JsonValue[] | string,
  context: ExpressionContext,
  what: string,
): readonly JsonValue[] {
  const value: JsonValue = typeof list === "string" ? evaluateTemplate(list, context) : list;
  if (!Array.isArray(value)) throw new ExpressionFailure(`${what} gives no list`);
  if (value.length > MATRIX_ITEMS_MAX) {
    throw new ExpressionFailure(`${what} has ${value.length} items: at most ${MATRIX_ITEMS_MAX}`);
  }
  return value;
}

function combinationOf(value: JsonValue, what: string): Combination {
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Combination;
  throw new ExpressionFailure(`matrix.${what} must hold objects`);
}

function idOf(
  { id, values: lists }: Matrix,
  context: ExpressionContext,
  values: Combination,
  index: number,
): string {
  const given =
    id === undefined ? defaultId(values, Object.keys(lists), index) : evaluateTemplate(id, context);
  const slug = typeof given === "object" ? "" : slugOf(String(given));
  if (slug === "") throw new ExpressionFailure(`item ${index + 1} of the matrix has no usable id`);
  return slug;
}

/** Compared without case: some file systems do. */
function uniqueIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const seen = new Map<string, string>();
  for (const id of ids) {
    const folded = id.toLowerCase();
    if (seen.has(folded)) {
      throw new ExpressionFailure(
        `two items of the matrix have the id '${id}': set 'id' so that they differ`,
      );
    }
    seen.set(folded, id);
  }
  return seen;
}

function dependenciesOf(
  { dependsOn }: Matrix,
  context: ExpressionContext,
  own: string,
  ids: ReadonlyMap<string, string>,
): string[] {
  if (dependsOn === undefined) return [];
  const value = evaluateTemplate(dependsOn, context);
  if (value === null || value === "") return [];
  const wanted: readonly JsonValue[] = Array.isArray(value) ? value : [value];
  if (wanted.length > MATRIX_ITEMS_MAX) {
    throw new ExpressionFailure(
      `item '${own}' of the matrix depends on ${wanted.length} items: at most ${MATRIX_ITEMS_MAX}`,
    );
  }
  const found = wanted.map((each) => {
    const id = typeof each === "object" ? undefined : ids.get(slugOf(String(each)).toLowerCase());
    if (id === undefined) {
      const named = JSON.stringify(each).slice(0, 80);
      throw new ExpressionFailure(
        `item '${own}' of the matrix depends on ${named}, which is no item's id`,
      );
    }
    if (id === own) throw new ExpressionFailure(`item '${own}' of the matrix depends on itself`);
    return id;
  });
  return [...new Set(found)];
}
