// How many jobs a worker takes, in which order they begin, and what becomes of those that have not begun.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Hand } from "./hand.ts";
import type { AttemptResult, ClaimedJob, StopReason } from "./run-attempt.ts";

const SLOTS = 2;
const AHEAD = 2 * SLOTS;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

function job(id: string, priority = 1): ClaimedJob {
  const place = { owner: "local", key: "", lane_id: "lane", type: "test", class: priority };
  return { id, ...place, attempt: 1, timeout_ms: null, input: {}, source_task_id: null };
}

function scene(slots = SLOTS) {
  const begun: string[] = [];
  const stopped: [string, StopReason][] = [];
  const lows: boolean[] = [];
  const ends = new Map<string, () => void>();
  const hand = new Hand({
    slots,
    begin: ({ id, owner, lane_id, attempt }) => {
      begun.push(id);
      const ended = new Promise<AttemptResult>((resolve) => {
        ends.set(id, () => resolve({ id, owner, lane_id, attempt, outcome: "done" }));
      });
      const stop = (reason: StopReason) => {
        stopped.push([id, reason]);
        ends.get(id)?.();
      };
      return { ended, stop };
    },
    onEnded: (isLow) => lows.push(isLow),
  });
  const end = async (id: string, afterMs = 0) => {
    vi.advanceTimersByTime(afterMs);
    ends.get(id)?.();
    await Promise.resolve();
    await Promise.resolve();
  };
  /** Two short jobs: from now on it takes some ahead. */
  const beShort = async () => {
    hand.take([job("s1"), job("s2")]);
    await end("s1");
    await end("s2");
    hand.takeResults();
    begun.length = 0;
  };
  const told = () => hand.takeResults().map(({ id, outcome }) => [id, outcome]);
  return { hand, begun, stopped, lows, end, beShort, told };
}

test("it takes as many as it has slots, until as many in a row were short", async () => {
  const { hand, end } = scene();
  expect(hand.room).toBe(SLOTS);
  hand.take([job("a"), job("b")]);
  expect([hand.room, hand.runningCount]).toEqual([0, 2]);
  await end("a");
  expect(hand.room).toBe(1);
  await end("b", 50);
  expect(hand.room).toBe(SLOTS); // one of two was not short
  hand.takeResults();
  hand.take([job("c"), job("d")]);
  await end("c");
  await end("d");
  expect(hand.room).toBe(SLOTS + AHEAD);
  hand.takeResults();
  hand.take([job("e"), job("f"), job("g")]);
  expect([hand.room, hand.freeSlots]).toEqual([AHEAD - 1, 0]);
});

test("with one slot nothing is taken ahead", async () => {
  const { hand, end } = scene(1);
  for (const id of ["a", "b", "c"]) {
    hand.take([job(id)]);
    await end(id);
    hand.takeResults();
  }
  expect(hand.room).toBe(1);
});

test("what comes while there are results to tell gets in line, and begins while they are told", async () => {
  const { hand, begun, lows, end, told } = scene();
  hand.take([job("a"), job("b")]);
  await end("a");
  lows.length = 0;
  hand.take([job("c")]);
  expect(begun).toEqual(["a", "b"]);
  expect(lows).toEqual([true]); // a turn that takes the results is asked for, and has it begin
  expect([hand.room, hand.ids()]).toEqual([0, ["b", "c"]]);
  expect(told()).toEqual([["a", "done"]]);
  hand.begin();
  expect(begun).toEqual(["a", "b", "c"]);
  hand.begin();
  expect(hand.runningCount).toBe(SLOTS);
});

test("what waits begins when a slot is free, the more urgent first", async () => {
  const { hand, begun, end, beShort } = scene();
  await beShort();
  hand.take([job("a"), job("b"), job("c", 0), job("d", 1)]);
  hand.take([job("e", 2)]);
  expect(begun).toEqual(["a", "b"]);
  expect(hand.ids().sort()).toEqual(["a", "b", "c", "d", "e"]);
  await end("a");
  await end("b");
  expect(begun).toEqual(["a", "b", "e", "d"]);
  await end("e");
  expect(begun.at(-1)).toBe("c");
});

test("it asks for more when little waits, not at every end", async () => {
  const { hand, lows, end, beShort } = scene();
  await beShort();
  lows.length = 0;
  hand.take(["a", "b", "c", "d", "e", "f"].map((id) => job(id)));
  await end("a");
  await end("b");
  expect(lows).toEqual([false, true]);
});

test("what finds no slot in time goes back, and nothing is taken ahead any more", async () => {
  const { hand, begun, beShort, told, lows } = scene();
  await beShort();
  hand.take([job("a"), job("b"), job("c"), job("d")]);
  vi.advanceTimersByTime(60);
  expect(told()).toEqual([]); // seen once
  lows.length = 0;
  vi.advanceTimersByTime(60);
  expect(told()).toEqual([
    ["c", "drained"],
    ["d", "drained"],
  ]);
  expect(lows).toEqual([true]);
  expect([hand.room, begun]).toEqual([0, ["a", "b"]]);
});

test("cancelled: what runs by its signal, what waits at once, what is elsewhere not", async () => {
  const { hand, beShort, stopped, told } = scene();
  await beShort();
  hand.take([job("a"), job("b"), job("c")]);
  expect(hand.stop("a", "cancelled")).toBe(true);
  expect(stopped).toEqual([["a", "cancelled"]]);
  expect(hand.stop("c", "cancelled")).toBe(true);
  expect(told()).toEqual([["c", "cancelled"]]);
  expect(hand.stop("x", "cancelled")).toBe(false);
});

test("closed, it gives back what has not begun, also what comes late", async () => {
  const { hand, beShort, told, end } = scene();
  await beShort();
  hand.take([job("a"), job("b"), job("c")]);
  hand.close();
  expect(told()).toEqual([["c", "drained"]]);
  hand.take([job("d")]);
  expect(told()).toEqual([["d", "drained"]]);
  expect([hand.room, hand.freeSlots, hand.isEmpty]).toEqual([0, 0, false]);
  await end("a");
  await end("b");
  expect(hand.isEmpty).toBe(false);
  hand.putBack(hand.takeResults());
  expect(told()).toEqual([
    ["a", "done"],
    ["b", "done"],
  ]);
  expect(hand.isEmpty).toBe(true);
});

test("what is lost is stopped, and nothing is told of it", async () => {
  const { hand, beShort, stopped, told, begun } = scene();
  await beShort();
  hand.take([job("a"), job("b"), job("c")]);
  await hand.abandon();
  expect(stopped).toEqual([
    ["a", "lost"],
    ["b", "lost"],
  ]);
  expect([told(), begun]).toEqual([[], ["a", "b"]]);
  vi.advanceTimersByTime(1000);
  expect(told()).toEqual([]);
});
