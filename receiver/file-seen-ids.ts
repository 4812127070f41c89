// The ids of messages that were dealt with, in files that survive a crash; after some days they are forgotten.
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

/** Where ids are kept; a table of a database serves as well, and then in the transaction of what was done. */
export interface SeenIds {
  has(id: string): boolean | Promise<boolean>;
  /** When it returns, the id is kept. */
  add(id: string): void | Promise<void>;
}

export interface SeenLimits {
  /** Longer than Croft tries: three days and some hours. */
  readonly keepDays?: number;
  /** Beyond that the oldest are forgotten earlier. */
  readonly idsMax?: number;
}

interface Generation {
  readonly file: string;
  readonly startedAt: number;
  readonly ids: Set<string>;
}

const KEEP_DAYS = 7;
const IDS_MAX = 200_000;
const DAY_MS = 86_400_000;
/** Ids are forgotten a file at a time. */
const GENERATIONS = 8;

/** One process a directory: another one's ids are seen at the next start only. */
export class FileSeenIds implements SeenIds {
  readonly #directory: string;
  readonly #keepMs: number;
  readonly #idsAGeneration: number;
  /** The oldest first; the last one is written to. */
  #generations: Generation[];
  #descriptor: number | undefined;

  constructor(directory: string, { keepDays = KEEP_DAYS, idsMax = IDS_MAX }: SeenLimits = {}) {
    this.#directory = directory;
    this.#keepMs = keepDays * DAY_MS;
    this.#idsAGeneration = Math.max(1, Math.ceil(idsMax / GENERATIONS));
    mkdirSync(directory, { recursive: true });
    this.#generations = readdirSync(directory)
      .filter((name) => /^\d{13}\.ids$/.test(name))
      .sort()
      .map((name) => readGeneration(directory, name));
  }

  has(id: string): boolean {
    return this.#generations.some(({ ids }) => ids.has(id));
  }

  add(id: string): void {
    const { ids } = this.#current();
    // In lines of its own on both sides: what was cut off before it must not become its beginning.
    const line = `\n${id}\n`;
    const written = writeSync(this.#descriptor ?? this.#open(), line);
    if (written !== Buffer.byteLength(line)) throw new Error("an id was not written as a whole");
    ids.add(id);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #current(): Generation {
    const now = Date.now();
    const last = this.#generations.at(-1);
    const isFull = last === undefined || last.ids.size >= this.#idsAGeneration;
    if (!isFull && now < last.startedAt + this.#keepMs / GENERATIONS) return last;
    this.close();
    const startedAt = Math.max(now, (last?.startedAt ?? 0) + 1); // names sort, whatever the clock does
    const file = join(this.#directory, `${String(startedAt).padStart(13, "0")}.ids`);
    const next = { file, startedAt, ids: new Set<string>() };
    this.#generations.push(next);
    this.#forget(now);
    return next;
  }

  #open(): number {
    this.#descriptor = openSync(this.#current().file, "a", 0o600);
    return this.#descriptor;
  }

  #forget(now: number): void {
    const kept = this.#generations.slice(-GENERATIONS - 1).filter(({ startedAt }) => {
      return startedAt + this.#keepMs * (1 + 1 / GENERATIONS) > now;
    });
    for (const generation of this.#generations) {
      if (!kept.includes(generation)) rmSync(generation.file, { force: true });
    }
    this.#generations = kept;
  }
}

function readGeneration(directory: string, name: string): Generation {
  const file = join(directory, name);
  const lines = readFileSync(file, "utf8").split("\n");
  lines.pop(); // empty, or cut off in the middle of writing
  return {
    file,
    startedAt: Number.parseInt(name, 10),
    ids: new Set(lines.filter((line) => line !== "")),
  };
}
