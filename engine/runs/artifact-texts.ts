// The artifacts that expressions name, as texts: only those that are needed now, and never more than memory has room for.
import { text } from "node:stream/consumers";
import {
  artifactsUsedBy,
  compileCondition,
  compileTemplate,
  ExpressionFailure,
  type Step,
} from "@croft/pipeline";
import type { Assets } from "../assets/assets.ts";
import { DIRECTORY_MEDIA_TYPE } from "../assets/pack-directory.ts";
import { type AssetRow, assetOf, openAsset } from "../assets/read-assets.ts";
import type { Queryable } from "../database/in-transaction.ts";
import { EngineError } from "../engine-error.ts";
import { type ArtifactName, currentArtifacts } from "./current-artifacts.ts";
import { KeptTexts } from "./kept-texts.ts";
import type { RunRow } from "./run-rows.ts";

/** As much as `fromJSON` takes. */
const TEXT_BYTES_MAX = 1024 * 1024;
/** Of all that one step names. */
const TEXTS_BYTES_MAX = 16 * 1024 * 1024;
const KEPT_BYTES_MAX = 32 * 1024 * 1024;

export type ArtifactTexts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Items of one matrix name the same ones, and a run asks again at each of its steps. */
const kept = new KeptTexts(KEPT_BYTES_MAX);

/** Only of steps that have ended well; one that is too large, or a directory, is left out, and empty in expressions. */
export async function artifactTexts(
  client: Queryable,
  assets: Assets,
  { id }: Pick<RunRow, "id">,
  names: readonly ArtifactName[],
): Promise<ArtifactTexts> {
  const rows = (await currentArtifacts(client, id, names)).filter(
    ({ item, bytes, media_type }) =>
      item === null && Number(bytes) <= TEXT_BYTES_MAX && media_type !== DIRECTORY_MEDIA_TYPE,
  );
  const bytes = rows.reduce((sum, row) => sum + Number(row.bytes), 0);
  if (bytes > TEXTS_BYTES_MAX) {
    throw new ExpressionFailure(
      `the ${rows.length} artifacts named have ${bytes} bytes: at most ${TEXTS_BYTES_MAX} at once; 'inject' has no such limit`,
    );
  }
  const texts: Record<string, Record<string, string>> = {};
  for (const row of rows) {
    const step = row.step ?? "";
    texts[step] = { ...texts[step], [row.name]: await textOf(assets, row) };
  }
  return texts;
}

async function textOf(assets: Assets, row: AssetRow): Promise<string> {
  const known = kept.get(row.sha256);
  if (known !== undefined) return known;
  try {
    const opened = await openAsset(assets, assetOf(row));
    try {
      return kept.keep(row.sha256, await text(opened.stream()));
    } finally {
      await opened.close();
    }
  } catch (error) {
    const what = `artifact '${row.name}' of step '${row.step}'`;
    if (!(error instanceof EngineError)) {
      throw new EngineError("unavailable", `${what} cannot be read now`, { cause: error });
    }
    if (error.code === "unavailable") throw error;
    // It will not come back: the step fails, and the run goes on with that.
    throw new ExpressionFailure(`${what}: ${error.message}`, { cause: error });
  }
}

/** For the decision whether it runs, and as which items. */
export function namedInDecision(step: Step): readonly ArtifactName[] {
  return remembered(decisions, step, () => {
    const condition = step.if === undefined ? undefined : compileCondition(step.if).template;
    const matrix = "matrix" in step ? step.matrix : undefined;
    return distinct([
      ...(condition === undefined ? [] : artifactsUsedBy(condition)),
      ...namedIn(matrix),
    ]);
  });
}

/** For all else that it does. */
export function namedInStep(step: Step): readonly ArtifactName[] {
  return remembered(works, step, () => {
    const { if: _, ...rest } = step;
    return namedIn({ ...rest, matrix: undefined });
  });
}

/** In every text with expressions, however deep. */
export function namedIn(templates: unknown): readonly ArtifactName[] {
  const found: ArtifactName[] = [];
  const visit = (value: unknown): void => {
    if (typeof value === "string") {
      if (!/artifacts/i.test(value)) return;
      const { template } = compileTemplate(value);
      if (template !== undefined) found.push(...artifactsUsedBy(template));
    } else if (typeof value === "object" && value !== null) {
      for (const member of Object.values(value)) visit(member);
    }
  };
  visit(templates);
  return distinct(found);
}

function distinct(names: readonly ArtifactName[]): readonly ArtifactName[] {
  return [...new Map(names.map((each) => [`${each.step}\0${each.artifact}`, each])).values()];
}

const decisions = new WeakMap<Step, readonly ArtifactName[]>();
const works = new WeakMap<Step, readonly ArtifactName[]>();

function remembered(
  found: WeakMap<Step, readonly ArtifactName[]>,
  step: Step,
  find: () => readonly ArtifactName[],
): readonly ArtifactName[] {
  const names = found.get(step) ?? find();
  found.set(step, names);
  return names;
}
