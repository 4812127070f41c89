// One run as a check run at GitHub: on the commit that it works on, one for each of the run's own attempts.
import { parseRemoteUrl } from "@croft/git";
import { evaluateText, type Pipeline } from "@croft/pipeline";
import type { Queryable } from "../database/in-transaction.ts";
import type { Engine } from "../engine.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import { pipelineOf } from "../runs/read-pipeline.ts";
import { beginningContext } from "../runs/run-context.ts";
import { type RunRow, readRun, readSteps } from "../runs/run-rows.ts";
import { addressRules } from "../secrets/credential-access.ts";
import { checkSummary } from "./results/check-summary.ts";
import { collectAnnotations } from "./results/collect-annotations.ts";
import { putCheckRun } from "./results/put-check-run.ts";
import type { ResultPlace, Writer } from "./results/result-record.ts";
import { fullNameOf, type GithubWriter, type Target, targetOf } from "./results/result-target.ts";

export interface CheckParts extends Pick<Engine, "database" | "config" | "assets"> {
  readonly github: GithubWriter;
}

export interface ToldCheck {
  /** The run's last event that it knew of. */
  readonly seq: number;
  /** There is nothing more to tell. */
  readonly isOver: boolean;
}

export interface CheckClaim {
  readonly runId: string;
  readonly claim: string;
  readonly signal: AbortSignal;
}

const OVER = { seq: 0, isOver: true };
const NAME_LENGTH_MAX = 100;

export async function tellCheck(parts: CheckParts, claim: CheckClaim): Promise<ToldCheck> {
  const { database, github, config } = parts;
  const run = await readRun(database.pool, claim.runId);
  if (run === undefined) return OVER;
  const { seq } = run;
  const isOver = run.finished_at !== null;
  const pipeline = pipelineOf(run);
  const headSha = run.commit ?? commitOfEvent(run.event);
  if (!wantsCheck(pipeline, run.event)) return { seq, isOver: true };
  if (headSha === undefined) return { seq, isOver }; // it will be known when the run begins
  const remote = parseRemoteUrl(run.repository, addressRules(config, run.owner));
  const fullName = fullNameOf(github, remote);
  if (fullName === undefined) return { seq, isOver: true }; // its repository is elsewhere
  const target = targetOf(github, run.owner, fullName);
  const told = { parts, target, writer: writerOf(claim), run };
  await completeOthers(told, headSha);
  await tell(told, pipeline, headSha);
  return { seq, isOver };
}

/** Said in the pipeline, or else of events that are about a commit. */
export function wantsCheck({ check }: Pick<Pipeline, "check">, event: RunRow["event"]): boolean {
  const name = memberOf(event, "event");
  if (check !== undefined || typeof name !== "string") {
    return check !== undefined && check !== false && typeof name === "string";
  }
  return name === "push" || name === "pull_request";
}

interface Telling {
  readonly parts: CheckParts;
  readonly target: Target;
  readonly writer: Writer;
  readonly run: RunRow;
}

async function tell(telling: Telling, pipeline: Pipeline, headSha: string): Promise<void> {
  const { parts, target, writer, run } = telling;
  const { database, config } = parts;
  const rows = await readSteps(database.pool, run.id);
  const isOver = run.finished_at !== null;
  const found = isOver ? await collectAnnotations(parts, run.id) : undefined;
  const summary = checkSummary(run, pipeline, rows, found?.notes);
  const { publicUrl } = config.http;
  await putCheckRun({ database, target, writer }, placeOf(telling, headSha), {
    ...summary,
    ...{ headSha, name: checkName(pipeline, run), externalId: externalId(run) },
    annotations: found?.annotations,
    detailsUrl: publicUrl === undefined ? undefined : pageOf(publicUrl, run.id),
  });
}

/** Of the commit that the event named, when the branch had moved on before the run began. */
async function completeOthers(telling: Telling, headSha: string): Promise<void> {
  const { parts, target, writer, run } = telling;
  const { database } = parts;
  const place = placeOf(telling, headSha);
  const { rows } = await database.pool.query<OtherCheck>(
    `select name, state from croft.github_result
     where run_id = $1 and kind = 'check' and name <> $2 and remote_id is not null
       and state ->> 'status' is distinct from 'completed'`,
    [run.id, place.name],
  );
  for (const { name, state } of rows) {
    const { headSha: left, name: shown, externalId: id } = state;
    if (left === undefined || shown === undefined || id === undefined) continue;
    const summary = `The run went on with ${headSha}.`;
    await putCheckRun(
      { database, target, writer },
      { ...place, name },
      {
        ...{ headSha: left, name: shown, externalId: id, title: "Another commit took its place" },
        ...{ summary, status: "completed", conclusion: "neutral" },
      },
    );
  }
}

interface OtherCheck {
  readonly name: string;
  readonly state: {
    readonly headSha?: string;
    readonly name?: string;
    readonly externalId?: string;
  };
}

function placeOf({ run, target }: Telling, headSha: string): ResultPlace {
  return {
    ...{ of: { runId: run.id }, kind: "check", name: `${run.attempt} ${headSha}` },
    ...{ owner: run.owner, repository: target.repository },
  };
}

/** A run that is begun again is another check: annotations of the first cannot be taken back. */
function externalId({ id, attempt }: RunRow): string {
  return attempt === 1 ? id : `${id} ${attempt}`;
}

function checkName({ name, check }: Pipeline, run: RunRow): string {
  const given = typeof check === "object" ? check.name : undefined;
  const text = given === undefined ? name : evaluateText(given, beginningContext(run));
  return text.replaceAll(/\s+/g, " ").trim().slice(0, NAME_LENGTH_MAX) || name;
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
      const { rowCount } = await client.query(
        "select from croft.github_check where run_id = $1 and claimed_by = $2 for share",
        [runId, claim],
      );
      if (rowCount !== 1) throw new JobFailure("lost", "stale", "another tells GitHub of this run");
    },
  };
}

function commitOfEvent(event: RunRow["event"]): string | undefined {
  const head = memberOf(memberOf(event, "pull_request"), "head");
  const pushed = memberOf(memberOf(event, "head_commit"), "id") ?? memberOf(event, "after");
  const sha = memberOf(head, "sha") ?? pushed;
  const isCommit = typeof sha === "string" && /^[0-9a-f]{40}$/.test(sha) && !/^0+$/.test(sha);
  return isCommit ? sha : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
