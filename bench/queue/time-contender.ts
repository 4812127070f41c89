// One contender's turn: how fast jobs get in, how fast they are worked off, and how soon one starts when nothing else does.
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { amount } from "../quick.ts";
import type { Contender } from "./contender.ts";

export interface ContenderRound {
  readonly enqueuePerS: number;
  readonly drainPerS10: number;
  readonly drainPerS50: number;
  readonly latenciesMs: readonly number[];
}

const JOBS = amount(20_000);
const WARM_UP = amount(2000);
const ENQUEUES = amount(4000);
const IN_FLIGHT = 10;
const LATENCIES = amount(300);
const LATENCY_WARM_UP = 20;
const LATENCY_SLOTS = 10;
/** Longer than any worker needs to get idle again. */
const PAUSE_MS = 10;
const DRAIN_LIMIT_MS = 5 * 60_000;

export async function timeContender(contender: Contender): Promise<ContenderRound> {
  const jobs = Math.ceil(JOBS * contender.share);
  const enqueues = Math.ceil(ENQUEUES * contender.share);
  const enqueuePerS = await timeEnqueue(contender, enqueues);
  await contender.fill(jobs + WARM_UP - enqueues);
  const drainPerS10 = await timeDrain(contender, 10, jobs);
  await contender.tidy();
  await contender.fill(jobs + WARM_UP);
  const drainPerS50 = await timeDrain(contender, 50, jobs);
  await contender.tidy();
  const latenciesMs = await timeLatency(contender, Math.ceil(LATENCIES * contender.share));
  await contender.tidy();
  return { enqueuePerS, drainPerS10, drainPerS50, latenciesMs };
}

async function timeEnqueue(contender: Contender, jobs: number): Promise<number> {
  let sent = 0;
  const startedAt = performance.now();
  const sendOn = async () => {
    while (sent < jobs) {
      sent++;
      await contender.enqueue();
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, sendOn));
  return perSecond(jobs, performance.now() - startedAt);
}

/** All are queued before the first starts; the clock starts when the warm-up is through. */
async function timeDrain(contender: Contender, slots: number, jobs: number): Promise<number> {
  let begun = 0;
  let startedAt = Number.NaN;
  let allBegun = () => {};
  const whenAllBegun = new Promise<void>((resolve) => {
    allBegun = resolve;
  });
  const workers = await contender.work(slots, () => {
    begun++;
    if (begun === WARM_UP) startedAt = performance.now();
    if (begun === WARM_UP + jobs) allBegun();
  });
  const limit = new AbortController();
  try {
    await Promise.race([
      whenAllBegun,
      delay(DRAIN_LIMIT_MS, undefined, { signal: limit.signal }).then(() => {
        throw new Error(`${contender.title} began ${begun} of ${WARM_UP + jobs} jobs`);
      }),
    ]);
    while ((await contender.left()) > 0) await delay(1);
    return perSecond(jobs, performance.now() - startedAt);
  } finally {
    limit.abort();
    await workers.close();
  }
}

/** From the call that enqueues to the call of the handler, one at a time. */
async function timeLatency(contender: Contender, jobs: number): Promise<number[]> {
  let begun = (_atMs: number) => {};
  const workers = await contender.work(LATENCY_SLOTS, () => begun(performance.now()));
  try {
    const measured: number[] = [];
    for (let job = 0; job < LATENCY_WARM_UP + jobs; job++) {
      await delay(PAUSE_MS);
      const whenBegun = new Promise<number>((resolve) => {
        begun = resolve;
      });
      const sentAt = performance.now();
      await contender.enqueue();
      measured.push((await whenBegun) - sentAt);
    }
    return measured.slice(LATENCY_WARM_UP);
  } finally {
    await workers.close();
  }
}

function perSecond(count: number, ms: number): number {
  return (count / ms) * 1000;
}
