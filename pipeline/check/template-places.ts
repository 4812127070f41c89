// Where in a pipeline expressions may stand, and what is known when they are evaluated.
import { MATRIX_OPTIONS } from "../format/matrix-fields.ts";
import type { StepFields } from "../format/step-fields.ts";
import type { RepositoryFields } from "../format/workspace-fields.ts";
import type { Path } from "../problem.ts";
import type { Header } from "./draft.ts";
import { listOf } from "./list.ts";

/**
 * first       before the run has a repository        inside      in each item of a matrix
 * beginning   when the run begins                    running     also with the step's own variables
 * before      when a step is to begin                condition   before, with always() and its like
 * end         when the run has ended
 */
export type When = "first" | "beginning" | "end" | "condition" | "before" | "inside" | "running";

export interface TemplatePlace {
  readonly path: Path;
  readonly text: string;
  readonly when: When;
  /** A shell will read the result. */
  readonly isScript?: boolean;
}

export function* headerTemplates(header: Header): Generator<TemplatePlace> {
  const { repository, concurrency, env, outputs } = header;
  if (repository !== undefined) yield* repositoryPlaces(repository, ["repository"], "first");
  for (const [index, trigger] of listOf(header.on?.github).entries()) {
    if (typeof trigger === "string" || trigger.key === undefined) continue;
    const place = Array.isArray(header.on?.github) ? [index, "key"] : ["key"];
    yield { path: ["on", "github", ...place], text: trigger.key, when: "first" };
  }
  if (typeof concurrency === "string")
    yield { path: ["concurrency"], text: concurrency, when: "beginning" };
  else if (concurrency !== undefined) {
    yield { path: ["concurrency", "key"], text: concurrency.key, when: "beginning" };
  }
  if (typeof header.check === "object")
    yield { path: ["check", "name"], text: header.check.name, when: "beginning" };
  yield* textsOf(env, ["env"], "beginning");
  yield* textsOf(outputs, ["outputs"], "end");
}

export function* stepTemplates(id: string, step: StepFields): Generator<TemplatePlace> {
  const path = ["steps", id];
  const place = (keys: Path, text: string | undefined, when: When = "running"): TemplatePlace[] =>
    text === undefined ? [] : [{ path: [...path, ...keys], text, when }];
  if (typeof step.if === "string") yield* place(["if"], step.if, "condition");
  yield* matrixPlaces(step, path);
  yield* textsOf(step.env, [...path, "env"], "inside");
  if (step.run !== undefined)
    yield { path: [...path, "run"], text: step.run, when: "running", isScript: true };
  yield* place(["working-directory"], step["working-directory"]);
  yield* place(["workspace", "branch"], step.workspace?.branch, "inside");
  yield* place(["workspace", "base"], step.workspace?.base, "inside");
  yield* place(["workspace", "history"], step.workspace?.history, "inside");
  for (const [name, repository] of Object.entries(step.workspace?.repositories ?? {})) {
    yield* repositoryPlaces(repository, [...path, "workspace", "repositories", name], "inside");
  }
  yield* textsOf(step.inject, [...path, "inject"], "running");
  for (const [name, artifact] of Object.entries(step.artifacts ?? {})) {
    const isMap = typeof artifact === "object";
    yield* place(["artifacts", name, ...(isMap ? ["path"] : [])], isMap ? artifact.path : artifact);
  }
  for (const [index, { command }] of (step.checks ?? []).entries()) {
    const own: Path = [...path, "checks", index, "command"];
    if (command !== undefined) yield { path: own, text: command, when: "running", isScript: true };
  }
  yield* textsOf(step.with, [...path, "with"], "inside");
  const { integrate, approval } = step;
  if (typeof integrate === "object" && !Array.isArray(integrate)) {
    yield* place(["integrate", "message"], integrate.message);
  }
  if (typeof approval === "object") yield* place(["approval", "message"], approval.message);
  yield* place(["publish", "branch"], step.publish?.branch);
  const pull = step.publish?.["pull-request"];
  for (const key of ["title", "body", "base"] as const) {
    yield* place(["publish", "pull-request", key], pull?.[key]);
  }
  const { body, name, on } = step.comment ?? {};
  yield* place(["comment", "body"], body);
  yield* place(["comment", "name"], name);
  yield* place(["comment", "on"], typeof on === "string" ? on : undefined);
}

function* matrixPlaces({ matrix = {} }: StepFields, path: Path): Generator<TemplatePlace> {
  for (const [name, value] of Object.entries(matrix)) {
    if (typeof value !== "string") continue;
    const isList = !MATRIX_OPTIONS.includes(name) || name === "include" || name === "exclude";
    yield { path: [...path, "matrix", name], text: value, when: isList ? "before" : "inside" };
  }
}

function* repositoryPlaces(
  repository: RepositoryFields,
  path: Path,
  when: When,
): Generator<TemplatePlace> {
  if (typeof repository === "string") {
    yield { path, text: repository, when };
    return;
  }
  yield { path: [...path, "url"], text: repository.url, when };
  if (repository.ref !== undefined) yield { path: [...path, "ref"], text: repository.ref, when };
}

function* textsOf(
  values: Readonly<Record<string, unknown>> | undefined,
  path: Path,
  when: When,
): Generator<TemplatePlace> {
  for (const [name, text] of Object.entries(values ?? {})) {
    if (typeof text === "string") yield { path: [...path, name], text, when };
  }
}
