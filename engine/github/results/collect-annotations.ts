// The annotations of a run: what its steps, also those that failed, kept as `checks.json`.
import { text } from "node:stream/consumers";
import { ASSET_COLUMNS, type AssetRow, assetOf, openAsset } from "../../assets/read-assets.ts";
import type { Engine } from "../../engine.ts";
import { EngineError } from "../../engine-error.ts";
import { pipelineOf } from "../../runs/read-pipeline.ts";
import { ANNOTATIONS_MAX, type Annotation, readAnnotations } from "./annotations.ts";
import { checksArtifacts } from "./checks-artifacts.ts";

export interface CollectedAnnotations {
  readonly annotations: readonly Annotation[];
  /** For the summary: what was left out, and why. */
  readonly notes: readonly string[];
}

const FILE_BYTES_MAX = 1024 * 1024;
/** Of a matrix each item has its own; sub-pipelines have steps of their own. */
const FILES_MAX = 200;
const RUNS_MAX = 100;

export async function collectAnnotations(
  parts: Pick<Engine, "database" | "assets">,
  runId: string,
): Promise<CollectedAnnotations> {
  const annotations: Annotation[] = [];
  const notes: string[] = [];
  for (const row of await findFiles(parts, runId)) {
    const where = `checks.json of '${row.step}'${row.item === null ? "" : ` (${row.item})`}`;
    if (Number(row.bytes) > FILE_BYTES_MAX) {
      notes.push(`${where}: ${row.bytes} bytes are too many: at most ${FILE_BYTES_MAX}`);
      continue;
    }
    const content = await textOf(parts, row);
    const read =
      content === undefined
        ? { annotations: [], faults: ["it is lost"] }
        : readAnnotations(content);
    annotations.push(...read.annotations);
    notes.push(...read.faults.map((fault) => `${where}: ${fault}`));
  }
  const left = annotations.length - ANNOTATIONS_MAX;
  if (left > 0) notes.push(`${left} more annotations were left out: at most ${ANNOTATIONS_MAX}`);
  return { annotations: annotations.slice(0, ANNOTATIONS_MAX), notes };
}

/** In the order of the steps; always the same, so that they can be gone on with. */
async function findFiles(
  { database }: Pick<Engine, "database">,
  runId: string,
): Promise<readonly AssetRow[]> {
  const { rows: runs } = await database.pool.query<{
    readonly id: string;
    readonly text: string;
    readonly file: string | null;
  }>("select id, text, file from croft.run where id = $1 or root_id = $1 order by id limit $2", [
    ...[runId, RUNS_MAX],
  ]);
  const found: AssetRow[] = [];
  for (const run of runs) {
    const names = pipelineOf(run).steps.flatMap((step) =>
      checksArtifacts(step).map((name) => ({ step: step.id, name })),
    );
    if (names.length === 0 || found.length >= FILES_MAX) continue;
    const { rows } = await database.pool.query<AssetRow>(
      `select ${ASSET_COLUMNS} from croft.asset
       where run_id = $1 and kind = 'artifact' and (step, name) in (select * from unnest($2::text[], $3::text[]))
         and exists (select from croft.run_step s where s.run_id = asset.run_id and s.step = asset.step
           and s.item = coalesce(asset.item, '') and s.job_id = asset.job_id)
       order by id limit $4`,
      [
        ...[run.id, names.map(({ step }) => step), names.map(({ name }) => name)],
        FILES_MAX - found.length,
      ],
    );
    found.push(...rows);
  }
  return found;
}

/** Undefined: it will not come back. */
async function textOf(
  { assets }: Pick<Engine, "assets">,
  row: AssetRow,
): Promise<string | undefined> {
  try {
    const opened = await openAsset(assets, assetOf(row));
    try {
      return await text(opened.stream());
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (error instanceof EngineError && error.code !== "unavailable") return undefined;
    throw error;
  }
}
