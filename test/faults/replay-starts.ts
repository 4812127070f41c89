// Goes through the recorded starts and ends of jobs in their order: were limits kept, and were turns fair?

/** One transaction of a worker: what it ended, then what it started. Lanes by id. */
export interface RecordedTurn {
  readonly ended: readonly string[];
  readonly started: readonly string[];
}

export interface RecordedLane {
  readonly id: string;
  readonly owner: string;
  readonly limit: number;
  /** Jobs that had been in line before the first start. */
  readonly queued: number;
}

export interface RecordedLimits {
  readonly owners: ReadonlyMap<string, number>;
  readonly whole: number;
}

interface Level {
  readonly name: string;
  readonly limit: number;
  running: number;
  starts: number;
}

interface LaneLevel extends Level {
  readonly owner: OwnerLevel;
  waiting: number;
}

interface OwnerLevel extends Level {
  readonly lanes: LaneLevel[];
}

/**
 * Two lanes of one owner, or two owners, that both had waiting work and room all the time between two moments have
 * started about as many: the counts differ by at most 1 + limit.
 */
export function replayStarts(
  lanes: readonly RecordedLane[],
  limits: RecordedLimits,
  turns: readonly RecordedTurn[],
): { readonly failures: string[]; readonly differenceMax: number } {
  const levels = levelsOf(lanes, limits);
  const pairs = [
    ...pairsOf(levels.owners, isOwnerOpen),
    ...levels.owners.flatMap((owner) => pairsOf(owner.lanes, isLaneOpen)),
  ];
  const failures: string[] = [];
  for (const { ended, started } of turns) {
    for (const id of ended) step(levels, id, -1);
    for (const pair of pairs) pair.begin();
    for (const id of started) step(levels, id, 1);
    for (const level of [levels.whole, ...levels.owners, ...levels.lanes.values()]) {
      if (level.running <= level.limit) continue;
      failures.push(`${level.name} has ${level.running} running, its limit is ${level.limit}`);
    }
    failures.push(...pairs.flatMap((pair) => pair.end()));
  }
  const differenceMax = Math.max(0, ...pairs.map((pair) => pair.differenceMax));
  return { failures: failures.slice(0, 20), differenceMax };
}

interface Levels {
  readonly whole: Level;
  readonly owners: OwnerLevel[];
  readonly lanes: Map<string, LaneLevel>;
}

function levelsOf(recorded: readonly RecordedLane[], limits: RecordedLimits): Levels {
  const fresh = () => ({ running: 0, starts: 0 });
  const owners = new Map<string, OwnerLevel>();
  for (const [name, limit] of limits.owners) {
    owners.set(name, { name: `owner ${name}`, limit, lanes: [], ...fresh() });
  }
  const lanes = new Map<string, LaneLevel>();
  for (const { id, owner: name, limit, queued } of recorded) {
    const owner = owners.get(name);
    if (owner === undefined) throw new Error(`no limit of owner ${name} was recorded`);
    const lane = { name: `lane ${id} of ${name}`, limit, owner, waiting: queued, ...fresh() };
    lanes.set(id, lane);
    owner.lanes.push(lane);
  }
  const whole = { name: "the whole", limit: limits.whole, ...fresh() };
  return { whole, owners: [...owners.values()], lanes };
}

function step({ whole, lanes }: Levels, id: string, change: 1 | -1): void {
  const lane = lanes.get(id);
  if (lane === undefined) throw new Error(`lane ${id} was not recorded`);
  for (const level of [whole, lane.owner, lane]) {
    level.running += change;
    if (change === 1) level.starts++;
  }
  if (change === 1) lane.waiting--;
}

function isLaneOpen(lane: LaneLevel): boolean {
  return lane.waiting > 0 && lane.running < lane.limit;
}

function isOwnerOpen(owner: OwnerLevel): boolean {
  return owner.running < owner.limit && owner.lanes.some(isLaneOpen);
}

function pairsOf<T extends Level>(all: readonly T[], isOpen: (level: T) => boolean) {
  return all.flatMap((one, index) =>
    all.slice(index + 1).map((other) => comparePair(one, other, isOpen)),
  );
}

function comparePair<T extends Level>(one: T, other: T, isOpen: (level: T) => boolean) {
  /** Smallest and greatest difference since both have been open. */
  let range: [number, number] | undefined;
  const areOpen = () => isOpen(one) && isOpen(other);
  const pair = {
    differenceMax: 0,
    /** After the ends of a turn, before its starts. */
    begin: () => {
      if (!areOpen()) range = undefined;
      else range ??= [one.starts - other.starts, one.starts - other.starts];
    },
    end: (): string[] => {
      if (range === undefined) return [];
      const difference = one.starts - other.starts;
      range = [Math.min(range[0], difference), Math.max(range[1], difference)];
      const spread = range[1] - range[0];
      pair.differenceMax = Math.max(pair.differenceMax, spread);
      if (!areOpen()) range = undefined;
      if (spread <= 1 + Math.max(one.limit, other.limit)) return [];
      return [`starts of ${one.name} and ${other.name} came to differ by ${spread}`];
    },
  };
  return pair;
}
