// The line inside one process: in order, and nobody who leaves it early or twice does harm.
import { expect, test } from "vitest";
import { LockQueue } from "./lock-queue.ts";

const LONG_MS = 60_000;

test("leaving twice does nothing: the next but one is not let in beside the next", async () => {
  const queue = new LockQueue();
  const leave = await queue.enter(LONG_MS);
  let isThirdIn = false;
  const second = queue.enter(LONG_MS);
  const third = queue.enter(LONG_MS).then((leaveThird) => {
    isThirdIn = true;
    return leaveThird;
  });
  leave?.();
  leave?.();
  const leaveSecond = await second;
  await new Promise((resolve) => setImmediate(resolve));
  expect(isThirdIn).toBe(false);
  leaveSecond?.();
  (await third)?.();
  expect(queue.isEmpty).toBe(true);
});

test("who gives up in the middle, by time or by signal, leaves the others in their order", async () => {
  const queue = new LockQueue();
  const leave = await queue.enter(LONG_MS);
  const abort = new AbortController();
  const served: number[] = [];
  const gaveUp: Promise<unknown>[] = [];
  const stayed: Promise<unknown>[] = [];
  for (let number = 0; number < 100; number++) {
    const [timeoutMs, signal] =
      number % 3 === 1
        ? [10]
        : [LONG_MS, ...(number % 3 === 2 ? [AbortSignal.any([abort.signal])] : [])];
    const turn = queue.enter(timeoutMs, signal).then((out) => {
      if (out !== undefined) served.push(number);
      out?.();
      return out;
    });
    if (number % 3 === 0) stayed.push(turn);
    else gaveUp.push(turn.catch((reason: unknown) => reason));
  }
  abort.abort("enough");
  const reasons = new Set(await Promise.all(gaveUp));
  expect(reasons).toEqual(new Set([undefined, "enough"]));
  leave?.();
  await Promise.all(stayed);
  expect(served).toEqual(Array.from({ length: 34 }, (_, index) => index * 3));
  expect(queue.isEmpty).toBe(true);
});

test("a signal that was given before is obeyed at once, and nothing stays", async () => {
  const queue = new LockQueue();
  await expect(queue.enter(LONG_MS, AbortSignal.abort("early"))).rejects.toBe("early");
  expect(queue.isEmpty).toBe(true);
});
