// Files of steps: artifacts in and out, and results that come from another host.
import { createReadStream } from "node:fs";
import type { CommitId, Workspace } from "@croft/git";
import { evaluateText, pathFault, type RunStep } from "@croft/pipeline";
import { AssetError } from "../assets/asset-error.ts";
import { DIRECTORY_MEDIA_TYPE } from "../assets/pack-directory.ts";
import { ASSET_COLUMNS, type AssetRow, assetOf, openAsset } from "../assets/read-assets.ts";
import { storeDirectory, storeFile, storeStream } from "../assets/store-asset.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import { accessToOwn } from "./own-repository.ts";
import type { StepResult } from "./step-result.ts";
import { resultRef, type StepScene } from "./step-scene.ts";

export interface ResultPlace {
  readonly commit: CommitId;
  /** The commit of the remote that it stands on. */
  readonly base: CommitId;
}

/** From its bundle, unless this host has it. */
export async function bringResult(
  scene: StepScene,
  step: string,
  item: string,
  { commit, base }: ResultPlace,
): Promise<void> {
  const { parts, run, git, source, signal } = scene;
  if (commit === base || "checkout" in source) return;
  const repository = source.remote;
  const { rows } = await parts.database.pool.query<AssetRow>(
    `select ${ASSET_COLUMNS} from croft.asset
     where run_id = $1 and step = $2 and item is not distinct from $3 and kind = 'bundle' and commit = $4
     order by id desc limit 1`,
    [run.id, step, item === "" ? null : item, commit],
  );
  const [asset] = rows;
  if (asset === undefined) return; // recorded by a step that shares this host's disk
  const opened = await openAsset(parts.assets, assetOf(asset));
  try {
    await git.results.importBundle({
      ...{ owner: run.owner, repository, commit, base, signal },
      ...{ bundle: opened.stream(), ref: resultRef(run.id, step, item) },
      access: await accessToOwn(scene, repository, scene.credential),
    });
    scene.log.info({ commit, from: step }, "a result was brought here");
  } finally {
    await opened.close();
  }
}

export async function storeArtifacts(
  scene: StepScene & { readonly step: RunStep },
  workspace: Workspace,
) {
  const { step, context } = scene;
  const stored: NonNullable<StepResult["artifacts"]> = [];
  for (const [name, { path, optional }] of Object.entries(step.artifacts)) {
    const place = evaluateText(path, context);
    requireGood(`artifact '${name}'`, place, pathFault);
    try {
      const file = await storeArtifact(scene, workspace, place);
      const { sha256, generation, bytes, mediaType } = file;
      stored.push({ name, sha256, generation, bytes, media_type: mediaType });
    } catch (error) {
      if (!(error instanceof AssetError)) throw error;
      if (error.code === "not-found" && optional) continue;
      const isOurs = ["disk-full", "unreachable"].includes(error.code);
      throw new JobFailure(
        isOurs ? "transient" : "command",
        `artifact-${error.code}`,
        `artifact '${name}': ${error.message}`,
        { cause: error },
      );
    }
  }
  return stored;
}

/** A directory by the slash at its end, or because it is one. */
async function storeArtifact(scene: StepScene, workspace: Workspace, place: string) {
  const { parts, signal } = scene;
  const path = place.replace(/\/+$/, "");
  const from = { directory: workspace.path, path, user: workspace.user };
  const options = { attempt: claimantOf(scene), signal };
  const asDirectory = async () => ({
    ...(await storeDirectory(parts.assets, from, options)),
    mediaType: DIRECTORY_MEDIA_TYPE,
  });
  if (path !== place) return await asDirectory();
  try {
    return { ...(await storeFile(parts.assets, from, options)), mediaType: mediaTypeOf(path) };
  } catch (error) {
    if (!(error instanceof AssetError && error.code === "is-directory")) throw error;
    return await asDirectory();
  }
}

function mediaTypeOf(path: string): string {
  if (path.endsWith(".json")) return "application/json";
  return /\.(?:txt|md|log|ya?ml|csv|diff|patch)$/.test(path)
    ? "text/plain; charset=utf-8"
    : "application/octet-stream";
}

/** So that a later step can start from it on any host. */
export async function bundleOf(
  scene: StepScene,
  commit: CommitId,
  base: CommitId,
): Promise<Pick<StepResult, "bundle">> {
  const { git, run, source, parts, signal } = scene;
  if (commit === base || "checkout" in source) return {};
  return await git.results.exportBundle(
    { owner: run.owner, repository: source.remote, commit, base, signal },
    async ({ file }) => {
      const options = { attempt: claimantOf(scene) };
      const stored = await storeStream(parts.assets, createReadStream(file), options);
      const { sha256, generation, bytes } = stored;
      return { bundle: { sha256, generation, bytes } };
    },
  );
}

/** Its files are kept until the run has gone on, however long that takes. */
function claimantOf({ attempt }: StepScene) {
  return { jobId: attempt.id, attempt: attempt.attempt };
}

/** What an expression gave is looked at again where it is used. */
export function requireGood(
  what: string,
  value: string | undefined,
  fault: (value: string) => string | undefined,
): void {
  const wrong = value === undefined ? undefined : fault(value);
  if (wrong !== undefined) throw new JobFailure("invalid", "invalid-value", `${what}: ${wrong}`);
}
