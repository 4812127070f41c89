// Ids that were seen: kept over a crash, forgotten after some days, and never more than so many.
import { appendFileSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { scratchDirectory } from "../test/support/scratch-directory.ts";
import { FileSeenIds, type SeenLimits } from "./file-seen-ids.ts";

function open(directory: string, limits?: SeenLimits): FileSeenIds {
  const seen = new FileSeenIds(directory, limits);
  onTestFinished(() => seen.close());
  return seen;
}

test("an id is there for the next process, without anything having been closed", async () => {
  const directory = await scratchDirectory();
  const seen = open(directory);
  expect(seen.has("msg_1")).toBe(false);
  seen.add("msg_1");
  seen.add("msg_2");
  const next = open(directory);
  expect([next.has("msg_1"), next.has("msg_2"), next.has("msg_"), next.has("")]).toEqual([
    ...[true, true, false, false],
  ]);
});

test("an id that was cut off in the middle of writing is none, and does not harm the next", async () => {
  const directory = await scratchDirectory();
  open(directory).add("msg_1");
  const [name = ""] = readdirSync(directory);
  appendFileSync(join(directory, name), "\nmsg_cut-o");
  const second = open(directory);
  expect(second.has("msg_cut-o")).toBe(false);
  second.add("msg_2");
  const third = open(directory);
  expect([third.has("msg_1"), third.has("msg_2")]).toEqual([true, true]);
});

test("of many ids the latest are kept, in memory and on disk", async () => {
  const directory = await scratchDirectory();
  const seen = open(directory, { idsMax: 80 });
  for (let number = 0; number < 1000; number++) seen.add(`msg_${number}`);
  for (const kept of [seen, open(directory, { idsMax: 80 })]) {
    const numbers = Array.from({ length: 1000 }, (_, number) => number);
    const known = numbers.filter((number) => kept.has(`msg_${number}`));
    expect(known.length).toBeGreaterThanOrEqual(80);
    expect(known.length).toBeLessThanOrEqual(90);
    expect(known[0]).toBe(1000 - known.length);
  }
  const lines = readdirSync(directory).flatMap((name) =>
    readFileSync(join(directory, name), "utf8").split("\n").filter(Boolean),
  );
  expect(lines.length).toBeLessThanOrEqual(90);
});

test("after some days ids are forgotten", async () => {
  const directory = await scratchDirectory();
  open(directory).add("msg_old");
  const [name = ""] = readdirSync(directory);
  const nineDaysAgo = Date.now() - 9 * 86_400_000;
  renameSync(join(directory, name), join(directory, `${nineDaysAgo}.ids`));
  const seen = open(directory);
  seen.add("msg_new");
  expect([seen.has("msg_old"), seen.has("msg_new")]).toEqual([false, true]);
  expect(readdirSync(directory)).toHaveLength(1);
});
