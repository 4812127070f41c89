// The functions of expressions: those of GitHub Actions, within limits, and the four that ask how the run stands.
import { data, wellKnownFunctions } from "@actions/expressions";
import type { FunctionDefinition } from "@actions/expressions/funcs/info";
import { EXPRESSION_VALUE_BYTES_MAX } from "../pipeline-limits.ts";
import { dataOf, jsonFrom } from "./expression-data.ts";
import { COST, ExpressionWork } from "./expression-work.ts";

export interface RunStatus {
  readonly success: boolean;
  readonly failure: boolean;
  readonly cancelled: boolean;
}

export const STATUS_FUNCTIONS: readonly string[] = ["always", "success", "failure", "cancelled"];

/** By name in small letters, as the evaluator looks them up. */
export function functionsFor(
  status: RunStatus | undefined,
  work: ExpressionWork,
): Map<string, FunctionDefinition> {
  const own = counted.get(work) ?? countedFor(work);
  counted.set(work, own);
  return status === undefined ? own : new Map([...own, ...statusFunctions(status)]);
}

const counted = new WeakMap<ExpressionWork, Map<string, FunctionDefinition>>();

function countedFor(work: ExpressionWork): Map<string, FunctionDefinition> {
  return new Map([
    ...["case", "contains", "endswith", "startswith"].map((name) => built(name, work, measured)),
    ...["format", "join"].map((name) => built(name, work, limited)),
    ["fromjson", fromJson(work)],
    ["tojson", toJson(work)],
    ...statusFunctions({ success: true, failure: false, cancelled: false }),
  ]);
}

function statusFunctions(status: RunStatus): [string, FunctionDefinition][] {
  const answers: Record<string, boolean> = { always: true, ...status };
  return STATUS_FUNCTIONS.map((name) => [
    name,
    { name, minArgs: 0, maxArgs: 0, call: () => new data.BooleanData(answers[name] === true) },
  ]);
}

/** The same text is read once: a thousand items may ask for it. */
function fromJson(work: ExpressionWork): FunctionDefinition {
  const call: FunctionDefinition["call"] = (input) => {
    const text = input?.coerceString() ?? "";
    within(text.length, "fromJSON is given too much");
    work.spend(text.length / LOOKED_UP); // long texts of one length are compared
    const known = work.parsed.get(text);
    if (known !== undefined) return known;
    work.spend(text.length);
    if (text.trim() === "") throw new Error("fromJSON is given an empty text");
    const value = dataOf(parsed(text), work);
    work.parsed.set(text, value);
    return value;
  };
  return { name: "fromJSON", minArgs: 1, maxArgs: 1, call };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error("fromJSON is given a text that is not JSON", { cause: error });
  }
}

function toJson(work: ExpressionWork): FunctionDefinition {
  const call: FunctionDefinition["call"] = (input) => {
    const value = input === undefined ? null : jsonFrom(input, work);
    const { length } = JSON.stringify(value);
    work.spend(PRETTY_FACTOR * length);
    // Spaces multiply what is nested: the plain form is measured first.
    within(length * PRETTY_FACTOR, "toJSON is given too much");
    return new data.StringData(JSON.stringify(value, null, 2));
  };
  return { name: "toJSON", minArgs: 1, maxArgs: 1, call };
}
const PRETTY_FACTOR = 4;
/** So many characters in the time of one that is read. */
const LOOKED_UP = 16;

type Measure = (name: string, args: readonly data.ExpressionData[], work: ExpressionWork) => void;

/** The library's own, with its arguments measured before it does anything. */
function built(name: string, work: ExpressionWork, measure: Measure): [string, FunctionDefinition] {
  const definition = Object.hasOwn(wellKnownFunctions, name) ? wellKnownFunctions[name] : undefined;
  if (definition === undefined) throw new Error(`the library lacks ${name}()`);
  const call: FunctionDefinition["call"] = (...args) => {
    measure(definition.name, args, work);
    return definition.call(...args);
  };
  return [name, { ...definition, call }];
}

/** Texts are looked through; each value of a list is compared with what is looked for. */
const measured: Measure = (_, [first, ...rest], work) => {
  const searched = rest.reduce((sum, arg) => sum + arg.coerceString().length, 0);
  if (first?.kind !== data.Kind.Array) {
    work.spend((first?.coerceString().length ?? 0) + searched);
    return;
  }
  const values = first.values();
  work.spend(values.length * (COST.compared + searched));
  for (const value of values) work.spend(value.coerceString().length);
};

const limited: Measure = (name, args, work) => {
  const [first] = args;
  if (first?.kind === data.Kind.Array) work.spend(first.values().length * COST.compared);
  const length = largestResult(args);
  within(length, `${name} would give too much`);
  work.spend(length);
};

/** Every argument may come once for each `{` of a format, every separator once for each item of a list. */
function largestResult(args: readonly data.ExpressionData[]): number {
  const [first, ...rest] = args;
  if (first === undefined) return 0;
  const isList = first.kind === data.Kind.Array;
  const items = isList ? first.values() : [first];
  const own = items.reduce((sum, item) => sum + item.coerceString().length, 0);
  const times = isList ? items.length : first.coerceString().split("{").length;
  return own + times * Math.max(0, ...rest.map((arg) => arg.coerceString().length));
}

function within(length: number, message: string): void {
  if (length > EXPRESSION_VALUE_BYTES_MAX) {
    throw new Error(`${message}: at most ${EXPRESSION_VALUE_BYTES_MAX} characters`);
  }
}

/** All that exist, by name in small letters. */
export const FUNCTIONS: ReadonlyMap<string, FunctionDefinition> = functionsFor(
  undefined,
  new ExpressionWork(),
);
