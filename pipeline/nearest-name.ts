// "Did you mean …": the known name closest to a misspelt one.

/** Beyond these a comparison costs more than the hint is worth. */
const LENGTH_MAX = 64;
const CANDIDATES_MAX = 200;

/** Undefined when nothing is close enough to be meant. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > LENGTH_MAX) return undefined;
  const wanted = normal(name);
  const allowed = name.length <= 3 ? 1 : Math.max(2, Math.floor(name.length / 3));
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  let seen = 0;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) > allowed + 1) continue; // `maxParallel` gains a dash
    if (++seen > CANDIDATES_MAX) break;
    const distance = editDistance(wanted, normal(candidate));
    if (distance <= allowed && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) {
      best = { candidate, distance };
    }
  }
  return best?.candidate;
}

export function didYouMean(name: string, known: Iterable<string>): string | undefined {
  const nearest = nearestName(name, known);
  return nearest === undefined ? undefined : `did you mean '${nearest}'?`;
}

/** `max_parallel` and `maxParallel` are `max-parallel` to whoever wrote them. */
function normal(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .replaceAll("_", "-")
    .toLowerCase();
}

/** Letters added, left out, changed, or swapped with their neighbour. */
function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const change = from[row - 1] === to[column - 1] ? 0 : 1;
      const isSwapped =
        row > 1 &&
        column > 1 &&
        from[row - 1] === to[column - 2] &&
        from[row - 2] === to[column - 1];
      current.push(
        Math.min(
          (previous[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (previous[column - 1] ?? 0) + change,
          isSwapped ? (beforePrevious[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[to.length] ?? 0;
}
