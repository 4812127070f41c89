// The steps as a graph: who waits for whom, and in which order they can go.

/** What the graph is made of; a pipeline's steps are such nodes. */
export interface GraphNode {
  readonly id: string;
  readonly needs: readonly string[];
}

export interface Graph {
  /** Every step behind all that it needs; otherwise as in the file. */
  readonly order: readonly string[];
  readonly needs: ReadonlyMap<string, readonly string[]>;
  /** Steps that need this one themselves. */
  readonly dependants: ReadonlyMap<string, readonly string[]>;
  /** All that must have ended before, however far away. */
  readonly ancestors: ReadonlyMap<string, ReadonlySet<string>>;
  /** Steps of one level can run at once; those of the first need nothing. */
  readonly levels: readonly (readonly string[])[];
}

/** Of a pipeline that was checked: unknown names are left out, a circle is a mistake of the caller's. */
export function planGraph({ steps }: { readonly steps: readonly GraphNode[] }): Graph {
  const known = new Set(steps.map(({ id }) => id));
  const needs = new Map(steps.map((step) => [step.id, knownNeeds(step, known)]));
  const cycle = findCycle(needs);
  if (cycle !== undefined)
    throw new Error(`steps need each other in a circle: ${cycle.join(" → ")}`);
  const dependants = new Map(steps.map(({ id }): [string, string[]] => [id, []]));
  for (const [id, wanted] of needs) for (const need of wanted) dependants.get(need)?.push(id);
  const levels = levelsOf(needs);
  const order = levels.flat();
  return { order, needs, dependants, ancestors: ancestorsOf(needs, order), levels };
}

function knownNeeds({ id, needs }: GraphNode, known: ReadonlySet<string>): string[] {
  return [...new Set(needs)].filter((need) => known.has(need) && need !== id);
}

function levelsOf(needs: ReadonlyMap<string, readonly string[]>): string[][] {
  const level = new Map<string, number>();
  const find = (id: string): number => {
    const found = level.get(id);
    if (found !== undefined) return found;
    const own = Math.max(-1, ...(needs.get(id) ?? []).map(find)) + 1;
    level.set(id, own);
    return own;
  };
  const levels: string[][] = [];
  for (const id of needs.keys()) {
    const own = find(id);
    while (levels.length <= own) levels.push([]);
    levels[own]?.push(id);
  }
  return levels;
}

function ancestorsOf(
  needs: ReadonlyMap<string, readonly string[]>,
  order: readonly string[],
): Map<string, Set<string>> {
  const place = new Map(order.map((id, index) => [id, index]));
  const ancestors = new Map<string, Set<string>>();
  for (const id of order) {
    const above = new Set<string>();
    // The latest first: what it brings need not be looked at again.
    const wanted = [...(needs.get(id) ?? [])].sort(
      (a, b) => (place.get(b) ?? 0) - (place.get(a) ?? 0),
    );
    for (const need of wanted) {
      if (above.has(need)) continue;
      above.add(need);
      for (const further of ancestors.get(need) ?? []) above.add(further);
    }
    ancestors.set(id, above);
  }
  return ancestors;
}

/** One circle as its way round, `a → b → a`, or undefined. Not recursive: chains may be long. */
export function findCycle(needs: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  for (const start of needs.keys()) {
    const trail: { readonly id: string; next: number }[] = [{ id: start, next: 0 }];
    const open = new Set([start]);
    while (trail.length > 0 && !done.has(start)) {
      const top = trail.at(-1);
      if (top === undefined) break;
      const next = needs.get(top.id)?.[top.next++];
      if (next === undefined) {
        trail.pop();
        open.delete(top.id);
        done.add(top.id);
      } else if (open.has(next)) {
        const ids = trail.map(({ id }) => id);
        return [...ids.slice(ids.indexOf(next)), next];
      } else if (!done.has(next) && needs.has(next)) {
        trail.push({ id: next, next: 0 });
        open.add(next);
      }
    }
  }
  return undefined;
}
