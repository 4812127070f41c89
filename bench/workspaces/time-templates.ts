// Times building templates: whole ones, and each next commit's on the one before.
import { execFileSync } from "node:child_process";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { BenchRepository } from "./bench-repository.ts";
import type { Measurements } from "./measurements.ts";

/** Leaves the template of the newest commit. Older rounds are put aside: deleting them would slow the next one down. */
export async function timeTemplates(
  { git, mirror, commits, places }: BenchRepository,
  { template }: Measurements,
  rounds: number,
): Promise<void> {
  const { templates } = git;
  for (let round = 0; round < rounds; round++) {
    if (round > 0) renameSync(templates.directoryOf(mirror), join(places, `templates-${round}`));
    execFileSync("sync", ["-f", git.directories.templates]);
    for (const commit of commits.toReversed()) {
      const startedAt = performance.now();
      const { layers } = await templates.get(mirror, commit);
      const tookMs = performance.now() - startedAt;
      (layers.length === 1 ? template.wholeMs : template.nextMs).push(tookMs);
      template.depthMax = Math.max(template.depthMax, layers.length);
      await templates.idle(); // nobody waits for syncing and flattening
    }
  }
}
