// Starts what an event asks for, in the transaction in which the event becomes handled.
import type { Queryable } from "../database/in-transaction.ts";
import { EngineError } from "../engine-error.ts";
import { lockLines, type SubmittedJob } from "../jobs/submit-jobs.ts";
import { pipelineOf } from "../runs/read-pipeline.ts";
import { type PreparedRun, prepareRun, queueRun } from "../runs/start-run.ts";
import { startOfRun } from "../runs/submit-start.ts";
import { contextOf, keyOf, type Values, valuesOf } from "./event-values.ts";
import type { GithubEvent } from "./github-event.ts";
import type { GithubParts } from "./github-parts.ts";
import { textAt } from "./payload-parts.ts";
import { ownerOf, type PlannedRun, type PlannedWork, type StartedEffect } from "./planned-work.ts";
import { problemOf } from "./trigger-problem.ts";

/**
 * All effects or none. What a trigger's own words make impossible is told of that one, and costs no other its work. Locks are
 * taken as everywhere: runs first, then all lanes together.
 */
export async function startPlanned(
  parts: GithubParts,
  client: Queryable,
  event: GithubEvent,
  { planned, going }: Coming,
): Promise<readonly StartedEffect[]> {
  const effects: StartedEffect[] = [];
  const prepared: Prepared[] = [];
  for (const work of planned) {
    await client.query("savepoint planned_work");
    try {
      const made = await prepare(parts, client, event, work);
      if ("problem" in made) effects.push(made);
      else prepared.push(made);
      await client.query("release savepoint planned_work");
    } catch (error) {
      const problem = problemOf(error);
      if (problem === undefined) throw error;
      await client.query("rollback to savepoint planned_work");
      const { trigger } = work;
      parts.log.warn({ err: error, inbox: event.id, trigger }, "an event could not start its work");
      effects.push({ trigger, problem });
    }
  }
  return [...effects, ...(await queue(parts, client, event, { prepared, going }))];
}

export interface Coming {
  readonly planned: readonly PlannedWork[];
  /** Jobs that are to be cancelled: their lanes are locked together with those of what comes. */
  readonly going: readonly string[];
}

/** Everything of it is written but its place in the queue. */
interface Prepared {
  readonly trigger: string;
  readonly supersede: boolean;
  readonly job: SubmittedJob;
  readonly run?: PreparedRun | undefined;
  /** Jobs whose place it takes. */
  readonly cancels: readonly string[];
}

async function prepare(
  parts: GithubParts,
  client: Queryable,
  event: GithubEvent,
  starting: PlannedWork,
): Promise<Prepared | { readonly trigger: string; readonly problem: string }> {
  const { trigger, supersede, work } = starting;
  if (work.kind === "problem") throw new EngineError("invalid-pipeline", work.problem);
  const cancels = await takePlace(client, event, starting);
  if (cancels === undefined) {
    return { trigger, problem: "a newer event of the pull request was handled before" };
  }
  if (work.kind === "job") return { trigger, supersede, cancels, job: work.job };
  const run = await runOf(parts, client, event, { ...starting, work });
  return { trigger, supersede, cancels, run, job: startOfRun(run) };
}

/**
 * What it supersedes may publish no more, and is to be cancelled. Undefined for an older event that comes late, sent or replayed
 * again: it supersedes nothing.
 */
async function takePlace(
  client: Queryable,
  { repository, pullRequest, sentAt, place, id }: GithubEvent,
  { trigger, supersede }: PlannedWork,
): Promise<readonly string[] | undefined> {
  if (!supersede || repository === undefined || pullRequest === undefined) return [];
  const pull = [trigger, repository.id, pullRequest];
  await client.query("select croft.lock_work($1, $2, $3)", pull);
  const { rowCount } = await client.query(
    `select from croft.github_work
     where trigger = $1 and repository_id = $2 and pull_request = $3 and (sent_at, place) > ($4, $5) limit 1`,
    [...pull, sentAt, place],
  );
  if ((rowCount ?? 0) > 0) return undefined;
  const { rows } = await client.query<{ jobs: readonly string[] }>(
    "select croft.supersede_work($1, $2, $3, $4) as jobs",
    [...pull, id],
  );
  return rows[0]?.jobs ?? [];
}

