// Why a delivery waits is told by what stands in its way first.
import type { Delivery } from "@croft/contract";
import { expect, test } from "vitest";
import { deliverySummary, outcomeWords, whyWaiting } from "./describe-delivery.ts";

const now = new Date("2026-11-16T12:00:00Z");
const later = "2026-11-16T12:05:00Z";
const delivery: Delivery = {
  ...{ id: "d", app: "a", watch: "w", url: "https://example.com/docs", type: "files.changed" },
  ...{ state: "pending", commit: "c", files: 3, first_path: "a.md", attempt: 0, waits: false },
  ...{ status_code: null, error: null, due_at: null, replay_of: null, settled_at: null },
  created_at: "2026-11-16T11:00:00Z",
};
const endpoint = { state: "open", failures: 0, closed_until: null, gone_at: null } as const;
const app = { paused: false, base_url: "https://example.com", endpoint, delivery_slots: 4 };
const watch = { held: false };

test("what stands in the way first is told", () => {
  const why = (change: Partial<Delivery>, surroundings = { app, watch }) =>
    whyWaiting({ ...delivery, ...change }, surroundings, now);
  expect(why({}).words).toContain("It is due. At most 4");
  expect(why({ due_at: later })).toMatchObject({ until: later });
  expect(why({ due_at: later, waits: true }).words).toContain("earlier message");
  const closed = { ...endpoint, state: "closed", closed_until: later } as const;
  const resting = { app: { ...app, endpoint: closed }, watch };
  expect(whyWaiting(delivery, resting, now)).toMatchObject({ until: later });
  expect(why({}, { app: { ...app, paused: true }, watch }).words).toContain("paused");
  expect(why({}, { app, watch: { held: true } }).words).toContain("credential");
  expect(why({ files: 0 }, { app, watch: { held: true } }).words).toContain("due");
  const gone = { app: { ...app, paused: true, endpoint: { ...endpoint, state: "gone" } as const } };
  expect(whyWaiting(delivery, { ...gone, watch }, now).words).toContain("410");
  expect(whyWaiting(delivery, { app: undefined, watch: undefined }, now).words).toContain("due");
});

test("a row says what it is about and what was answered", () => {
  expect(deliverySummary(delivery)).toBe("a.md and 2 more");
  expect(deliverySummary({ ...delivery, files: 1 })).toBe("a.md");
  expect(deliverySummary({ ...delivery, files: 0, first_path: null })).toContain("Nothing is left");
  expect(deliverySummary({ ...delivery, type: "new.type" })).toBe("new.type");
  expect(outcomeWords(delivery)).toBe("not tried yet");
  expect(outcomeWords({ ...delivery, attempt: 2, status_code: 500 })).toBe("500, try 2");
  const error = { code: "ECONNREFUSED", message: "refused" };
  expect(outcomeWords({ ...delivery, attempt: 1, error })).toBe("ECONNREFUSED");
});
