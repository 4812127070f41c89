// The local token is made once, for the owner's eyes only.
import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { localTokenPath, provideLocalToken, readLocalToken } from "./local-token.ts";

test("the token is made once and kept", async () => {
  const run = await scratchDirectory();
  const token = await provideLocalToken({ run });
  expect(token).toMatch(/^croft_local_[\w-]{43}$/);
  expect(await provideLocalToken({ run })).toBe(token);
  expect(await readLocalToken(localTokenPath(run))).toBe(token);
});

test("only its owner may read the file", async () => {
  const run = await scratchDirectory();
  await provideLocalToken({ run });
  expect((await stat(localTokenPath(run))).mode & 0o777).toBe(0o600);
});

test("20 starts at the same moment, in step or one after the other, agree on one token and leave no draft", async () => {
  for (let stagger = 0; stagger < 10; stagger++) {
    const run = await scratchDirectory();
    const tokens = Array.from({ length: 20 }, async (_, index) => {
      for (let turn = 0; turn < index * stagger; turn++) await setImmediate();
      return await provideLocalToken({ run });
    });
    expect(new Set(await Promise.all(tokens)).size).toBe(1);
    expect(await readdir(run)).toEqual(["cli-token"]);
  }
});

test("two data directories have two tokens", async () => {
  const first = await provideLocalToken({ run: await scratchDirectory() });
  const second = await provideLocalToken({ run: await scratchDirectory() });
  expect(first).not.toBe(second);
});

test("where there is no file there is no token", async () => {
  expect(await readLocalToken(localTokenPath("/nowhere"))).toBeUndefined();
});

test("a file that cannot be read is an error, not a missing token", async () => {
  const run = await scratchDirectory();
  await mkdir(localTokenPath(run));
  await expect(readLocalToken(localTokenPath(run))).rejects.toMatchObject({ code: "EISDIR" });
});

test("an empty file, as a power cut can leave it, does not become the token and stops no start", async () => {
  const run = await scratchDirectory();
  await writeFile(join(run, "cli-token"), "");
  const starts = Array.from({ length: 20 }, () => provideLocalToken({ run }));
  for (const token of await Promise.all(starts)) expect(token).toMatch(/^croft_local_/);
  expect(await readdir(run)).toEqual(["cli-token"]);
});
