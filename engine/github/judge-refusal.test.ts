// What GitHub's refusals mean, and how long nothing is asked after them.
import { expect, test } from "vitest";
import { judgeRefusal } from "./judge-refusal.ts";

const NOW = Date.parse("2026-11-18T08:00:00Z");
const refused = (status: number, headers: Record<string, string> = {}) =>
  judgeRefusal({ what: "GET /x", status, headers, message: "", now: NOW });

test.each([
  ["90", 90_000],
  ["Wed, 18 Nov 2026 08:02:00 GMT", 120_000],
  ["999999", 65 * 60_000],
  ["soon", undefined],
])(
  "a 503 with 'Retry-After: %s' is GitHub's own fault, waited out so long",
  (said, retryAfterMs) => {
    const error = refused(503, { "retry-after": said });
    expect(error).toMatchObject({ code: "github-unavailable", status: 503, isRateLimit: false });
    expect(error.retryAfterMs).toBe(retryAfterMs);
  },
);

test("of other faults of its own GitHub names no time; of limits it does", () => {
  expect(refused(502, { "retry-after": "90" }).retryAfterMs).toBeUndefined();
  expect(refused(503).retryAfterMs).toBeUndefined();
  const limited = { code: "github-rate-limit", retryAfterMs: 90_000 };
  expect(refused(403, { "retry-after": "90" })).toMatchObject(limited);
  expect(refused(429)).toMatchObject({ ...limited, retryAfterMs: 60_000 });
  expect(refused(403)).toMatchObject({ code: "github-no-access" });
});
