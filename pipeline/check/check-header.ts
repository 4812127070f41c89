// What stands before the steps: triggers, inputs, repository, variables.
import type { PipelineFields } from "../format/pipeline-fields.ts";
import type { RepositoryFields } from "../format/workspace-fields.ts";
import type { Path } from "../problem.ts";
import { checkGithub } from "./check-github.ts";
import { cronFault, timezoneFault } from "./cron-rule.ts";
import type { Draft } from "./draft.ts";
import type { Findings } from "./findings.ts";
import { listOf } from "./list.ts";
import { addressFault, envNameFault, globFault, pathFault, refFault } from "./plain-rules.ts";

export function checkHeader({ header, lost }: Draft, findings: Findings): void {
  const { on, inputs, repository, env, secrets, defaults } = header;
  if (on?.github !== undefined) checkGithub(on.github, findings);
  if (on?.schedule !== undefined) checkSchedule(on.schedule, findings);
  if (on?.schedule !== undefined && repository === undefined && !lost.has("repository")) {
    findings.keyProblem(
      ["on", "schedule"],
      "a schedule needs 'repository': no event says which one",
    );
  }
  for (const key of ["paths", "paths-ignore", "branches"] as const) {
    checkEach(on?.change?.[key], ["on", "change", key], globFault, findings);
  }
  for (const [name, input] of Object.entries(inputs ?? {})) {
    if (input !== null) checkInput(name, input, findings);
    if (input?.required === true && on?.schedule !== undefined) {
      const message = `no schedule can give input '${name}': a server will not store this`;
      findings.warning(["inputs", name, "required"], message, "give it a default");
    }
    if (input?.required === true && on?.github !== undefined) {
      const message = `no event of GitHub can give input '${name}'`;
      findings.warning(["inputs", name, "required"], message, "give it a default, or use 'event'");
    }
  }
  if (repository !== undefined) checkRepository(repository, ["repository"], findings);
  checkEnvNames(env, ["env"], findings);
  checkEnvNames(secrets, ["secrets"], findings);
  checkEach(
    defaults?.["working-directory"],
    ["defaults", "working-directory"],
    pathFault,
    findings,
  );
  checkEach(defaults?.workspace?.sparse, ["defaults", "workspace", "sparse"], pathFault, findings);
}

/** Of one text or of each in a list. */
export function checkEach(
  value: string | readonly string[] | undefined,
  path: Path,
  faultOf: (text: string) => string | undefined,
  findings: Findings,
): void {
  listOf(value).forEach((text, index) => {
    const fault = faultOf(text);
    if (fault === undefined) return;
    findings.problem(
      Array.isArray(value) ? [...path, index] : path,
      `'${text.slice(0, 60)}' ${fault}`,
    );
  });
}

export function checkEnvNames(
  env: Readonly<Record<string, unknown>> | readonly string[] | undefined,
  path: Path,
  findings: Findings,
): void {
  if (env === undefined || Array.isArray(env)) return;
  for (const name of Object.keys(env)) {
    const fault = envNameFault(name);
    if (fault !== undefined) findings.keyProblem([...path, name], fault);
  }
}

export function checkRepository(
  repository: RepositoryFields,
  path: Path,
  findings: Findings,
): void {
  if (typeof repository === "string") {
    checkEach(repository, path, addressFault, findings);
    return;
  }
  checkEach(repository.url, [...path, "url"], addressFault, findings);
  checkEach(repository.ref, [...path, "ref"], refFault, findings);
}

function checkSchedule(
  schedule: NonNullable<NonNullable<PipelineFields["on"]>["schedule"]>,
  findings: Findings,
): void {
  listOf(schedule).forEach((moment, index) => {
    const path: Path = ["on", "schedule", ...(Array.isArray(schedule) ? [index] : [])];
    const isMap = typeof moment === "object";
    const cron = cronFault(isMap ? moment.cron : moment);
    if (cron !== undefined) findings.problem(isMap ? [...path, "cron"] : path, cron);
    const zone =
      isMap && moment.timezone !== undefined ? timezoneFault(moment.timezone) : undefined;
    if (zone !== undefined) findings.problem([...path, "timezone"], zone);
  });
}

type InputFields = NonNullable<NonNullable<PipelineFields["inputs"]>[string]>;

function checkInput(name: string, input: InputFields, findings: Findings): void {
  const path = ["inputs", name];
  const { type = "string", options } = input;
  if (type === "choice" && options === undefined) {
    findings.keyProblem(path, `input '${name}' is a choice without 'options'`);
  }
  if (type !== "choice" && options !== undefined) {
    findings.keyProblem([...path, "options"], "only a choice has options", "set 'type: choice'");
  }
  const { default: given } = input;
  if (given === undefined) return;
  if (input.required === true) {
    findings.keyProblem([...path, "default"], "an input that is required needs no default");
  }
  const fault = inputFault({ type, options }, given);
  if (fault !== undefined) findings.problem([...path, "default"], fault);
}

/** Why a value does not fit an input. */
export function inputFault(
  { type, options }: { readonly type: string; readonly options?: readonly string[] | undefined },
  value: unknown,
): string | undefined {
  if (type === "choice") {
    const isOne = typeof value === "string" && options?.includes(value) !== false;
    return isOne ? undefined : `expected one of ${options?.join(", ")}`;
  }
  const words: Readonly<Record<string, string>> = {
    string: "a text",
    number: "a number",
    boolean: "true or false",
  };
  return typeof value === type ? undefined : `expected ${words[type] ?? type}`;
}
