// Room for texts, and what goes when it is used up.
import { expect, test } from "vitest";
import { KeptTexts } from "./kept-texts.ts";

test("the longest unused goes when there is no more room, and the size stays known", () => {
  const kept = new KeptTexts(1000);
  for (const name of ["a", "b", "c"]) expect(kept.keep(name, name.repeat(100))).toHaveLength(100);
  expect(kept.bytes).toBe(900);
  expect(kept.get("a")).toBe("a".repeat(100));
  kept.keep("d", "d");
  expect(kept.get("b")).toBeUndefined();
  expect(kept.get("a")).toBe("a".repeat(100));
  kept.keep("d", "d");
  expect(kept.bytes).toBe(702);
  kept.keep("huge", "x".repeat(10_000));
  expect(kept.bytes).toBe(0);
});
