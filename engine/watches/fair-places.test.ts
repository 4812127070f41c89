// Nobody takes all places, and whoever gives up waiting leaves none behind.
import { expect, test } from "vitest";
import { FairPlaces } from "./fair-places.ts";

const { signal } = new AbortController();

test("each has at most half of what the others leave, and there is room for one who has none", async () => {
  const places = new FairPlaces(8);
  const count = async (appId: string) => {
    let taken = 0;
    while ((await places.take(appId, 0, signal)) !== undefined) taken++;
    return taken;
  };
  expect([await count("a"), await count("b"), await count("c"), await count("d")]).toEqual([
    ...[4, 2, 1, 1],
  ]);
  expect(places.isFull).toBe(true);
  expect(places.sated).toEqual(["a", "b", "c", "d"]);
});

test("who waits comes in when another leaves, in turn, and only if it may", async () => {
  const places = new FairPlaces(4);
  const first = [places.enter("a"), places.enter("a")];
  const other = [places.enter("b"), places.enter("c")];
  const entered: string[] = [];
  const waiting = ["a", "d", "e"].map(async (appId) => {
    const leave = await places.take(appId, 60_000, signal);
    entered.push(appId);
    return leave;
  });
  other[0]?.();
  await waiting[1];
  expect(entered).toEqual(["d"]); // a has its half
  first[0]?.();
  first[0]?.(); // once is enough
  await waiting[2];
  expect(entered).toEqual(["d", "e"]);
  for (const leave of [...first, ...other]) leave();
  for (const each of waiting) (await each)?.();
  expect([places.takenBy("a"), places.takenBy("d"), places.isFull]).toEqual([0, 0, false]);
});

test("who is told to stop waiting is not counted any more", async () => {
  const places = new FairPlaces(1);
  const leave = places.enter("a");
  const stopping = new AbortController();
  const waiting = places.take("b", 60_000, stopping.signal);
  stopping.abort();
  await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
  leave();
  expect([places.takenBy("b"), places.isFull]).toEqual([0, false]);
});
