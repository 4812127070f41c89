// The diagnosis proves what it says, always with the same checks, and leaves nothing behind.
import { readdirSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchDirectory } from "../test/support/scratch-directory.ts";
import { diagnoseGit } from "./diagnose-git.ts";

const NAMES = ["disk", "git-version", "git-profile", "lock", "overlay", "sandbox", "job-user"];

test("on a directory that can be used nothing fails and nothing is left", async () => {
  const directory = await scratchDirectory();
  const checks = await diagnoseGit({ directory, isUsable: true });
  expect(checks.map(({ name }) => name)).toEqual(NAMES);
  expect(checks.filter(({ outcome }) => outcome === "failed")).toEqual([]);
  expect(readdirSync(directory)).toEqual([]);
});

test("where nothing can be written the rest is said to be untried", async () => {
  const directory = await scratchDirectory();
  const checks = await diagnoseGit({ directory, isUsable: false });
  expect(checks.map(({ name }) => name)).toEqual(NAMES);
  for (const check of checks.slice(2)) {
    expect(check).toMatchObject({
      outcome: "warning",
      detail: expect.stringMatching(/^not tried/),
    });
  }
});

test("a directory that is not there is no reason to break off", async () => {
  const directory = join(await scratchDirectory(), "nothing");
  for (const isUsable of [true, false]) {
    const checks = await diagnoseGit({ directory, isUsable });
    expect(checks.map(({ name }) => name)).toEqual(NAMES);
    expect(checks[0]).toMatchObject({ outcome: "failed", detail: expect.stringMatching("ENOENT") });
  }
});

test("one that is no longer wanted ends early, and nothing is left", async () => {
  const directory = await scratchDirectory();
  const place = { directory, isUsable: true };
  await expect(diagnoseGit(place, AbortSignal.abort("enough"))).rejects.toBe("enough");
  expect(readdirSync(directory)).toEqual([]);
});

test("a disk on which only the reserve is left is full, and one with little more nearly so", async () => {
  const directory = await scratchDirectory();
  const { bavail, bsize } = statfsSync(directory);
  const diskOf = async (reserveBytes: number) =>
    (await diagnoseGit({ directory, isUsable: false, reserveBytes }))[0];
  const full = { name: "disk", outcome: "failed", detail: expect.stringMatching(/^it is full: /) };
  expect(await diskOf(1024 ** 5)).toMatchObject(full);
  const nearly = { outcome: "warning", detail: expect.stringMatching(/^it is nearly full: /) };
  expect(await diskOf(bavail * bsize - 100 * 1024 ** 2)).toMatchObject(nearly);
});
