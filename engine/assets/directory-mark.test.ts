// What the database remembers of a directory must be there after a power cut.
import { mkdirSync, readlinkSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { DirectoryMark } from "./directory-mark.ts";

/** Directories as they are synced. Done as ever, and noted: no test can cut the power. */
async function noteSyncs(): Promise<string[]> {
  const synced: string[] = [];
  const any = await open("/", "r");
  const prototype: FileHandle = Object.getPrototypeOf(any);
  await any.close();
  const { sync } = prototype;
  const spy = vi.spyOn(prototype, "sync").mockImplementation(async function (this: FileHandle) {
    await sync.call(this);
    const path = readlinkSync(`/proc/self/fd/${this.fd}`);
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) synced.push(path);
  });
  onTestFinished(() => spy.mockRestore());
  return synced;
}

async function emptyStore(): Promise<string> {
  const path = join(await scratchDirectory(), "assets");
  mkdirSync(join(path, "staging"), { recursive: true });
  return path;
}

test("a mark is on disk before anybody hears of it, with the directory it is in", async () => {
  const path = await emptyStore();
  const synced = await noteSyncs();
  const mark = new DirectoryMark(path);
  expect(await mark.provide("store-id", "one")).toBe("one");
  expect(synced).toEqual([path, dirname(path)]);
});

test("one that is there stays, and is made safe: who made it may have died before", async () => {
  const path = await emptyStore();
  await new DirectoryMark(path).provide("store-id", "one");
  const synced = await noteSyncs();
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
