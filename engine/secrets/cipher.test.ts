// A sealed value opens with its key in its place, and in no other way.
import { expect, test } from "vitest";
import { keyOf, newKey, type SealedPlace, seal, unseal } from "./cipher.ts";

const PLACE: SealedPlace = ["secret", "row-1", "app:1", "TOKEN"];
const key = newKey();

test.each(["hunter2!", "Zürich 🌍\n".repeat(50), "a".repeat(65_536)])(
  "what goes in comes out",
  (text) => {
    const sealed = seal(key, PLACE, text);
    expect(unseal(key, PLACE, sealed)).toBe(text);
    expect(sealed.includes(text)).toBe(false);
  },
);

test("the same value is never sealed the same way twice", () => {
  const sealed = new Set(Array.from({ length: 100 }, () => seal(key, PLACE, "v").toString("hex")));
  expect(sealed.size).toBe(100);
});

test("a change of any byte, and any cut, is noticed, and the error tells nothing of the value", () => {
  const sealed = seal(key, PLACE, "hunter2-hunter2");
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => unseal(key, PLACE, changed)).toThrow(/secret 'row-1' cannot be decrypted/);
    expect(() => unseal(key, PLACE, sealed.subarray(0, at))).toThrow(/cannot be decrypted/);
  }
  try {
    unseal(newKey(), PLACE, sealed);
    expect.unreachable();
  } catch (error) {
    expect(error).toMatchObject({ code: "damaged" });
    expect((error as Error).cause).toBeUndefined();
    expect(String((error as Error).stack)).not.toContain("hunter2");
  }
});

test.each<SealedPlace>([
  ["credential", "row-1", "app:1", "TOKEN"],
  ["secret", "row-2", "app:1", "TOKEN"],
  ["secret", "row-1", "app:2", "TOKEN"],
  ["secret", "row-1", "app:1", "OTHER"],
  ["secret", "row-1", "app:1", "TOKEN", ""],
  ["secret", "row-1", 'app:1","TOKEN'],
])("in another place it does not open: %s, %s, %s, %s", (...place) => {
  expect(() => unseal(key, place as unknown as SealedPlace, seal(key, PLACE, "v"))).toThrow();
});

test("the id of a key follows from the key", () => {
  expect(keyOf(Buffer.from(key.bytes))).toEqual(key);
  expect(newKey().id).not.toBe(key.id);
  expect(key.bytes.toString("hex")).not.toContain(key.id);
});
