// One run as a check run at GitHub: on the commit that it works on, one for each of the run's own attempts.
import type { Queryable } from "../database/in-transaction.ts";
import type { Engine } from "../engine.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import { pipelineOf } from "../runs/read-pipeline.ts";
import { type RunRow, readRun, readSteps } from "../runs/run-rows.ts";
import { type CheckPlace, checkPlace } from "./check-place.ts";
import { checkSummary } from "./results/check-summary.ts";
import { collectAnnotations } from "./results/collect-annotations.ts";
import { changeCheckRun, putCheckRun } from "./results/put-check-run.ts";
import type { ResultPlace, Writer } from "./results/result-record.ts";
import { type GithubWriter, type Target, targetOf } from "./results/result-target.ts";

export interface CheckParts extends Pick<Engine, "database" | "config" | "log" | "assets"> {
  readonly github: GithubWriter;
}

export interface ToldCheck {
  /** The run's last event that it knew of. */
  readonly seq: number;
  /** There is nothing more to tell. */
  readonly isOver: boolean;
  /** It is there, or never will be. */
  readonly isMade: boolean;
}

export interface CheckClaim {
  readonly runId: string;
  readonly claim: string;
  readonly signal: AbortSignal;
}

const OVER = { seq: 0, isOver: true, isMade: true };

export async function tellCheck(parts: CheckParts, claim: CheckClaim): Promise<ToldCheck> {
  const { database, github } = parts;
  const run = await readRun(database.pool, claim.runId);
  if (run === undefined) return OVER;
  const { seq } = run;
  const isOver = run.finished_at !== null;
  const place = checkPlace(parts, run);
  if (place === undefined) return { seq, isOver: true, isMade: true };
  const { headSha } = place;
  if (headSha === undefined) return { seq, isOver, isMade: false }; // it will be known when the run begins
  const target = targetOf(github, run.owner, place.repository);
  const told = { parts, target, writer: writerOf(claim), run };
  await completeOthers(told, headSha);
  await tell(told, { ...place, headSha });
  return { seq, isOver, isMade: true };
}

interface Telling {
  readonly parts: CheckParts;
  readonly target: Target;
  readonly writer: Writer;
  readonly run: RunRow;
}

async function tell(
  telling: Telling,
  { headSha, name }: CheckPlace & { readonly headSha: string },
): Promise<void> {
  const { parts, target, writer, run } = telling;
  const { database, log, config } = parts;
  const rows = await readSteps(database.pool, run.id);
  const isOver = run.finished_at !== null;
  const found = isOver ? await collectAnnotations(parts, run.id) : undefined;
  const summary = checkSummary(run, pipelineOf(run), rows, found?.notes);
  const { publicUrl } = config.http;
  const write = (await mayMake(parts, run)) ? putCheckRun : changeCheckRun;
  await write({ database, log, target, writer }, resultPlace(telling, headSha), {
    ...{ ...summary, headSha, name, externalId: externalId(run) },
    annotations: found?.annotations,
    detailsUrl: publicUrl === undefined ? undefined : pageOf(publicUrl, run.id),
  });
}

async function mayMake({ database }: CheckParts, { id }: RunRow): Promise<boolean> {
  const { rows } = await database.pool.query<{ may: boolean }>(
    "select croft.may_make_check($1) as may",
    [id],
  );
  return rows[0]?.may === true;
}

/** Of the commit that the event named, when the branch had moved on before the run began. */
async function completeOthers(telling: Telling, headSha: string): Promise<void> {
  const { parts, target, writer, run } = telling;
  const { database, log } = parts;
  const place = resultPlace(telling, headSha);
  const { rows } = await database.pool.query<OtherCheck>(
    `select name, state from croft.github_result
     where run_id = $1 and kind = 'check' and name <> $2
       and (is_open or (remote_id is not null and state ->> 'status' is distinct from 'completed'))`,
    [run.id, place.name],
  );
  for (const { name, state } of rows) {
    const summary = `The run went on with ${headSha}.`;
    await changeCheckRun(
      { database, log, target, writer },
      { ...place, name },
      {
        ...{ headSha: state.headSha, name: state.name, externalId: state.externalId },
        ...{ title: "Another commit took its place", summary },
        ...{ status: "completed", conclusion: "neutral" },
      },
    );
  }
}

interface OtherCheck {
  readonly name: string;
  readonly state: {
    readonly headSha: string;
    readonly name: string;
    readonly externalId: string;
  };
}

function resultPlace({ run, target }: Telling, headSha: string): ResultPlace {
  return {
    ...{ of: { runId: run.id }, kind: "check", name: `${run.attempt} ${headSha}` },
    ...{ owner: run.owner, repository: target.repository },
  };
}

/** A run that is begun again is another check: annotations of the first cannot be taken back. */
function externalId({ id, attempt }: RunRow): string {
  return attempt === 1 ? id : `${id} ${attempt}`;
}

function pageOf(publicUrl: string, runId: string): string {
  return new URL(`runs/${runId}`, publicUrl.endsWith("/") ? publicUrl : `${publicUrl}/`).href;
}

/** Only a check that is claimed is told about, by whoever has claimed it. */
function writerOf({ runId, claim, signal }: CheckClaim): Writer {
  return {
    signal,
    attempt: undefined,
    requireCurrent: async (client: Queryable) => {
      // The run before its check, as whoever goes on with a run does: what is written here refers to both.
      await client.query("select from croft.run where id = $1 for key share", [runId]);
      const { rowCount } = await client.query(
        "select from croft.github_check where run_id = $1 and claimed_by = $2 for share",
        [runId, claim],
      );
      if (rowCount !== 1) throw new JobFailure("lost", "stale", "another tells GitHub of this run");
    },
  };
}
