// The server's address is found while it is announced, and nobody withdraws another one's.
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { announceServer, findServer, withdrawServer } from "./server-address.ts";

test("an announced server is found with its pid, until it withdraws", async () => {
  const run = await scratchDirectory();
  await announceServer(run, "http://127.0.0.1:4747");
  expect(await findServer(run)).toMatchObject({ url: "http://127.0.0.1:4747", pid: process.pid });
  await withdrawServer(run);
  expect(await findServer(run)).toBeUndefined();
  expect(await readdir(run)).toEqual([]);
});

test("a later announcement replaces the earlier one", async () => {
  const run = await scratchDirectory();
  await announceServer(run, "http://127.0.0.1:1");
  await announceServer(run, "http://127.0.0.1:2");
  expect((await findServer(run))?.url).toBe("http://127.0.0.1:2");
});

test("the announcement of another process is left alone", async () => {
  const run = await scratchDirectory();
  const other = { url: "http://127.0.0.1:4748", pid: process.pid + 1, processStart: "1" };
  await writeFile(join(run, "server.json"), JSON.stringify(other));
  await withdrawServer(run);
  expect(await readdir(run)).toEqual(["server.json"]);
});

test.each([
  ["a process that is gone", { pid: 2 ** 22 + 1, processStart: "1" }],
  ["a process that got the number later", { pid: process.pid, processStart: "1" }],
])("what %s left behind is no server: its port may be another user's now", async (_what, left) => {
  const run = await scratchDirectory();
  await writeFile(join(run, "server.json"), JSON.stringify({ url: "http://127.0.0.1:1", ...left }));
  expect(await findServer(run)).toBeUndefined();
});

test("a file cut off in the middle is no announcement", async () => {
  const run = await scratchDirectory();
  await writeFile(join(run, "server.json"), '{"url');
  expect(await findServer(run)).toBeUndefined();
  await withdrawServer(run);
});

test("where nothing was announced there is nothing to find or withdraw", async () => {
  const run = await scratchDirectory();
  await withdrawServer(run);
  expect(await findServer(run)).toBeUndefined();
});
