// Whoever takes long does not count any more after a moment, up to a limit of numbers and bytes.
import { expect, test } from "vitest";
import { SendingPlaces } from "./sending-places.ts";

test("those that take long make room for others", () => {
  const places = new SendingPlaces();
  const first = Array.from({ length: 64 }, () => places.take(1000, 0));
  expect(places.roomAt(500)).toBe(0);
  expect(places.untilRoomMs(500)).toBe(500);
  expect(places.roomAt(1000)).toBe(64);
  for (const place of first) places.leave(place);
  expect(places.roomAt(1000)).toBe(64);
});

test("not without end: the next place is free when one of them ends", () => {
  const places = new SendingPlaces();
  const all = Array.from({ length: 5 }, (_, nth) => {
    const taken = Array.from({ length: 64 }, () => places.take(10, nth * 1000));
    places.roomAt((nth + 1) * 1000);
    return taken;
  }).flat();
  expect(places.roomAt(60_000)).toBe(0);
  expect(places.untilRoomMs(60_000)).toBeUndefined();
  const [slow] = all;
  if (slow !== undefined) places.leave(slow);
  expect(places.roomAt(60_000)).toBe(1);
});

test("large bodies stay where they are: they are memory", () => {
  const places = new SendingPlaces();
  for (let nth = 0; nth < 64; nth++) places.take(40 * 1024 * 1024, 0);
  expect(places.roomAt(5000)).toBe(1);
});
