// The functions of expressions: those of GitHub Actions, within limits, and the four that ask how the run stands.
import { data, wellKnownFunctions } from "@actions/expressions";
import type { FunctionDefinition } from "@actions/expressions/funcs/info";
import { EXPRESSION_VALUE_BYTES_MAX } from "../pipeline-limits.ts";
import { dataOf, jsonFrom } from "./expression-data.ts";

export interface RunStatus {
  readonly success: boolean;
  readonly failure: boolean;
  readonly cancelled: boolean;
}

export const STATUS_FUNCTIONS: readonly string[] = ["always", "success", "failure", "cancelled"];

/** By name in small letters, as the evaluator looks them up. */
export function functionsFor(status: RunStatus | undefined): Map<string, FunctionDefinition> {
  const asked = status ?? { success: true, failure: false, cancelled: false };
  const answers: Record<string, boolean> = { always: true, ...asked };
  return new Map([
    ...LIMITED,
    ...STATUS_FUNCTIONS.map((name): [string, FunctionDefinition] => [
      name,
      { name, minArgs: 0, maxArgs: 0, call: () => new data.BooleanData(answers[name] === true) },
    ]),
  ]);
}

const fromJson: FunctionDefinition = {
  name: "fromJSON",
  minArgs: 1,
  maxArgs: 1,
  call: (input) => {
    const text = input?.coerceString() ?? "";
    within(text.length, "fromJSON is given too much");
    if (text.trim() === "") throw new Error("fromJSON is given an empty text");
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      throw new Error("fromJSON is given a text that is not JSON", { cause: error });
    }
    return dataOf(value);
  },
};

const toJson: FunctionDefinition = {
  name: "toJSON",
  minArgs: 1,
  maxArgs: 1,
  call: (input) => {
    const value = input === undefined ? null : jsonFrom(input);
    // Spaces multiply what is nested: the plain form is measured first.
    within(JSON.stringify(value).length * PRETTY_FACTOR, "toJSON is given too much");
    return new data.StringData(JSON.stringify(value, null, 2));
  },
};
const PRETTY_FACTOR = 4;

/** The library's own, with its arguments measured before it builds anything. */
function limited(definition: FunctionDefinition): FunctionDefinition {
  return {
    ...definition,
    call: (...args) => {
      within(largestResult(args), `${definition.name} would give too much`);
      return definition.call(...args);
    },
  };
}

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

function builtIn(name: string): FunctionDefinition {
  const definition = Object.hasOwn(wellKnownFunctions, name) ? wellKnownFunctions[name] : undefined;
  if (definition === undefined) throw new Error(`the library lacks ${name}()`);
  return definition;
}

const LIMITED: readonly (readonly [string, FunctionDefinition])[] = [
  ["case", builtIn("case")],
  ["contains", builtIn("contains")],
  ["endswith", builtIn("endswith")],
  ["startswith", builtIn("startswith")],
  ["format", limited(builtIn("format"))],
  ["join", limited(builtIn("join"))],
  ["fromjson", fromJson],
  ["tojson", toJson],
];

/** All that exist, by name in small letters. */
export const FUNCTIONS: ReadonlyMap<string, FunctionDefinition> = functionsFor(undefined);
