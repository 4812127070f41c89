// The reasons for waiting, level by level.
import type { Lane, QueueState } from "@croft/contract";
import { expect, test } from "vitest";
import { type LaneState, laneState, waitingReasons } from "./why-waiting.ts";

const queue: QueueState = {
  ...{ running: 1, limit: null, queued: 3, delayed: 0, slots: 4 },
  owners: [{ owner: "local", running: 1, limit: 10, queued: 3, lanes: 1 }],
};
const lane: Lane = {
  ...{ id: "3a4e1f68-1d54-0f1c-4a10-aaaaaaaaaaaa", owner: "local", key: "deploy", limit: 1 },
  ...{
    has_own_limit: false,
    paused: false,
    running: 1,
    queued: 3,
    used_at: "2026-11-16T00:00:00Z",
  },
};
const fullOwner = { owner: "local", running: 10, limit: 10, queued: 3, lanes: 1 };

test.each<[LaneState, Lane, QueueState]>([
  ["paused", { ...lane, paused: true }, queue],
  ["full", lane, queue],
  ["owner", { ...lane, running: 0 }, { ...queue, owners: [fullOwner] }],
  ["global", { ...lane, running: 0 }, { ...queue, limit: 1 }],
  ["worker", { ...lane, running: 0 }, { ...queue, running: 4 }],
  ["running", { ...lane, queued: 0 }, queue],
  ["idle", { ...lane, queued: 0, running: 0 }, queue],
])("a lane that is %s says so", (state, lane, queue) => {
  expect(laneState(lane, queue)).toBe(state);
});

test("what holds everything up comes first; nothing waits for nothing", () => {
  const dead = waitingReasons({ ...queue, slots: 0 }, [{ ...lane, paused: true }]);
  expect(dead.map(({ subject, tone }) => [subject, tone])).toEqual([
    ["workers", "bad"],
    ["paused", "warn"],
  ]);
  expect(waitingReasons(queue, [lane])[0]?.words).toContain("3 jobs wait");
  expect(waitingReasons({ ...queue, queued: 0 }, [])).toEqual([]);
});
