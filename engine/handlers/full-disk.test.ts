// A disk that is full where a handler works: its job fails and says so, and the next one works when there is room again.
import { statfsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { handlerScene } from "../../test/support/handler-scene.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { mountSmallDisk } from "../../test/support/small-disk.ts";

const isRoot = process.getuid?.() === 0;
const handlers = {
  big: "async ({ assets }) => { await assets.put('big', Buffer.alloc(5e6, 1)); }",
  stream: `async ({ assets }) => {
    const pieces = async function* () { for (let n = 0; n < 50; n++) yield Buffer.alloc(1e5, n); };
    await assets.put('big', pieces());
  }`,
};

test.skipIf(!isRoot).each([
  ["where the assets are kept", "big", "assets.path"],
  ["where the data is kept", "big", "data"],
  ["where the data is kept, by a stream", "stream", "data"],
])("%s", async (_where, type, setting) => {
  const disk = mountSmallDisk(join(await scratchDirectory(), "disk"), { sizeMiB: 32 });
  const elsewhere = join(await scratchDirectory(), "assets");
  const place = { "assets.path": elsewhere, [setting]: join(disk.path, "here") };
  const flags = { ...place, "disk.reserveBytes": "2000000" };
  const own = await handlerScene({ handlers, flags });
  disk.fill(3_000_000);
  expect(await own.run(type)).toMatchObject({
    status: "failed",
    error: {
      ...{ code: "asset-disk-full", class: "transient" },
      message: expect.stringContaining("the disk is full but for 2000000 bytes"),
    },
  });
  const { bavail, bsize } = statfsSync(disk.path);
  expect(bavail * bsize).toBeGreaterThan(2_000_000);
  disk.free();
  expect(await own.run(type)).toMatchObject({ status: "done" });
});
