// The artifacts that count: those of the job by which a step ended well, not of an attempt of the run before that.
import { ASSET_COLUMNS, type AssetRow } from "../assets/read-assets.ts";
import type { Queryable } from "../database/in-transaction.ts";

export interface ArtifactName {
  readonly step: string;
  readonly artifact: string;
}

/** One for each name, of a step with a matrix one for each item; what is not there is left out. */
export async function currentArtifacts(
  client: Queryable,
  runId: string,
  names: readonly ArtifactName[],
): Promise<readonly AssetRow[]> {
  if (names.length === 0) return [];
  const { rows } = await client.query<AssetRow>(
    `select ${ASSET_COLUMNS} from croft.asset
     where run_id = $1 and kind = 'artifact' and (step, name) in (select * from unnest($2::text[], $3::text[]))
       and exists (select from croft.run_step s where s.run_id = asset.run_id and s.step = asset.step
         and s.item = coalesce(asset.item, '') and s.job_id = asset.job_id and s.status = 'done')
     order by id`,
    [runId, names.map(({ step }) => step), names.map(({ artifact }) => artifact)],
  );
  return rows;
}
