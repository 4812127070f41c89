// All that could start work when an event comes: stored pipelines of the admins', and triggers of the project.
import type { GithubTrigger } from "@croft/pipeline";
import type { Queryable } from "../database/in-transaction.ts";
import { EngineError } from "../engine-error.ts";
import { pipelineOf } from "../runs/read-pipeline.ts";
import type { GithubEvent } from "./github-event.ts";
import type { GithubParts } from "./github-parts.ts";
import type { PlannedProblem, PlannedRun, WordedJob } from "./planned-work.ts";

export interface FoundTrigger {
  readonly name: string;
  readonly trigger: GithubTrigger;
  /** What is known of it before the pull request is. */
  readonly work: WordedJob | Omit<PlannedRun, "withholdsSecrets" | "head"> | PlannedProblem;
}

interface PipelineRow {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly text: string;
}

/** Those that name this event; a pipeline's own in the order in which it has them. */
export async function findTriggers(
  { database, triggers }: Pick<GithubParts, "database" | "triggers">,
  event: GithubEvent,
): Promise<readonly FoundTrigger[]> {
  const names = [event.name, `${event.name}.${event.action ?? ""}`];
  const stored = await storedFor(database.pool, names);
  const own = triggers.filter(({ trigger }) => trigger.events.some((each) => names.includes(each)));
  const named = own.flatMap(({ work }) => (work.kind === "pipeline" ? [work.pipeline] : []));
  const pipelines = await storedCalled(database.pool, named);
  return [
    ...stored.flatMap((row) => triggersOf(row, names)),
    ...own.map(({ name, trigger, work }): FoundTrigger => {
      const base = { name: `trigger:${name}`, trigger };
      if (work.kind === "job") return { ...base, work };
      const row = pipelines.get(work.pipeline);
      if (row !== undefined) return { ...base, work: runOf(row, work.inputs) };
      const problem = `there is no stored pipeline '${work.pipeline}'`;
      return { ...base, work: { kind: "problem", problem } };
    }),
  ];
}

/** One that cannot be read any more, by this version or at all, costs no other its work: it is told of each of its events. */
function triggersOf(row: PipelineRow, names: readonly string[]): FoundTrigger[] {
  const name = `pipeline:${row.name}`;
  try {
    return pipelineOf({ text: row.text, file: row.name })
      .on.github.filter((trigger) => trigger.events.some((each) => names.includes(each)))
      .map((trigger) => ({ name, trigger, work: runOf(row, {}) }));
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const work = { kind: "problem", problem: error.message } as const;
    return [{ name, trigger: { ...UNFILTERED, events: names }, work }];
  }
}

/** Of one that cannot be read its filters are not known, only that it names the event. */
const UNFILTERED: Omit<GithubTrigger, "events"> = {
  ...{ repositories: [], branches: [], paths: [], pathsIgnore: [], labels: [], senders: [] },
  ...{ anyone: false, drafts: true, ignoreBots: false, forks: "untrusted", supersede: false },
};

function runOf(
  { id, name, version, text }: PipelineRow,
  inputs: PlannedRun["inputs"],
): Omit<PlannedRun, "withholdsSecrets" | "head"> {
  return { kind: "run", pipeline: { id, name, version }, text, inputs };
}

/** Before events had filters they were kept by their names. */
async function storedFor(client: Queryable, names: readonly string[]): Promise<PipelineRow[]> {
  const { rows } = await client.query<PipelineRow>(
    `select p.id, p.name, v.version, v.text from croft.pipeline p
     join croft.pipeline_version v on v.pipeline_id = p.id and v.version = p.version
     where p.owner = 'local' and exists (
       select from jsonb_array_elements(p.triggers -> 'github') g
       where g #>> '{}' = any ($1) or g -> 'events' ?| $1)
     order by p.name`,
    [names],
  );
  return rows;
}

async function storedCalled(
  client: Queryable,
  names: readonly string[],
): Promise<ReadonlyMap<string, PipelineRow>> {
  if (names.length === 0) return new Map();
  const { rows } = await client.query<PipelineRow>(
    `select p.id, p.name, v.version, v.text from croft.pipeline p
     join croft.pipeline_version v on v.pipeline_id = p.id and v.version = p.version
     where p.owner = 'local' and p.name = any ($1)`,
    [names],
  );
  return new Map(rows.map((row) => [row.name, row]));
}
