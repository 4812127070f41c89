// Where the steps of a run stand in its picture: one column for each level of needs, and the lines between them.

export interface GraphStep {
  readonly step: string;
  readonly needs: readonly string[];
}

export interface GraphPlace {
  readonly step: string;
  readonly column: number;
  readonly row: number;
}

export interface StepGraph {
  readonly places: readonly GraphPlace[];
  /** Without those that follow from others: a picture with every need is a tangle. */
  readonly lines: readonly { readonly from: GraphPlace; readonly to: GraphPlace }[];
  readonly columns: number;
  readonly rows: number;
}

export function stepGraph(steps: readonly GraphStep[]): StepGraph {
  const byId = new Map(steps.map((step) => [step.step, step]));
  const needsOf = (id: string) => (byId.get(id)?.needs ?? []).filter((need) => byId.has(need));
  const levels = levelsOf(steps, needsOf);
  const places = placesOf(steps, levels, needsOf);
  const direct = directNeeds(steps, levels, needsOf);
  const lines = steps.flatMap(({ step }) => {
    return (direct.get(step) ?? []).flatMap((need) => {
      const [from, to] = [places.get(need), places.get(step)];
      return from === undefined || to === undefined ? [] : [{ from, to }];
    });
  });
  const all = [...places.values()];
  return {
    ...{ places: all, lines },
    columns: Math.max(0, ...all.map(({ column }) => column + 1)),
    rows: Math.max(0, ...all.map(({ row }) => row + 1)),
  };
}

type Needs = (id: string) => readonly string[];

/** The longest way from a step without needs. A pipeline with a circle never runs; here it would only end the walk. */
function levelsOf(steps: readonly GraphStep[], needsOf: Needs): Map<string, number> {
  const levels = new Map<string, number>();
  const levelOf = (id: string, path: ReadonlySet<string>): number => {
    const known = levels.get(id);
    if (known !== undefined) return known;
    if (path.has(id)) return 0;
    const deeper = new Set(path).add(id);
    const level = Math.max(0, ...needsOf(id).map((need) => levelOf(need, deeper) + 1));
    levels.set(id, level);
    return level;
  };
  for (const { step } of steps) levelOf(step, new Set());
  return levels;
}

/** Beside what it needs, as far as others leave room. */
function placesOf(
  steps: readonly GraphStep[],
  levels: ReadonlyMap<string, number>,
  needsOf: Needs,
): Map<string, GraphPlace> {
  const columns: string[][] = [];
  for (const { step } of steps) {
    const level = levels.get(step) ?? 0;
    columns[level] = [...(columns[level] ?? []), step];
  }
  const places = new Map<string, GraphPlace>();
  for (const [column, ids] of columns.entries()) {
    const wish = new Map(
      ids.map((id) => [id, mean(needsOf(id).map((need) => places.get(need)?.row ?? 0))]),
    );
    const sorted = [...ids].sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0));
    for (const [row, step] of sorted.entries()) places.set(step, { step, column, row });
  }
  // In the order of the file, which is that of the tab key.
  return new Map(
    steps.flatMap(({ step }) => {
      const place = places.get(step);
      return place === undefined ? [] : [[step, place] as const];
    }),
  );
}

/** Those that do not follow from another need of the same step. */
function directNeeds(
  steps: readonly GraphStep[],
  levels: ReadonlyMap<string, number>,
  needsOf: Needs,
): Map<string, string[]> {
  const levelOf = (id: string) => levels.get(id) ?? 0;
  const ancestors = new Map<string, Set<string>>();
  const direct = new Map<string, string[]>();
  for (const { step } of [...steps].sort((a, b) => levelOf(a.step) - levelOf(b.step))) {
    const before = new Set<string>();
    // The latest first: whatever it needs itself is known then.
    const latestFirst = [...needsOf(step)].sort((a, b) => levelOf(b) - levelOf(a));
    const own = latestFirst.filter((need) => {
      if (before.has(need)) return false;
      before.add(need);
      for (const each of ancestors.get(need) ?? []) before.add(each);
      return true;
    });
    ancestors.set(step, before);
    direct.set(step, own);
  }
  return direct;
}

function mean(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
}
