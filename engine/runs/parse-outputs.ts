// Reads what a script wrote to `$CROFT_OUTPUT`: `name=value`, or GitHub's form for several lines.
import { JobFailure } from "../jobs/job-failure.ts";

const VALUE_LENGTH_MAX = 65_536;

/** Only what the step has declared; `unknown` are the others' names. */
export function parseOutputs(
  text: string,
  declared: readonly string[],
): { readonly outputs: Record<string, string>; readonly unknown: readonly string[] } {
  const outputs: Record<string, string> = {};
  const unknown: string[] = [];
  for (const [name, value] of assignmentsIn(text)) {
    if (value.length > VALUE_LENGTH_MAX) {
      throw wrong(`output '${name}' is longer than ${VALUE_LENGTH_MAX} characters`);
    }
    if (declared.includes(name)) outputs[name] = value;
    else unknown.push(name);
  }
  return { outputs, unknown };
}

function* assignmentsIn(text: string): Generator<[name: string, value: string]> {
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (line.trim() === "") continue;
    const [, name = "", sign = "", rest = ""] = /^([^=<]+)(=|<<)(.*)$/s.exec(line) ?? [];
    if (name === "") throw wrong(`line ${at + 1} is neither 'name=value' nor 'name<<END'`);
    if (sign === "=") {
      yield [name.trim(), rest];
      continue;
    }
    const end = lines.indexOf(rest, at + 1);
    if (rest === "" || end === -1) throw wrong(`line ${at + 1}: '${rest}' does not come`);
    yield [name.trim(), lines.slice(at + 1, end).join("\n")];
    at = end;
  }
}

function wrong(message: string): JobFailure {
  return new JobFailure("command", "invalid-output", `$CROFT_OUTPUT: ${message}`);
}
