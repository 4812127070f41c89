// Takes a result from one data directory to another: out as a bundle, in through the same checks as a job's own pack.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { packFiles } from "../checkout/lay-out-repository.ts";
import { runGit } from "../command/run-git.ts";
import type { GitDirectories } from "../disk/git-directories.ts";
import type { CommitId } from "../remote/commit-id.ts";
import { type BundleHead, readBundle, writeBundle } from "./bundle.ts";
import { inQuarantine, packInto, packsIn } from "./in-quarantine.ts";
import { PackReceiver } from "./receive-pack.ts";
import { requireResultRef } from "./result-ref.ts";
import type { Attempt, ResultRepository } from "./result-repository.ts";
import { incomingPack, requireCommit, takeIn } from "./take-in.ts";

export const RESULT_BYTES_MAX = 1024 ** 3;

export interface ExportedBundle {
  /** Gone when the caller has done with it. */
  readonly file: string;
  readonly sizeBytes: number;
}

/** Everything that base has not, of all results it stands on: base alone is needed to read it. */
export async function exportBundle<T>(
  directories: GitDirectories,
  results: ResultRepository,
  { commit, base, signal }: BundleHead & { readonly signal?: AbortSignal | undefined },
  use: (bundle: ExportedBundle) => Promise<T>,
): Promise<T> {
  await results.hold("open results", async () => {});
  await results.requireRecorded(commit, base);
  return await inQuarantine(directories, results, async (quarantine) => {
    const { place, options } = quarantine;
    await requireCommit(base, options);
    await packInto(quarantine, commit, [base], signal);
    const packs = packsIn(place);
    const [pack = ""] = packFiles(packs).filter((name) => name.endsWith(".pack"));
    const file = join(place, "result.bundle");
    await writeBundle(file, join(packs, pack), { commit, base });
    return await use({ file, sizeBytes: (await stat(file)).size });
  });
}

export interface BundleImport extends BundleHead {
  readonly bundle: AsyncIterable<Uint8Array>;
  readonly ref: string;
  readonly maxBytes?: number | undefined;
  readonly attempt?: Attempt | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The results already have its base. Twice is as good as once; one that is there already is not read again. */
export async function importBundle(
  directories: GitDirectories,
  results: ResultRepository,
  request: BundleImport,
): Promise<void> {
  const { commit, base, ref, bundle, maxBytes = RESULT_BYTES_MAX, attempt = {}, signal } = request;
  requireResultRef(ref);
  if ((await results.hasRecorded(commit)) && (await setRef(results, ref, commit, attempt))) return;
  await inQuarantine(directories, results, async ({ place }) => {
    const receiver = new PackReceiver(incomingPack(place), maxBytes);
    await pipeline(() => readBundle(bundle, { commit, base }), receiver, { signal });
    await takeIn(results, { place, commit, base, ref, attempt });
  });
}

/** False when no ref leads to it any more, since the last look: then its objects may go at any moment. */
async function setRef(
  results: ResultRepository,
  ref: string,
  commit: CommitId,
  attempt: Attempt,
): Promise<boolean> {
  return await results.hold("record a result", async (descriptor) => {
    results.requireCurrent(attempt);
    if (!(await results.hasRecorded(commit))) return false;
    await runGit(["update-ref", "--end-of-options", ref, commit], {
      ...{ gitDir: results.gitDir, lockDescriptors: [descriptor] },
    });
    return true;
  });
}
