// Times making and taking away checkouts, one at a time.
import { execFileSync } from "node:child_process";
import { performance } from "node:perf_hooks";
import type { BenchRepository } from "./bench-repository.ts";
import { type Checkout, checkOutBy, SLOW_WAYS, type Way } from "./checkout-ways.ts";
import { type Measurements, noSamples, type WaySamples } from "./measurements.ts";

const OVERLAYS = 100;
const OVERLAYS_WARM_UP = 10;
/** On a busy machine less is tried: it must come to an end. */
const MAKING_MS_MAX = 90_000;
const REMOVING_MS_MAX = 45_000;

/**
 * Of the same commit each time, so its template is there. Repositories take turns: whatever else the machine does meets
 * all of them.
 */
export async function timeOverlays(all: ReadonlyMap<BenchRepository, Measurements>): Promise<void> {
  for (let turn = -OVERLAYS_WARM_UP; turn < OVERLAYS; turn++) {
    for (const [repository, { ways }] of all) {
      await remove(await make("overlay", repository, turn < 0 ? noSamples() : ways.overlay));
    }
  }
}

/**
 * Each begins on a disk with nothing left to write, and each comes first in turn: none pays for another's files. They are
 * not removed in between, because ext4 takes several times as long to make files for minutes after many were deleted.
 */
export async function timeMaking(
  repository: BenchRepository,
  { ways }: Measurements,
  rounds: number,
): Promise<Made[]> {
  const made: Made[] = [];
  const endAt = performance.now() + MAKING_MS_MAX;
  for (let round = 0; round < rounds && (round === 0 || performance.now() < endAt); round++) {
    const first = round % SLOW_WAYS.length;
    for (const way of [...SLOW_WAYS.slice(first), ...SLOW_WAYS.slice(0, first)]) {
      execFileSync("sync", ["-f", repository.places]);
      made.push(await make(way, repository, ways[way]));
    }
  }
  return made;
}

/** At least one of each way; those that there is no time for are removed with everything else. */
export async function timeRemoving(made: readonly Made[]): Promise<void> {
  const endAt = performance.now() + REMOVING_MS_MAX;
  for (const one of made) {
    if (one.samples.removeMs.length === 0 || performance.now() < endAt) await remove(one);
  }
}

/** A checkout, and where its times belong. */
export interface Made {
  readonly checkout: Checkout;
  readonly samples: WaySamples;
}

async function make(way: Way, repository: BenchRepository, samples: WaySamples): Promise<Made> {
  const startedAt = performance.now();
  const checkout = await checkOutBy(way, repository);
  samples.makeMs.push(performance.now() - startedAt);
  if (samples.diskBytes === 0) samples.diskBytes = checkout.diskBytes();
  return { checkout, samples };
}

async function remove({ checkout, samples }: Made): Promise<void> {
  const startedAt = performance.now();
  await checkout.remove();
  samples.removeMs.push(performance.now() - startedAt);
  await checkout.gone();
  samples.goneMs.push(performance.now() - startedAt);
}
