// Pipelines by name; every version is kept.
import {
  type OwnerQuery,
  type PipelineList,
  type PipelineQuery,
  type StoredPipeline,
  storableJson,
} from "@croft/contract";
import type { Pipeline } from "@croft/pipeline";
import { inTransaction, type Queryable } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import type { Engine } from "../engine.ts";
import { EngineError } from "../engine-error.ts";
import type { Scope } from "../jobs/read-jobs.ts";
import { newId } from "../new-id.ts";
import { requireSchedulable, writePipelineSchedules } from "../schedules/pipeline-schedules.ts";
import { pipelineOf } from "./read-pipeline.ts";
import { type KeptTriggers, requireGlobs, shownTrigger, shownTriggers } from "./stored-triggers.ts";

interface StoredRow {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly version: number;
  readonly text: string;
  readonly triggers: KeptTriggers;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface PipelineChange {
  readonly owner: string;
  readonly name: string;
  readonly text: string;
  readonly by: string;
}

/** A new version, unless the text is the one that is there. Its schedules are those of this version from then on. */
export async function putPipeline(
  { database, config }: Pick<Engine, "database" | "config">,
  { owner, name, text, by }: PipelineChange,
): Promise<StoredPipeline> {
  const { on } = pipelineOf({ text, file: name });
  requireSchedulable(config, { owner, name, text });
  requireGlobs(on.github);
  const triggers = storableJson(triggersOf(on));
  if (triggers === undefined) {
    throw new EngineError("invalid-input", "'on' has characters that cannot be stored");
  }
  return await inTransaction(database, async (client) => {
    const { rows } = await client.query<{ id: string; version: number }>(
      `insert into croft.pipeline (id, owner, name, version) values ($1, $2, $3, 0)
       on conflict (owner, name) do update set updated_at = pipeline.updated_at returning id, version`,
      [newId(), owner, name],
    );
    const [row] = rows;
    if (row === undefined) throw new Error("the database did not answer for a pipeline");
    await client.query(
      `with next as (
         insert into croft.pipeline_version (pipeline_id, version, text, created_by)
         select $1, $2::integer + 1, $3, $4
         where not exists (select from croft.pipeline_version where pipeline_id = $1 and version = $2 and text = $3)
         returning version
       )
       update croft.pipeline p set version = next.version, triggers = $5, updated_at = croft.now() from next where p.id = $1`,
      [row.id, row.version, text, by, triggers],
    );
    await writePipelineSchedules(client, { id: row.id, owner, name, schedule: on.schedule });
    return await findPipeline(client, { owner }, name); // another may remove it right after
  });
}

/** Of those that are seen: whoever's, or without an owner one's own before anybody else's. */
export async function readPipeline(
  { pool }: Database,
  scope: Scope,
  name: string,
  query: PipelineQuery = {},
): Promise<StoredPipeline> {
  return await findPipeline(pool, scope, name, query);
}

async function findPipeline(
  client: Queryable,
  scope: Scope,
  name: string,
  { owner, version }: PipelineQuery = {},
): Promise<StoredPipeline> {
  const { rows } = await client.query<StoredRow>(
    `select p.id, p.owner, p.name, v.version, v.text, p.triggers, p.created_at, v.created_at as updated_at
     from croft.pipeline p
     join croft.pipeline_version v on v.pipeline_id = p.id and v.version = coalesce($3::integer, p.version)
     where p.name = $2 and ($1::text is null or p.owner = $1) and ($4::text is null or p.owner = $4)
     order by p.owner <> 'local', p.owner limit 1`,
    [scope.owner ?? null, name, version ?? null, owner ?? null],
  );
  const [row] = rows;
  if (row === undefined) {
    throw new EngineError("not-found", `there is no pipeline '${name.slice(0, 100)}'`);
  }
  return shown(row);
}

export async function listPipelines(
  { pool }: Database,
  scope: Scope,
  { owner }: OwnerQuery = {},
): Promise<PipelineList> {
  const { rows } = await pool.query<Omit<StoredRow, "text">>(
    `select id, owner, name, version, triggers, created_at, updated_at from croft.pipeline
     where ($1::text is null or owner = $1) and ($2::text is null or owner = $2) order by name, owner limit 1000`,
    [scope.owner ?? null, owner ?? null],
  );
  return { pipelines: rows.map((row) => shown(row)) };
}

/** Runs keep the text they ran; its schedules go with it. */
export async function removePipeline(
  { pool }: Database,
  scope: Scope,
  { owner, name }: { readonly owner: string; readonly name: string },
): Promise<void> {
  const { rowCount } = await pool.query(
    "delete from croft.pipeline where owner = $1 and name = $2 and ($3::text is null or owner = $3)",
    [owner, name, scope.owner ?? null],
  );
  if (rowCount === 0) {
    throw new EngineError("not-found", `there is no pipeline '${name.slice(0, 100)}'`);
  }
}

/** As the API has it. */
function triggersOf({ github, schedule, change }: Pipeline["on"]): StoredPipeline["on"] {
  const told = {
    github: github.map(shownTrigger),
    schedule: schedule.map((moment) => ({ ...moment })),
  };
  if (change === undefined) return told;
  const { paths, pathsIgnore, branches } = change;
  return {
    ...told,
    change: { paths: [...paths], paths_ignore: [...pathsIgnore], branches: [...branches] },
  };
}

function shown<T extends Omit<StoredRow, "text">>({ triggers, ...row }: T) {
  return {
    ...row,
    on: shownTriggers(triggers),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
