// The combinations of a matrix: every value with every other, then what is left out and what is added.
import { COST, type ExpressionWork } from "../expression/expression-work.ts";
import { MATRIX_ITEMS_MAX } from "../pipeline-limits.ts";
import type { JsonValue } from "../yaml/yaml-node.ts";

export type Combination = Readonly<Record<string, JsonValue>>;

export interface MatrixLists {
  readonly values: Readonly<Record<string, readonly JsonValue[]>>;
  readonly include: readonly Combination[];
  readonly exclude: readonly Combination[];
}

/** Undefined when there would be too many. */
export function combinationsOf(
  { values, include, exclude }: MatrixLists,
  work: ExpressionWork,
): Combination[] | undefined {
  const names = Object.keys(values);
  const count = Object.values(values).reduce((product, list) => product * list.length, 1);
  // What is left out counts too: it has to be made first.
  if (names.length > 0 && count > MATRIX_ITEMS_MAX) return undefined;
  const kept = productOf(values).filter(
    (combination) => !exclude.some((unwanted) => isPartOf(unwanted, combination, work)),
  );
  const all = withIncluded(kept, include, names, work);
  return all.length > MATRIX_ITEMS_MAX ? undefined : all;
}

function productOf(values: MatrixLists["values"]): Combination[] {
  const lists = Object.entries(values);
  if (lists.length === 0) return [];
  return lists.reduce<Combination[]>(
    (made, [name, list]) =>
      made.flatMap((combination) => list.map((value) => ({ ...combination, [name]: value }))),
    [{}],
  );
}

/** As in GitHub Actions: it extends every combination that it does not contradict, and is one more if there is none. */
function withIncluded(
  kept: readonly Combination[],
  include: readonly Combination[],
  names: readonly string[],
  work: ExpressionWork,
): Combination[] {
  const extended: Combination[] = [...kept];
  const added: Combination[] = [];
  for (const more of include) {
    const own = Object.fromEntries(Object.entries(more).filter(([name]) => names.includes(name)));
    let isUsed = false;
    kept.forEach((combination, index) => {
      if (!isPartOf(own, combination, work)) return;
      isUsed = true;
      extended[index] = { ...extended[index], ...more };
    });
    if (!isUsed) added.push(more);
  }
  return [...extended, ...added];
}

function isPartOf(part: Combination, whole: Combination, work: ExpressionWork): boolean {
  return Object.entries(part).every(
    ([name, value]) => Object.hasOwn(whole, name) && isEqual(value, whole[name] ?? null, work),
  );
}

function isEqual(a: JsonValue, b: JsonValue, work: ExpressionWork): boolean {
  work.spend(COST.value);
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const [left, right] = [Object.entries(a), Object.entries(b)];
  work.spend((left.length + right.length) * COST.value);
  if (Array.isArray(a) !== Array.isArray(b) || left.length !== right.length) return false;
  const others = new Map<string, JsonValue>(right);
  return left.every(
    ([key, value]) => others.has(key) && isEqual(value, others.get(key) ?? null, work),
  );
}
