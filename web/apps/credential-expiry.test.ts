// The end of a credential is told a week before.
import { expect, test } from "vitest";
import { expiryOf } from "./credential-expiry.ts";

test("none, later, soon, over", () => {
  const now = new Date("2026-11-16T12:00:00Z");
  expect(expiryOf({ expires_at: null }, now)).toBe("none");
  expect(expiryOf({ expires_at: "2026-12-16T12:00:00Z" }, now)).toBe("later");
  expect(expiryOf({ expires_at: "2026-11-20T12:00:00Z" }, now)).toBe("soon");
  expect(expiryOf({ expires_at: "2026-11-16T12:00:00Z" }, now)).toBe("over");
});
