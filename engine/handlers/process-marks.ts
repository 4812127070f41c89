// What a job may leave behind in its process that the next one would feel: timers, open things, changed built-ins.
import { fstatSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** What is being closed has gone by then, also on a busy machine: all looks together take less than a new process. */
const LOOKS_MAX = 6;
const FIRST_LOOK_MS = 2;

/** All code goes through these: whoever adds to them, or replaces a part, changes everybody's. */
const SHARED: readonly object[] = [
  ...[Object, Array, Promise, JSON, Reflect, Buffer],
  ...[Object, Array, Promise, Function, String, Number, Map, Set, Error].map(
    (each): object => each.prototype,
  ),
];
/** Others may be added to these, but what is there stays as it is. */
const OPEN: readonly object[] = [globalThis, process];
/** Libraries listen to these when they are first used, and nothing of a later job comes of it. */
const HARMLESS_EVENTS = ["exit", "beforeExit", "warning"];

/** Taken when the project is loaded: what it has started by then belongs to the process. */
export class ProcessMarks {
  readonly #descriptors: readonly number[];
  readonly #outlets: string;
  readonly #parts: readonly unknown[];
  readonly #active: ReadonlyMap<string, number>;

  /** `descriptors`: those by which the process is heard. */
  constructor(descriptors: readonly number[]) {
    this.#descriptors = descriptors;
    this.#outlets = this.#outletsNow();
    this.#parts = partsNow();
    this.#active = activeNow();
  }

  async haveChanged(): Promise<boolean> {
    if (this.#outletsNow() !== this.#outlets || this.#areOtherParts()) return true;
    for (let looks = 1; this.#hasMoreActive(); looks++) {
      if (looks === LOOKS_MAX) return true;
      await delay(FIRST_LOOK_MS * 2 ** (looks - 1));
    }
    return false;
  }

  #areOtherParts(): boolean {
    try {
      const parts = partsNow();
      return (
        parts.length !== this.#parts.length ||
        parts.some((part, index) => part !== this.#parts[index])
      );
    } catch {
      return true; // what it is looked at with is not what it was
    }
  }

  /** Less is no harm: a timer of the project's own may have come to its end. */
  #hasMoreActive(): boolean {
    return [...activeNow()].some(([kind, count]) => count > (this.#active.get(kind) ?? 0));
  }

  /** Whoever has closed one of them, or put another in its place, is not heard any more. */
  #outletsNow(): string {
    return this.#descriptors.map(inodeOf).join(" ");
  }
}

/** Only what keeps a process alive: connections that a library keeps for later, and its clocks, are not among it. */
function activeNow(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

function partsNow(): unknown[] {
  return [
    ...[process.stdout, process.stdout.write, process.stderr, process.stderr.write],
    ...process.eventNames().flatMap((name) => {
      if (typeof name === "string" && HARMLESS_EVENTS.includes(name)) return [];
      return [name, ...process.rawListeners(name)];
    }),
    ...SHARED.flatMap((object) =>
      Reflect.ownKeys(object).flatMap((key) => [key, functionAt(object, key)]),
    ),
    ...KNOWN.map(([object, key]) => functionAt(object, key)),
  ];
}

/** Those behind getters are put in their places by Node itself, when they are first used. */
const KNOWN = OPEN.flatMap((object) =>
  Reflect.ownKeys(object)
    .filter((key) => functionAt(object, key) !== undefined)
    .map((key) => [object, key] as const),
);

/** Without calling a getter, which may do anything. */
function functionAt(object: object, key: PropertyKey): unknown {
  const value: unknown = Reflect.getOwnPropertyDescriptor(object, key)?.value;
  return typeof value === "function" ? value : undefined;
}

function inodeOf(descriptor: number): string {
  try {
    return String(fstatSync(descriptor).ino);
  } catch {
    return "closed";
  }
}
