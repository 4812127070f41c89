// The values of a run's inputs: defaults filled in, texts of the command line turned into what the input is.
import { inputFault } from "./check/check-header.ts";
import type { Pipeline, PipelineInput } from "./model/pipeline.ts";
import { didYouMean } from "./nearest-name.ts";

export type InputValue = string | number | boolean;

export interface ReadInputs {
  readonly inputs: Readonly<Record<string, InputValue>>;
  /** In plain words; the run must not start when there are any. */
  readonly problems: readonly string[];
}

/** An input that is neither given nor has a default is empty: '', 0 or false, as in GitHub Actions. */
export function readInputs(
  { inputs: declared }: Pick<Pipeline, "inputs">,
  given: Readonly<Record<string, InputValue>>,
): ReadInputs {
  const problems: string[] = [];
  const inputs: [string, InputValue][] = [];
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(declared, name)) continue;
    const hint = didYouMean(name, Object.keys(declared));
    problems.push(`unknown input '${name}'${hint === undefined ? "" : ` (${hint})`}`);
  }
  for (const [name, input] of Object.entries(declared)) {
    const value = Object.hasOwn(given, name) ? convert(input, given[name]) : undefined;
    if (value === undefined) {
      if (input.required) problems.push(`input '${name}' is required`);
      inputs.push([name, input.default ?? EMPTY[input.type]]);
      continue;
    }
    const fault = inputFault(input, value);
    if (fault !== undefined) problems.push(`input '${name}': ${fault}`);
    inputs.push([name, value]);
  }
  return { inputs: Object.fromEntries(inputs), problems };
}

const EMPTY: Readonly<Record<PipelineInput["type"], InputValue>> = {
  string: "",
  choice: "",
  number: 0,
  boolean: false,
};

function convert({ type }: PipelineInput, value: InputValue | undefined): InputValue | undefined {
  if (type === "string" || type === "choice")
    return value === undefined ? undefined : String(value);
  if (typeof value !== "string") return value;
  if (type === "boolean") return value === "true" ? true : value === "false" ? false : value;
  const number = value.trim() === "" ? Number.NaN : Number(value);
  return Number.isFinite(number) ? number : value;
}
