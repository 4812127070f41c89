// What the database remembers of a directory must be there after a power cut.
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { DirectoryMark } from "./directory-mark.ts";

const synced = vi.hoisted((): string[] => []);
/** Done as ever, and noted: no test can cut the power. */
vi.mock(import("../data-directory/sync-directory.ts"), async (original) => {
  const { syncDirectory } = await original();
  return {
    syncDirectory: async (path) => {
      await syncDirectory(path);
      synced.push(path);
    },
  };
});
beforeEach(() => void synced.splice(0));

async function emptyStore(): Promise<string> {
  const path = join(await scratchDirectory(), "assets");
  mkdirSync(join(path, "staging"), { recursive: true });
  return path;
}

test("a mark is on disk before anybody hears of it, with the directory it is in", async () => {
  const path = await emptyStore();
  const mark = new DirectoryMark(path);
  expect(await mark.provide("store-id", "one")).toBe("one");
  expect(synced).toEqual([path, dirname(path)]);
});

test("one that is there stays, and is made safe: who made it may have died before", async () => {
  const path = await emptyStore();
  await new DirectoryMark(path).provide("store-id", "one");
  synced.splice(0);
  expect(await new DirectoryMark(path).provide("store-id", "two")).toBe("one");
  expect(synced).toEqual([path, dirname(path)]);
});

test("of several that begin at once all hear the same", async () => {
  const mark = new DirectoryMark(await emptyStore());
  const texts = Array.from({ length: 8 }, (_, nth) => `mark ${nth}`);
  const heard = await Promise.all(texts.map((text) => mark.provide("store-id", text)));
  expect(new Set(heard).size).toBe(1);
  expect(await mark.read("store-id")).toBe(heard[0]);
});
