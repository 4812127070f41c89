// What is measured of one repository.
import type { Way } from "./checkout-ways.ts";

export interface Measurements {
  readonly files: number;
  readonly ways: Readonly<Record<Way, WaySamples>>;
  readonly template: TemplateSamples;
}

export interface WaySamples {
  readonly makeMs: number[];
  readonly removeMs: number[];
  /** Until nothing of it was on the disk any more. */
  readonly goneMs: number[];
  diskBytes: number;
}

export interface TemplateSamples {
  readonly wholeMs: number[];
  /** Of the next commit, on the one before. */
  readonly nextMs: number[];
  /** The most layers that one was made of. */
  depthMax: number;
}

export function noMeasurements(files: number): Measurements {
  return {
    files,
    ways: {
      overlay: noSamples(),
      clone: noSamples(),
      clone_shared: noSamples(),
      worktree_add: noSamples(),
      clone_depth1: noSamples(),
      cp: noSamples(),
    },
    template: { wholeMs: [], nextMs: [], depthMax: 0 },
  };
}

export function noSamples(): WaySamples {
  return { makeMs: [], removeMs: [], goneMs: [], diskBytes: 0 };
}
