// Artifacts of earlier steps, put into the workspace of a step before its script runs.
import type { Workspace } from "@croft/git";
import {
  evaluateText,
  type Injection,
  type Pipeline,
  pathFault,
  type RunStep,
} from "@croft/pipeline";
import { enterDirectories, materialise } from "../assets/materialise.ts";
import { partsOf } from "../assets/open-inside.ts";
import { DIRECTORY_MEDIA_TYPE } from "../assets/pack-directory.ts";
import { type AssetRow, assetOf } from "../assets/read-assets.ts";
import { unpackDirectory } from "../assets/unpack-directory.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import { currentArtifacts } from "./current-artifacts.ts";
import { requireGood } from "./step-files.ts";
import type { StepScene } from "./step-scene.ts";

export async function inject(
  scene: StepScene & { readonly step: RunStep },
  workspace: Workspace,
): Promise<void> {
  const { step, run, parts, pipeline, context } = scene;
  for (const injection of step.inject) {
    const place = evaluateText(injection.path, context).replace(/\/+$/, "");
    requireGood("inject", place, pathFault);
    const rows = await currentArtifacts(parts.database.pool, run.id, [injection]);
    const source = sourceOf(pipeline, injection);
    if (source.hasMatrix) await prepareDirectory(scene, workspace, { injection, place, rows });
    else if (rows.length === 0) requireOptional(scene, injection, source.isOptional);
    for (const row of rows) {
      const target = row.item === null ? place : `${place}/${row.item}`;
      const to = { directory: workspace.path, path: target, user: workspace.user };
      const put = row.media_type === DIRECTORY_MEDIA_TYPE ? unpackDirectory : materialise;
      await put(parts.assets, assetOf(row), to);
    }
  }
}

function sourceOf({ steps }: Pipeline, { step: from, artifact }: Injection) {
  const step = steps.find(({ id }) => id === from);
  return {
    hasMatrix: step !== undefined && "matrix" in step && step.matrix !== undefined,
    isOptional: step?.kind === "run" && step.artifacts[artifact]?.optional === true,
  };
}

interface Directory {
  readonly injection: Injection;
  readonly place: string;
  readonly rows: readonly AssetRow[];
}

/** There even if no item has anything to put into it: the script need not ask. Which have none is told. */
async function prepareDirectory(
  { rows: all, attempt }: StepScene,
  { path: directory, user }: Workspace,
  { injection: { step: from, artifact }, place, rows }: Directory,
): Promise<void> {
  const entered = await enterDirectories({ directory, parts: partsOf(place), user });
  await entered.handle.close();
  const found = new Set(rows.map(({ item }) => item));
  const missing = all.flatMap(({ step, item }) =>
    step === from && item !== "" && !found.has(item) ? [item] : [],
  );
  if (rows.length === 0) attempt.log(`inject: '${from}.${artifact}': no item has it\n`);
  else if (missing.length > 0) {
    attempt.log(`inject: '${from}.${artifact}': not there for ${missing.join(", ")}\n`);
  }
}

function requireOptional(
  { rows, attempt }: StepScene,
  { step: from, artifact }: Injection,
  isOptional: boolean,
): void {
  const status = rows.find(({ step, item }) => step === from && item === "")?.status;
  const message = `artifact '${artifact}' of step '${from}' is not there: it is ${status}`;
  if (!isOptional) throw new JobFailure("invalid", "artifact-missing", message);
  attempt.log(`inject: ${message}\n`);
}
