// The artifacts that expressions of a pipeline name, as texts.
import { text } from "node:stream/consumers";
import { artifactsUsedBy, compileTemplate, type Pipeline } from "@croft/pipeline";
import type { Assets } from "../assets/assets.ts";
import { DIRECTORY_MEDIA_TYPE } from "../assets/pack-directory.ts";
import { ASSET_COLUMNS, type AssetRow, assetOf, openAsset } from "../assets/read-assets.ts";
import type { Queryable } from "../database/in-transaction.ts";
import type { RunRow, StepRow } from "./run-rows.ts";

/** As much as `fromJSON` takes. */
const TEXT_BYTES_MAX = 1024 * 1024;

export type ArtifactTexts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Only of steps that have ended well; one that is too large, or a directory, is left out, and empty in expressions. */
export async function artifactTexts(
  client: Queryable,
  assets: Assets,
  pipeline: Pipeline,
  run: RunRow,
  steps: readonly StepRow[],
): Promise<ArtifactTexts> {
  const done = new Set(
    steps.filter(({ item, status }) => item === "" && status === "done").map(({ step }) => step),
  );
  const wanted = usedIn(pipeline).filter(({ step }) => done.has(step));
  const texts: Record<string, Record<string, string>> = {};
  for (const { step, artifact } of wanted) {
    const { rows } = await client.query<AssetRow>(
      `select ${ASSET_COLUMNS} from croft.asset
       where run_id = $1 and step = $2 and item is null and kind = 'artifact' and name = $3
       order by id desc limit 1`,
      [run.id, step, artifact],
    );
    const [row] = rows;
    if (row === undefined || Number(row.bytes) > TEXT_BYTES_MAX) continue;
    if (row.media_type === DIRECTORY_MEDIA_TYPE) continue;
    const opened = await openAsset(assets, assetOf(row));
    try {
      texts[step] = { ...texts[step], [artifact]: await text(opened.stream()) };
    } finally {
      await opened.close();
    }
  }
  return texts;
}

/** Every text of the pipeline that has an expression in it. */
function usedIn(pipeline: Pipeline): { step: string; artifact: string }[] {
  const found = new Map<string, { step: string; artifact: string }>();
  const visit = (value: unknown): void => {
    if (typeof value === "string") {
      if (!value.includes("artifacts")) return;
      // A condition is an expression without its braces.
      for (const template of [value, `\${{ ${value} }}`].map(
        (each) => compileTemplate(each).template,
      )) {
        if (template === undefined) continue;
        for (const used of artifactsUsedBy(template)) {
          found.set(`${used.step}\0${used.artifact}`, used);
        }
      }
    } else if (typeof value === "object" && value !== null) {
      for (const member of Object.values(value)) visit(member);
    }
  };
  visit(pipeline.steps);
  return [...found.values()];
}
