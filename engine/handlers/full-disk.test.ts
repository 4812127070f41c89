// A disk that is full where a handler works: its job fails and says so, and the next one works when there is room again.
import { join } from "node:path";
import { expect, test } from "vitest";
import { handlerScene } from "../../test/support/handler-scene.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { mountSmallDisk } from "../../test/support/small-disk.ts";

const isRoot = process.getuid?.() === 0;
const handlers = {
  big: "async ({ assets }) => { await assets.put('big', Buffer.alloc(5e6, 1)); }",
};

test.skipIf(!isRoot).each([
  ["the assets are kept", "assets.path", "asset-disk-full"],
  ["the data is kept", "data", "failed"],
])("where %s", async (_where, setting, code) => {
  const disk = mountSmallDisk(join(await scratchDirectory(), "disk"), { sizeMiB: 32 });
  const elsewhere = join(await scratchDirectory(), "assets");
  const flags = { "assets.path": elsewhere, [setting]: join(disk.path, "here") };
  const own = await handlerScene({ handlers, flags });
  disk.fill(1_000_000);
  const job = await own.run("big");
  expect(job).toMatchObject({ status: "failed", error: { code, class: "transient" } });
  expect(job.error?.message).toContain("no space left on device");
  disk.free();
  expect(await own.run("big")).toMatchObject({ status: "done" });
});
