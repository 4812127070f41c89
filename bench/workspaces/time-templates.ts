// Times building templates: whole ones, and each next commit's on the one before.
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { performance } from "node:perf_hooks";
import type { BenchRepository } from "./bench-repository.ts";
import type { Measurements } from "./measurements.ts";

/** Leaves the template of the newest commit. */
export async function timeTemplates(
  { git, mirror, commits }: BenchRepository,
  { template }: Measurements,
  rounds: number,
): Promise<void> {
  const { templates } = git;
  for (let round = 0; round < rounds; round++) {
    rmSync(templates.directoryOf(mirror), { recursive: true, force: true });
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
