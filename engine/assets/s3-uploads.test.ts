// Files that are sent to a bucket in parts: what breaks off in the middle leaves nothing, what is on its way is left alone.
import { randomBytes } from "node:crypto";
import { readdirSync, readlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { driverScene } from "../../test/support/asset-drivers.ts";
import { startEngineProcess } from "../../test/support/engine-process.ts";
import { startS3WithUploads, type UploadFaults } from "../../test/support/s3-uploads.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { checkAssets } from "./check-assets.ts";
import { recordAsset } from "./store-asset.ts";
import { sweepAssets } from "./sweep-assets.ts";

const BYTES = 20 * 1024 * 1024;
const NEW = { owner: "local", kind: "artifact", name: "a" } as const;

/** Of this process, below a directory; those that were removed while they were open too. */
function openFiles(root: string): string[] {
  return readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`);
      return path.startsWith(root) ? [path] : [];
    } catch {
      return []; // closed meanwhile
    }
  });
}

test("uploads that fail in the middle leave no open file, and after the sweep nothing in the bucket", async () => {
  const faults: UploadFaults = { parts: "refused", giveUps: "refused" };
  const { flags, unfinished } = await startS3WithUploads(faults);
  const { assets, store, staged, root, inStore, query } = await driverScene(flags);
  for (let round = 0; round < 3; round++) {
    await expect(store(randomBytes(BYTES))).rejects.toMatchObject({ code: "unreachable" });
  }
  await waitUntil("the end of what was begun", () => openFiles(root).length === 0);
  expect([staged(), await query("select from croft.asset_claim")]).toEqual([[], []]);
  expect(unfinished()).toHaveLength(3);
  delete faults.giveUps;
  const { unfinished: swept } = await sweepAssets(assets);
  for (const place of swept) expect(place).toMatch(/^s3:\/\/assets\/croft\/files\//);
  expect([swept.length, unfinished(), await inStore()]).toEqual([3, [], []]);
  expect(await query("select bytes::int from croft.asset_usage")).toEqual([{ bytes: 0 }]);

  delete faults.parts;
  const stored = await store(randomBytes(BYTES));
  expect([unfinished(), await inStore()]).toEqual([[], [stored.sha256]]);
});

test("an upload that is given up gives up its parts", async () => {
  const faults: UploadFaults = {};
  const { flags, unfinished, waiting } = await startS3WithUploads(faults);
  const { store, root } = await driverScene(flags);
  const controller = new AbortController();
  let open = () => {};
  faults.parts = new Promise((resolve) => {
    open = resolve;
  });
  const storing = store(randomBytes(2 * BYTES), { signal: controller.signal }); // more than is sent at once
  await waitUntil("two parts on their way", () => waiting() === 2);
  controller.abort(new Error("cancelled"));
  await expect(storing).rejects.toThrow("cancelled");
  await waitUntil("the end of its file", () => openFiles(root).length === 0);
  open();
  await waitUntil("the end of its parts", () => unfinished().length === 0);
});

test("a sweep leaves alone what is on its way, and takes what a killed process had begun", async () => {
  const faults: UploadFaults = {};
  const { flags, unfinished } = await startS3WithUploads(faults);
  const { engine, assets, store, inStore, age, read } = await driverScene(flags);
  let open = () => {};
  faults.parts = new Promise((resolve) => {
    open = resolve;
  });
  const sending = `await croft.storeStream(engine.assets, [Buffer.alloc(${BYTES}, 1)]);`;
  const child = startEngineProcess(engine.config, sending);
  await waitUntil("its beginning", () => unfinished().length === 1);
  await child.kill();
  expect(await sweepAssets(assets)).toMatchObject({ removed: [] });
  expect(unfinished()).toHaveLength(1); // it might still record it
  await age("2 hours");
  const storing = store(Buffer.alloc(BYTES, "x"));
  await waitUntil("another", () => unfinished().length === 2);
  await sweepAssets(assets);
  const [left, ...others] = unfinished();
  expect(others).toEqual([]);
  open();
  const stored = await storing;
  expect(left).toContain(`/${stored.sha256}.${stored.generation}`);
  const { id } = await recordAsset(engine.database.pool, stored, NEW);
  expect(await read(id)).toHaveLength(BYTES);
  expect([unfinished(), await inStore()]).toEqual([[], [stored.sha256]]);
  expect(await checkAssets(assets)).toEqual({ unknown: [], missing: [] });
});
