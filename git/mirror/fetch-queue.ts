// Joins the fetches of one repository: one runs, whoever comes meanwhile shares the next, across processes too.
import { GitError } from "../command/git-error.ts";
import { AddressError } from "../remote/resolve-public.ts";
import type { Wish, Wishes } from "./wishes.ts";

/** What the callers of a fetch want together. */
export interface Wanted {
  /** Read at the last moment; undefined when nothing is left to do: somebody has fetched it since it was asked for. */
  take(): Promise<readonly string[] | undefined>;
  /** `missing`: names that the remote does not have. Whoever asked for them has to hear it from the remote itself. */
  done(missing: ReadonlySet<string>): Promise<void>;
}

export interface FetchCaller {
  readonly refs: readonly string[];
  /** For a caller who wants something to be there rather than the newest state: when it is, nothing is fetched. */
  readonly goal?: FetchGoal | undefined;
  /** Ends this caller's wait, and the fetch itself only if nobody else waits for it. */
  readonly signal: AbortSignal;
  /** The fetch with this caller's own credential, when it falls to it. */
  readonly run: (wanted: Wanted, signal: AbortSignal) => Promise<void>;
}

export interface FetchGoal {
  /** Goals of one key are looked at once. */
  readonly key: unknown;
  isReached(): Promise<boolean>;
}

interface Member extends FetchCaller {
  readonly wish: Wish;
}

/*
 *   join ──▶ next ──(nothing runs)──▶ running ──▶ settled
 *             ▲ members come and go      │ members only go; the last one to go ends it
 */
interface SharedFetch {
  readonly members: Set<Member>;
  readonly ending: AbortController;
  leader?: Member | undefined;
  readonly result: Promise<ReadonlySet<string>>;
  readonly settle: (work: Promise<ReadonlySet<string>>) => void;
}

export class FetchQueue {
  readonly #wishes: Wishes;
  #running: SharedFetch | undefined;
  #next: SharedFetch | undefined;

  /** `wishes` is where the processes of this host tell each other what they want. */
  constructor(wishes: Wishes) {
    this.#wishes = wishes;
  }

  get isIdle(): boolean {
    return this.#running === undefined && this.#next === undefined;
  }

  async join(caller: FetchCaller): Promise<void> {
    const wish = await this.#wishes.write(caller.refs);
    try {
      await this.#attend({ ...caller, wish });
    } finally {
      await this.#wishes.remove([wish.name]);
    }
  }

  async #attend(member: Member): Promise<void> {
    for (;;) {
      member.signal.throwIfAborted();
      this.#next ??= sharedFetch();
      const shared = this.#next;
      shared.members.add(member);
      this.#advance();
      try {
        const missing = await staying(shared, member);
        const gone = member.refs.find((ref) => missing.has(ref));
        if (gone === undefined) return;
        throw new GitError("invalid-ref", `the remote has no ref '${gone}'`, { command: "fetch" });
      } catch (error) {
        // It was done with somebody else's credential: that it was refused says nothing about ours.
        if (shared.leader === member || !isRefusal(error)) throw error;
      }
    }
  }

  #advance(): void {
    if (this.#running !== undefined) return;
    const shared = this.#next;
    this.#next = undefined;
    const [leader] = shared?.members ?? [];
    if (shared === undefined || leader === undefined) return; // or all have left
    shared.leader = leader;
    this.#running = shared;
    const work = this.#run(shared, leader).finally(() => {
      this.#running = undefined;
      this.#advance();
    });
    shared.settle(work);
  }

  async #run({ members, ending }: SharedFetch, leader: Member): Promise<ReadonlySet<string>> {
    let taken: readonly Wish[] = [];
    let missing: ReadonlySet<string> = new Set();
    const wanted: Wanted = {
      take: async () => {
        const wishes = await this.#wishes.read();
        const open = new Set(wishes.map(({ name }) => name));
        const own = [...members].filter(({ wish }) => open.has(wish.name));
        if (await areContent(own)) return undefined;
        taken = wishes;
        return [...new Set(wishes.flatMap(({ refs }) => refs))].sort();
      },
      done: async (absent) => {
        missing = absent;
        const fulfilled = taken.filter(({ refs }) => !refs.some((ref) => absent.has(ref)));
        await this.#wishes.remove(fulfilled.map(({ name }) => name));
      },
    };
    await leader.run(wanted, ending.signal);
    return missing;
  }
}

function sharedFetch(): SharedFetch {
  let settle: SharedFetch["settle"] = () => {};
  const result = new Promise<ReadonlySet<string>>((resolve) => {
    settle = resolve;
  });
  result.catch(() => {}); // whoever joined hears of it; they may all have left
  return { members: new Set(), ending: new AbortController(), result, settle };
}

/** The last to leave takes the fetch along, and goes when its processes have gone. */
async function staying(shared: SharedFetch, member: Member): Promise<ReadonlySet<string>> {
  const { signal } = member;
  let onAbort = () => {};
  const left = new Promise<"left">((resolve) => {
    onAbort = () => resolve("left");
    signal.addEventListener("abort", onAbort, { once: true });
  });
  const outcome = await Promise.race([shared.result, left]).finally(() =>
    signal.removeEventListener("abort", onAbort),
  );
  if (outcome !== "left") return outcome;
  shared.members.delete(member);
  if (shared.members.size === 0 && shared.leader !== undefined) {
    shared.ending.abort(signal.reason);
    await shared.result.catch(() => {}); // what it came to is told to nobody: this caller has its own reason
  }
  throw signal.reason;
}

async function areContent(members: readonly Member[]): Promise<boolean> {
  if (members.some(({ goal }) => goal === undefined)) return false;
  const goals = new Map(members.flatMap(({ goal }) => (goal ? [[goal.key, goal] as const] : [])));
  for (const goal of goals.values()) if (!(await goal.isReached())) return false;
  return true;
}

function isRefusal(error: unknown): boolean {
  if (error instanceof AddressError) return true; // nor what addresses it may reach
  return error instanceof GitError && ["auth", "not-found"].includes(error.code);
}
