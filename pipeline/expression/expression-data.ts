// Values on their way into the evaluator and out of it; no name reaches anything but the data itself.
import { data } from "@actions/expressions";
import type { JsonValue } from "../yaml/yaml-node.ts";
import { COST, type ExpressionWork } from "./expression-work.ts";

const DEPTH_MAX = 64;

/** The library's own loses keys that every object has, as `constructor`. Names are found exactly, else without case. */
class Members extends data.Dictionary {
  readonly #exact = new Map<string, data.ExpressionData>();
  readonly #folded = new Map<string, data.ExpressionData>();

  override add(key: string, value: data.ExpressionData): void {
    this.#exact.set(key, value);
    const folded = key.toLowerCase();
    if (!this.#folded.has(folded)) this.#folded.set(folded, value);
  }

  override get(key: string): data.ExpressionData | undefined {
    return this.#exact.get(key) ?? this.#folded.get(key.toLowerCase());
  }

  override values(): data.ExpressionData[] {
    return [...this.#exact.values()];
  }

  override pairs() {
    return [...this.#exact].map(([key, value]) => ({ key, value }));
  }
}

export function dataOf(value: unknown, work: ExpressionWork, depth = 0): data.ExpressionData {
  if (depth > DEPTH_MAX) throw new Error(`nested too deeply: at most ${DEPTH_MAX} levels`);
  work.spend(COST.value);
  switch (typeof value) {
    case "string":
      return new data.StringData(value);
    case "number":
      return new data.NumberData(value);
    case "boolean":
      return new data.BooleanData(value);
    case "object":
      return value === null ? new data.Null() : collectionOf(value, work, depth + 1);
    default:
      return new data.Null();
  }
}

/** What is frozen is the same the next time: a run asks about its thousand steps a thousand times. */
const frozen = new WeakMap<object, data.ExpressionData>();

/** Items of a matrix share their values. The outermost may be added to between two evaluations, as variables are. */
function collectionOf(value: object, work: ExpressionWork, depth: number): data.ExpressionData {
  const known = frozen.get(value) ?? work.made.get(value);
  if (known !== undefined) return known;
  const made = Array.isArray(value) ? listOf(value, work, depth) : membersOf(value, work, depth);
  if (Object.isFrozen(value)) frozen.set(value, made);
  else if (depth > 1) work.made.set(value, made);
  return made;
}

/** One by one: the library's constructors take members as arguments, of which there may be too many. */
function listOf(
  values: readonly unknown[],
  work: ExpressionWork,
  depth: number,
): data.ExpressionData {
  const list = new data.Array();
  for (const item of values) list.add(dataOf(item, work, depth));
  return list;
}

function membersOf(value: object, work: ExpressionWork, depth: number): data.Dictionary {
  const members = new Members();
  for (const [key, member] of Object.entries(value)) members.add(key, dataOf(member, work, depth));
  return members;
}

/** Members that are made when they are asked for: most expressions name one of them. */
export class LazyMembers extends Members {
  readonly #sources: ReadonlyMap<string, unknown>;
  readonly #work: ExpressionWork;

  /** Their names in small letters. */
  constructor(sources: ReadonlyMap<string, unknown>, work: ExpressionWork) {
    super();
    this.#sources = sources;
    this.#work = work;
  }

  override get(key: string): data.ExpressionData | undefined {
    const name = key.toLowerCase();
    const made = super.get(name);
    if (made !== undefined || !this.#sources.has(name)) return made;
    const value = dataOf(this.#sources.get(name), this.#work);
    this.add(name, value);
    return value;
  }
}

export function jsonFrom(value: data.ExpressionData, work: ExpressionWork): JsonValue {
  work.spend(COST.value);
  switch (value.kind) {
    case data.Kind.String:
    case data.Kind.Boolean:
      return value.value;
    case data.Kind.Number:
      return Number.isFinite(value.value) ? value.value : null;
    case data.Kind.Array:
      return value.values().map((item) => jsonFrom(item, work));
    case data.Kind.Dictionary:
      return objectOf(value.pairs().map(({ key, value: member }) => [key, jsonFrom(member, work)]));
    default:
      return null;
  }
}

/** `fromEntries` defines each member, so that `__proto__` is one like others. */
function objectOf(entries: readonly (readonly [string, JsonValue])[]): JsonValue {
  return Object.fromEntries(entries);
}
