// What every fault test has: a seed, a number of faults, and a list of what went wrong.

export interface FaultOptions {
  readonly seed: number;
  readonly count: number;
  /** Empty directory to work in. */
  readonly directory: string;
}

export interface FaultResult {
  /** Faults that were really injected. */
  readonly injected: number;
  /** Further figures worth keeping. */
  readonly figures: Readonly<Record<string, number>>;
  readonly failures: readonly string[];
}

export type FaultTest = (options: FaultOptions) => Promise<FaultResult>;
