// Reads what a script wrote to `$CROFT_OUTPUT`: `name=value`, or GitHub's form for several lines.
import { JobFailure } from "../jobs/job-failure.ts";
import type { SecretMask } from "../logs/secret-mask.ts";

const VALUE_LENGTH_MAX = 65_536;

export interface ParsedOutputs {
  readonly outputs: Record<string, string>;
  /** Names that the step has not declared. */
  readonly unknown: readonly string[];
  /** Names of those with a secret in them: expressions, other steps' logs and approvals would show it. */
  readonly secret: readonly string[];
}

export function parseOutputs(
  text: string,
  declared: readonly string[],
  mask: SecretMask,
): ParsedOutputs {
  const outputs: Record<string, string> = {};
  const unknown = new Set<string>();
  const secret = new Set<string>();
  for (const [name, value] of assignmentsIn(text)) {
    if (value.length > VALUE_LENGTH_MAX) {
      throw wrong(`output '${name}' is longer than ${VALUE_LENGTH_MAX} characters`);
    }
    if (declared.includes(name) && value.includes("\0")) {
      throw wrong(`output '${name}' has the character 0 in it`);
    }
    if (!declared.includes(name)) unknown.add(name);
    else if (mask.isIn(value)) secret.add(name);
    else outputs[name] = value;
  }
  for (const name of secret) delete outputs[name]; // also what it was before
  return { outputs, unknown: [...unknown], secret: [...secret] };
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
