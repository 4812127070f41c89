// Joins the fetches of one repository: one runs, whoever comes meanwhile shares the next, across processes too.
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { GitError } from "../command/git-error.ts";

/** What the callers of a fetch want together. */
export interface Wanted {
  /** Read at the last moment; undefined when somebody else has fetched it since it was asked for. */
  take(): Promise<readonly string[] | undefined>;
  done(): Promise<void>;
}

type RunFetch = (wanted: Wanted) => Promise<void>;

interface SharedFetch {
  readonly refs: Set<string>;
  readonly result: Promise<void>;
}

export class FetchQueue {
  readonly #directory: string;
  #running: Promise<void> | undefined;
  #next: SharedFetch | undefined;

  /** `directory` is where the processes of this host tell each other what they want. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  get isIdle(): boolean {
    return this.#running === undefined && this.#next === undefined;
  }

  /** A caller that leaves does not end the fetch: others may have joined it. */
  async join(
    refs: readonly string[],
    signal: AbortSignal | undefined,
    run: RunFetch,
  ): Promise<void> {
    signal?.throwIfAborted();
    if (this.#running === undefined) {
      await leaving(this.#start(new Set(refs), run), signal);
      return;
    }
    const isFirst = this.#next === undefined;
    this.#next ??= this.#after(this.#running, run);
    for (const ref of refs) this.#next.refs.add(ref);
    try {
      await leaving(this.#next.result, signal);
    } catch (error) {
      // It was done with somebody else's credential: that it was refused says nothing about ours.
      if (isFirst || !(error instanceof GitError) || !["auth", "not-found"].includes(error.code))
        throw error;
      await this.join(refs, signal, run);
    }
  }

  #start(refs: ReadonlySet<string>, run: RunFetch): Promise<void> {
    const fetching = this.#tellOthers(refs, run).finally(() => {
      if (this.#running === fetching) this.#running = undefined;
    });
    this.#running = fetching;
    return fetching;
  }

  #after(running: Promise<void>, run: RunFetch): SharedFetch {
    const refs = new Set<string>();
    const begin = () => {
      this.#next = undefined;
      return this.#start(refs, run);
    };
    const result = running.then(begin, begin);
    result.catch(() => {}); // whoever joined hears of it; they may all have left
    return { refs, result };
  }

  /** The wish is written down before the lock is waited for, so that whoever has it can fulfil it. */
  async #tellOthers(refs: ReadonlySet<string>, run: RunFetch): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    const own = `${randomUUID()}.json`;
    const path = join(this.#directory, own);
    await writeFile(`${path}.draft`, JSON.stringify([...refs]));
    await rename(`${path}.draft`, path);
    let taken: readonly string[] = [];
    try {
      await run({
        take: async () => {
          const names = (await readdir(this.#directory)).filter((name) => name.endsWith(".json"));
          if (!names.includes(own)) return undefined;
          taken = names;
          return await this.#union(names);
        },
        done: async () => {
          for (const name of taken) await rm(join(this.#directory, name), { force: true });
        },
      });
    } finally {
      await rm(path, { force: true });
    }
  }

  async #union(names: readonly string[]): Promise<string[]> {
    const lists = await Promise.all(
      names.map(async (name): Promise<string[]> => {
        try {
          return JSON.parse(await readFile(join(this.#directory, name), "utf8"));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === "ENOENT") return []; // whoever wanted it has left
          throw error;
        }
      }),
    );
    return [...new Set(lists.flat())].sort();
  }
}

async function leaving<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  return await new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