async function queue(
  { intake }: GithubParts,
  client: Queryable,
  event: GithubEvent,
  { prepared, going: ended }: { readonly prepared: readonly Prepared[] } & Pick<Coming, "going">,
): Promise<readonly StartedEffect[]> {
  const line = lineOf(event);
  const going = [...ended, ...prepared.flatMap(({ cancels }) => cancels)];
  if (prepared.length === 0 && going.length === 0) return [];
  const coming = prepared.map(({ job }) => (line === undefined ? job : { ...job, line }));
  await lockLines(client, { coming, going });
  if (going.length > 0) await client.query("select croft.cancel($1)", [going]);
  const submissions = await intake.enqueueWithin(client, coming);
  const effects: StartedEffect[] = [];
  for (const [index, { trigger, supersede, run }] of prepared.entries()) {
    const jobId = submissions[index]?.id;
    if (jobId === undefined) throw new Error("the database did not answer for a job");
    if (run !== undefined) await queueRun(client, run, jobId);
    const started = run === undefined ? { jobId } : { runId: run.id };
    await keep(client, event, { trigger, supersede, ...started });
    effects.push({ trigger, ...started });
  }
  return effects;
}

async function runOf(
  parts: GithubParts,
  client: Queryable,
  event: GithubEvent,
  { work, priority, key, trigger }: PlannedWork & { readonly work: PlannedRun },
): Promise<PreparedRun> {
  const context = contextOf(event);
  const { pipeline, text } = work;
  const { repository } = pipelineOf({ text, file: pipeline.name });
  const named = repository === undefined ? sourceOf(event) : {}; // its own comes first
  const run = await prepareRun(parts, client, {
    ...{ owner: ownerOf(event), text, file: pipeline.name, priority, ...named },
    inputs: inputsOf(valuesOf(work.inputs, context, parts.config.http.bodyLimit)),
    event: context.event,
    key: key === undefined ? undefined : keyOf(key, context),
    usualKey: ownerOf(event),
    startedBy: `github ${trigger}`,
    pipeline: { id: pipeline.id, version: pipeline.version },
  });
  if (typeof run === "string") throw new Error("no event asks for a run by a key");
  const expected = repository === undefined ? work.head : undefined;
  if (work.withholdsSecrets || expected !== undefined) {
    await client.query("update croft.run set withholds_secrets = $2, expected = $3 where id = $1", [
      run.id,
      work.withholdsSecrets,
      expected,
    ]);
  }
  return run;
}

/** Of pull requests only: nothing else is superseded. */
async function keep(
  client: Queryable,
  { installation, repository, pullRequest, id, sentAt, place }: GithubEvent,
  started: Pick<Prepared, "trigger" | "supersede"> & Pick<StartedEffect, "jobId" | "runId">,
): Promise<void> {
  if (repository === undefined || pullRequest === undefined) return;
  const { trigger, supersede, jobId = null, runId = null } = started;
  await client.query(
    `insert into croft.github_work (trigger, installation, repository_id, pull_request, event_id, sent_at, place, supersedes,
       job_id, run_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      ...[trigger, installation, repository.id, pullRequest],
      ...[id, sentAt, place, supersede, jobId, runId],
    ],
  );
}

/** Work for one pull request comes in the order of its events. */
function lineOf({ repository, pullRequest }: GithubEvent): string | undefined {
  if (repository === undefined || pullRequest === undefined) return undefined;
  return `github:${repository.id}#${pullRequest}`;
}

/** The event's own: the pull request as it is, what was pushed or is to be merged, or else the default branch. */
function sourceOf(event: GithubEvent): { readonly repository?: string; readonly ref?: string } {
  const { repository, pullRequest } = event;
  if (repository === undefined) return {};
  const ref = pullRequest === undefined ? commitOf(event) : `refs/pull/${pullRequest}/head`;
  return { repository: repository.cloneUrl, ref: ref ?? `refs/heads/${repository.defaultBranch}` };
}

/** That was pushed, or is to be merged. */
function commitOf({ name, action, payload }: GithubEvent): string | undefined {
  if (name === "merge_group" && action !== "destroyed") {
    return textAt(payload, "merge_group", "head_sha");
  }
  if (name !== "push") return undefined;
  // Of a tag with a message `after` is the tag itself.
  const tip = textAt(payload, "head_commit", "id") ?? textAt(payload, "after");
  return tip !== undefined && /[^0]/.test(tip) ? tip : undefined; // zeros: it was deleted
}

function inputsOf(values: Values): Record<string, string | number | boolean> {
  const inputs = Object.entries(values);
  for (const [name, value] of inputs) {
    if (!["string", "number", "boolean"].includes(typeof value)) {
      throw new EngineError(
        "invalid-input",
        `input '${name}' must be a text, a number or true or false`,
      );
    }
  }
  return Object.fromEntries(inputs) as Record<string, string | number | boolean>;
}
