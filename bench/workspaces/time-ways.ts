// Times making and taking away checkouts, one at a time.
import { execFileSync } from "node:child_process";
import { performance } from "node:perf_hooks";
import type { BenchRepository } from "./bench-repository.ts";
import { checkOutBy, SLOW_WAYS, type Way } from "./checkout-ways.ts";
import { type Measurements, noSamples, type WaySamples } from "./measurements.ts";

const OVERLAYS = 100;
const OVERLAYS_WARM_UP = 10;

/**
 * Of the same commit each time, so its template is there. Repositories take turns: whatever else the machine does meets
 * all of them.
 */
export async function timeOverlays(all: ReadonlyMap<BenchRepository, Measurements>): Promise<void> {
  for (let turn = -OVERLAYS_WARM_UP; turn < OVERLAYS; turn++) {
    for (const [repository, { ways }] of all) {
      await timeOne("overlay", repository, turn < 0 ? noSamples() : ways.overlay);
    }
  }
}

/** Each begins on a disk with nothing left to write, and each comes first in turn: none pays for another's files. */
export async function timeSlowWays(
  repository: BenchRepository,
  { ways }: Measurements,
  rounds: number,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const first = round % SLOW_WAYS.length;
    for (const way of [...SLOW_WAYS.slice(first), ...SLOW_WAYS.slice(0, first)]) {
      execFileSync("sync", ["-f", repository.places]);
      await timeOne(way, repository, ways[way]);
    }
  }
}

async function timeOne(way: Way, repository: BenchRepository, samples: WaySamples): Promise<void> {
  const startedAt = performance.now();
  const checkout = await checkOutBy(way, repository);
  samples.makeMs.push(performance.now() - startedAt);
  if (samples.diskBytes === 0) samples.diskBytes = checkout.diskBytes();
  const removedAt = performance.now();
  await checkout.remove();
  samples.removeMs.push(performance.now() - removedAt);
  await checkout.gone();
  samples.goneMs.push(performance.now() - removedAt);
}
