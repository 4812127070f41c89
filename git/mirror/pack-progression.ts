// Which packs of a repository are worth joining, so that there are few of them and no object is copied often.

export interface PackSize {
  /** Without its ending: `pack-1234…`. */
  readonly name: string;
  readonly objects: number;
}

const FACTOR = 2;

/**
 * Git's rule for `repack --geometric=2`: after it each pack has at least twice the objects of the next smaller one, so a
 * repository of n objects has at most log₂ n packs, and an object is copied as often. Returns the packs to join, the
 * smallest first; none or one means that nothing has to be done.
 */
export function packsToJoin(packs: readonly PackSize[]): PackSize[] {
  const ascending = [...packs].sort((one, other) => one.objects - other.objects);
  const sizes = ascending.map(({ objects }) => objects);
  let count = sizes.findLastIndex((size, at) => at > 0 && size < FACTOR * (sizes[at - 1] ?? 0)) + 1;
  let joined = sum(sizes.slice(0, count));
  for (const size of sizes.slice(count)) {
    if (size >= FACTOR * joined) break;
    joined += size;
    count++;
  }
  return ascending.slice(0, count);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
