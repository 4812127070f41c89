// The model from a draft without problems.
import type { Draft } from "../check/draft.ts";
import { listOf } from "../check/list.ts";
import type { Graph } from "../graph.ts";
import { buildGithub } from "./build-github.ts";
import { buildStep, repositorySource, textsOf } from "./build-step.ts";
import { defined } from "./defined.ts";
import type { Pipeline, PipelineInput, Triggers } from "./pipeline.ts";

export function buildPipeline(draft: Draft, graph: Graph, file: string | undefined): Pipeline {
  const { header, steps } = draft;
  const { concurrency, repository } = header;
  const surroundings = {
    defaults: header.defaults ?? {},
    secrets: header.secrets,
    findArtifact: (id: string, name: string) => findArtifact(draft, graph, id, name),
  };
  return defined({
    name: header.name ?? nameOfFile(file),
    description: header.description,
    on: buildTriggers(header.on),
    inputs: buildInputs(header.inputs),
    repository: repository === undefined ? undefined : repositorySource(repository),
    concurrency:
      concurrency === undefined
        ? undefined
        : typeof concurrency === "string"
          ? { key: concurrency, limit: 1 }
          : { key: concurrency.key, limit: concurrency.limit ?? 1 },
    check: buildCheckRun(header.check),
    env: textsOf(header.env),
    outputs: header.outputs ?? {},
    steps: [...steps].map(([id, fields]) => buildStep(id, fields, surroundings)),
  });
}

function buildCheckRun(check: Draft["header"]["check"]): Pipeline["check"] {
  return check === true ? {} : check;
}

function nameOfFile(file: string | undefined): string {
  const name = file
    ?.split(/[\\/]/)
    .at(-1)
    ?.replace(/\.ya?ml$/i, "");
  return name === undefined || name === "" ? "pipeline" : name;
}

function buildTriggers(on: Draft["header"]["on"]): Triggers {
  const schedule = listOf(on?.schedule).map((moment) =>
    typeof moment === "string"
      ? { cron: moment, timezone: "UTC", overlap: "skip" as const }
      : {
          cron: moment.cron,
          timezone: moment.timezone ?? "UTC",
          overlap: moment.overlap ?? ("skip" as const),
        },
  );
  const change = on?.change;
  return defined({
    github: listOf(on?.github).map(buildGithub),
    schedule,
    change:
      change === undefined
        ? undefined
        : {
            paths: listOf(change.paths),
            pathsIgnore: listOf(change["paths-ignore"]),
            branches: listOf(change.branches),
          },
  });
}

function buildInputs(inputs: Draft["header"]["inputs"]): Record<string, PipelineInput> {
  return Object.fromEntries(
    Object.entries(inputs ?? {}).map(([name, input]) => [
      name,
      defined({
        type: input?.type ?? ("string" as const),
        description: input?.description,
        required: input?.required ?? false,
        default: input?.default,
        options: input?.options,
      }),
    ]),
  );
}

/** `plan.tasks`, or `tasks` of the only step before that has one. */
function findArtifact({ steps }: Draft, graph: Graph, id: string, key: string) {
  const [first = "", artifact] = key.split(".");
  if (artifact !== undefined) return { step: first, artifact };
  const before = [...(graph.ancestors.get(id) ?? [])];
  const step = before.find((other) => Object.hasOwn(steps.get(other)?.artifacts ?? {}, key)) ?? "";
  return { step, artifact: key };
}
