// Random numbers that come again with the same seed, so that a failed run can be repeated.

export interface SeededRandom {
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
}

/** mulberry32: small, and good enough to choose moments. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  return {
    below: (limit) => {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
    },
  };
}
