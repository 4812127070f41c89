// Locks and the ledger of workspaces in whatever order their waits end: never two at once, in order, and nothing stays.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { LockQueue } from "../../git/lock/lock-queue.ts";
import { RepositoryLocks } from "../../git/lock/repository-lock.ts";
import { FileLedger, type LedgerEntry } from "../../git/workspace/ledger.ts";

export interface Interleaving {
  readonly seed: number;
  readonly count: number;
  /** Empty. */
  readonly directory: string;
}

/** What one of several does: whether it gives up while it waits. */
const callers = fc.array(fc.boolean(), { minLength: 2, maxLength: 6 });
const LONG_MS = 60_000;

/** Of one process. */
export async function interleaveQueue({ seed, count }: Interleaving): Promise<void> {
  const property = fc.asyncProperty(fc.scheduler(), callers, async (scheduler, plan) => {
    const queue = new LockQueue();
    const asked: number[] = [];
    const served: number[] = [];
    let inside = 0;
    const come = async (givesUp: boolean, number: number) => {
      await scheduler.schedule(Promise.resolve(), `come ${number}`);
      const abort = new AbortController();
      const giving = givesUp
        ? scheduler.schedule(Promise.resolve(), `give up ${number}`).then(() => abort.abort())
        : undefined;
      asked.push(number);
      const leave = await queue.enter(LONG_MS, abort.signal).catch(() => undefined); // it gave up
      if (leave !== undefined) {
        served.push(number);
        if (++inside > 1) throw new Error("two are inside");
        await scheduler.schedule(Promise.resolve(), `work ${number}`);
        inside--;
        leave();
        leave(); // twice does nothing
      }
      await giving;
    };
    await scheduler.waitFor(Promise.all(plan.map(come)));
    const order = asked.filter((number) => served.includes(number));
    if (order.join() !== served.join()) throw new Error(`came ${asked}, were served ${served}`);
    const patient = plan.flatMap((givesUp, number) => (givesUp ? [] : [number]));
    const left = patient.filter((number) => !served.includes(number));
    if (left.length > 0) throw new Error(`${left} were not served`);
    if (!queue.isEmpty) throw new Error("the line is not empty");
  });
  await fc.assert(property, { seed, numRuns: count });
}

/** Of two that know of each other only by the kernel, as two processes do. */
export async function interleaveLocks({ seed, count, directory }: Interleaving): Promise<void> {
  const repository = join(directory, "repository.git");
  mkdirSync(repository);
  const property = fc.asyncProperty(fc.scheduler(), callers, async (scheduler, plan) => {
    const managers = [0, 1].map(() => new RepositoryLocks(join(directory, "locks")));
    let inside = 0;
    let served = 0;
    const come = async (givesUp: boolean, number: number) => {
      const locks = managers[number % managers.length];
      await scheduler.schedule(Promise.resolve(), `come ${number}`);
      const abort = new AbortController();
      const giving = givesUp
        ? scheduler
            .schedule(Promise.resolve(), `give up ${number}`)
            .then(() => abort.abort("enough"))
        : undefined;
      const work = async () => {
        served++;
        if (++inside > 1) throw new Error("two have the lock");
        await scheduler.schedule(Promise.resolve(), `work ${number}`);
        inside--;
      };
      const request = { purpose: `caller ${number}`, timeoutMs: LONG_MS, signal: abort.signal };
      await locks?.hold(repository, request, work).catch((reason: unknown) => {
        if (reason !== "enough") throw reason;
      });
      await giving;
    };
    await scheduler.waitFor(Promise.all(plan.map(come)));
    const patient = plan.filter((givesUp) => !givesUp).length;
    if (served < patient) throw new Error(`${served} were served of ${patient} who waited`);
    if (managers.some(({ inUse }) => inUse > 0)) throw new Error("a lock stays in memory");
  });
  await fc.assert(property, { seed, numRuns: count });
}

/** An id belongs to one at a time, and whoever looks sees only whole entries. */
export async function interleaveLedger({ seed, count, directory }: Interleaving): Promise<void> {
  const ids = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 2, maxLength: 6 });
  const property = fc.asyncProperty(fc.scheduler(), ids, async (scheduler, wanted) => {
    const place = join(directory, "ledger");
    const ledgers = [new FileLedger(place), new FileLedger(place)];
    const owners = new Map<string, number>();
    const requireEntries = (entries: readonly LedgerEntry[]) => {
      for (const { id, name } of entries as readonly (LedgerEntry & { name?: string })[]) {
        if (name !== `whole ${id}`) throw new Error(`half an entry of '${id}'`);
      }
    };
    const come = async (which: number, number: number) => {
      const ledger = ledgers[number % ledgers.length];
      const id = `w-${which}`;
      const pause = (what: string) => scheduler.schedule(Promise.resolve(), `${what} ${number}`);
      await pause("come");
      const entry = { ...entryOf(id, place), name: `whole ${id}` };
      if ((await ledger?.add(entry)) !== true) return;
      if (owners.has(id)) throw new Error(`'${id}' has two owners`);
      owners.set(id, number);
      await pause("look");
      const seen = (await ledger?.list()) ?? [];
      requireEntries(seen);
      if (!seen.some((each) => each.id === id)) throw new Error(`'${id}' is not in the ledger`);
      await pause("sweep");
      await ledger?.sweep();
      await pause("leave");
      owners.delete(id);
      await ledger?.remove(id);
    };
    await scheduler.waitFor(Promise.all(wanted.map(come)));
    const left = (await ledgers[0]?.list()) ?? [];
    if (left.length > 0) throw new Error(`${left.length} entries are left`);
  });
  await fc.assert(property, { seed, numRuns: count });
}

function entryOf(id: string, place: string): LedgerEntry {
  return {
    ...{ id, kind: "clone", path: join(place, id), repository: "/r.git", owner: "local" },
    process: { pid: process.pid, start: "0" },
    createdAt: new Date(0).toISOString(),
  };
}
