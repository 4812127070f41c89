// A new run with its steps, in the caller's transaction.
import { type ExpressionContext, evaluateText, type Pipeline, readInputs } from "@croft/pipeline";
import type { Queryable } from "../database/in-transaction.ts";
import { EngineError } from "../engine-error.ts";
import { newId } from "../new-id.ts";
import { isStorable, NOT_STORABLE } from "./is-storable.ts";
import { pipelineOf } from "./read-pipeline.ts";
import { beginningContext } from "./run-context.ts";
import type { RunRow } from "./run-rows.ts";
import { TOO_DEEP, USES_DEPTH_MAX } from "./used-pipelines.ts";

export interface NewRun {
  readonly id?: string | undefined;
  readonly owner: string;
  readonly text: string;
  readonly file: string | null;
  readonly inputs: Readonly<Record<string, string | number | boolean>>;
  readonly event: RunRow["event"];
  readonly repository: string;
  readonly ref: string | null;
  /** `worktree`: the repository is a path, a checkout of this machine's own. */
  readonly kind: RunRow["kind"];
  readonly class: number;
  readonly startedBy: string;
  readonly sourceTaskId?: string | null | undefined;
  readonly pipeline?: { readonly id: string; readonly version: number } | undefined;
  /** Of a sub-pipeline: it runs in its parent's lane, at once, where that began. */
  readonly parent?:
    | { readonly id: string; readonly step: string; readonly item: string }
    | undefined;
  /** Of its lane: instead of what the pipeline says, or where it says nothing. */
  readonly key?: string | undefined;
  readonly usualKey?: string | undefined;
  readonly commit?: string | null | undefined;
  readonly uses?: RunRow["uses"] | undefined;
}

export async function createRun(client: Queryable, request: NewRun): Promise<string> {
  const { owner, text, file, event, repository, ref, kind, startedBy, parent } = request;
  const pipeline = pipelineOf({ text, file });
  const { inputs, problems } = readInputs(pipeline, request.inputs);
  if (problems.length > 0) throw new EngineError("invalid-input", problems.join("; "));
  for (const [name, value] of Object.entries(inputs)) {
    if (!isStorable(value))
      throw new EngineError("invalid-input", `input '${name}' ${NOT_STORABLE}`);
  }
  const rootId = parent === undefined ? null : await rootAbove(client, parent.id);
  const { rows: counted } = await client.query<{ last: number }>(
    `insert into croft.run_counter (owner, name, last) values ($1, $2, 1)
     on conflict (owner, name) do update set last = run_counter.last + 1 returning last`,
    [owner, pipeline.name],
  );
  const row = {
    ...{
      id: request.id ?? newId(),
      owner,
      name: pipeline.name,
      number: counted[0]?.last ?? 1,
      text,
      file,
    },
    ...{ inputs, event, repository, ref, kind, class: request.class, attempt: 1 },
    started_by: startedBy,
    commit: request.commit ?? null,
  };
  const key = parent === undefined ? laneKey(request, pipeline, beginningContext(row)) : "";
  await client.query(
    `insert into croft.run (id, owner, name, number, status, text, file, pipeline_id, pipeline_version, uses, inputs, event,
       repository, ref, commit, kind, key, class, parent_id, parent_step, parent_item, started_by, root_id,
       source_task_id, started_at)
     values ($1, $2, $3, $4, $5::croft.run_status, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
       $24, case when $5::croft.run_status = 'running' then croft.now() end)`,
    [
      ...[row.id, owner, row.name, row.number, parent === undefined ? "queued" : "running"],
      ...[
        text,
        file,
        request.pipeline?.id,
        request.pipeline?.version,
        JSON.stringify(request.uses ?? {}),
      ],
      ...[JSON.stringify(inputs), event === null ? null : JSON.stringify(event)],
      ...[repository, ref, row.commit, kind, key, request.class],
      ...[parent?.id, parent?.step, parent?.item, startedBy, rootId, request.sourceTaskId],
    ],
  );
  const steps = pipeline.steps.map(({ id }, position) => ({ step: id, position }));
  await client.query(
    `insert into croft.run_step (run_id, step, position)
     select $1, step, position from jsonb_to_recordset($2) as x(step text, position integer)`,
    [row.id, JSON.stringify(steps)],
  );
  await client.query(
    `with told as (
       insert into croft.event (subject, seq, owner, type, data)
       values ($1, 1, $2, 'run.queued', jsonb_build_object('name', $3::text, 'number', $4::integer)) returning subject
     )
     select croft.announce(array[subject]) from told`,
    [row.id, owner, row.name, row.number],
  );
  if (parent !== undefined) await client.query("select croft.mark_due($1)", [[row.id]]);
  return row.id;
}

function laneKey(
  { key: given, usualKey = "" }: Pick<NewRun, "key" | "usualKey">,
  { concurrency }: Pipeline,
  context: ExpressionContext,
): string {
  const said = () =>
    concurrency === undefined ? usualKey : evaluateText(concurrency.key, context);
  const key = given ?? said();
  if (!isStorable(key))
    throw new EngineError("invalid-input", `the concurrency key ${NOT_STORABLE}`);
  if (key.length > 200)
    throw new EngineError("invalid-input", "the concurrency key is longer than 200 characters");
  return key;
}

/** Circles are refused when a run starts; that there are so many above is for what gets past that. */
async function rootAbove(client: Queryable, parentId: string): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    `with recursive above as (
       select id, parent_id, 1 as nth from croft.run where id = $1
       union all
       select r.id, r.parent_id, nth + 1 from croft.run r join above on r.id = above.parent_id
     )
     select id from above order by nth`,
    [parentId],
  );
  if (rows.length > USES_DEPTH_MAX) throw new EngineError("invalid-input", TOO_DEEP);
  return rows.at(-1)?.id ?? parentId;
}
