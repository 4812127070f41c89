// A minute's worth at once, then as fast as it fills; each app for itself.
import { expect, test } from "vitest";
import { AppRequestLimit } from "./app-request-limit.ts";

test("what is too much is refused with the time to wait, and apps do not wait for each other", () => {
  let nowMs = 0;
  const limit = new AppRequestLimit(60, () => nowMs);
  const isLetIn = (app: string) => {
    try {
      limit.count(app);
      return true;
    } catch (error) {
      expect(error).toMatchObject({
        code: "too-many-requests",
        details: { retryAfterSeconds: 1 },
      });
      return false;
    }
  };
  expect(Array.from({ length: 61 }, () => isLetIn("a")).filter(Boolean)).toHaveLength(60);
  expect(isLetIn("b")).toBe(true);
  nowMs += 999;
  expect(isLetIn("a")).toBe(false);
  nowMs += 1;
  expect([isLetIn("a"), isLetIn("a")]).toEqual([true, false]);
});

test("who has not asked for a while is forgotten", () => {
  let nowMs = 0;
  const limit = new AppRequestLimit(1, () => nowMs);
  for (let app = 0; app < 100; app++) limit.count(String(app));
  nowMs += 60_000;
  limit.count("another");
  expect(limit.size).toBe(1);
});
