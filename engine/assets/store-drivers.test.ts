// What every store must do, asked of each: a directory, and a bucket of a real S3-compatible service.
import { randomBytes } from "node:crypto";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { describeError } from "../../server/describe-error.ts";
import { assetDrivers, driverScene } from "../../test/support/asset-drivers.ts";
import { assetsOf, chunksOf, sha256Of } from "../../test/support/asset-scene.ts";
import { S3_SECRET, startS3 } from "../../test/support/s3-server.ts";
import { scratchDatabase } from "../../test/support/scratch-database.ts";
import { engineOn } from "../../test/support/scratch-engine.ts";
import { newId } from "../new-id.ts";
import { checkAssets } from "./check-assets.ts";
import { openAsset } from "./read-assets.ts";
import { removeAssets, storeStream } from "./store-asset.ts";
import { sweepAssets } from "./sweep-assets.ts";

describe.each(assetDrivers)("%s", (_name, driver) => {
  test("stored, read whole and in parts, and kept once however often it comes", async () => {
    const { assets, keep, read, inStore, staged } = await driverScene(await driver());
    const bytes = randomBytes(300_000);
    const asset = await keep(bytes);
    await keep(bytes, { owner: "app:1" });
    const nothing = await keep("");
    expect(await inStore()).toEqual([asset.sha256, nothing.sha256].sort());
    expect(staged()).toEqual([]);
    expect(await buffer((await openAsset(assets, asset)).stream())).toEqual(bytes);
    const part = (await openAsset(assets, asset)).stream({ from: 100, to: 299_999 });
    expect((await buffer(part)).equals(bytes.subarray(100, 299_999))).toBe(true);
    expect(await read(nothing.id)).toBe("");
  });

  test("many parts, as one file", async () => {
    const { assets, keep } = await driverScene(await driver());
    const bytes = Buffer.alloc(20 * 1024 * 1024, randomBytes(997));
    const asset = await keep(bytes);
    expect(asset.sha256).toBe(sha256Of(bytes));
    const opened = (await openAsset(assets, asset)).stream();
    expect(sha256Of(await buffer(opened))).toBe(asset.sha256);
  });

  test("what is too large, or fails, leaves nothing", async () => {
    const { assets, inStore, staged, query } = await driverScene(await driver());
    const large = storeStream(assets, chunksOf("12345", "6789"), { maxBytes: 8 });
    await expect(large).rejects.toMatchObject({ code: "too-large" });
    async function* failing() {
      yield Buffer.from("half");
      throw new Error("cut");
    }
    await expect(storeStream(assets, failing())).rejects.toThrow("cut");
    expect([await inStore(), staged()]).toEqual([[], []]);
    expect(await query("select from croft.asset_file")).toEqual([]);
  });

  test("what nobody has goes, also what no row knows; what a row misses is told, and healed by the same", async () => {
    const own = await driverScene(await driver());
    const { engine, assets, keep, store, inStore, read, age, query, keyOf } = own;
    const [kept, gone, lost] = [await keep("kept"), await keep("gone"), await keep("lost")];
    await store("never recorded");
    await removeAssets(engine.database.pool, [gone.id]);
    await age("2 hours");
    expect((await sweepAssets(assets)).removed.toSorted()).toEqual(
      [gone.sha256, sha256Of("never recorded")].sort(),
    );
    const unknown = await store("unknown");
    await query("delete from croft.asset_claim");
    await query("delete from croft.asset_file where sha256 = decode($1, 'hex')", [unknown.sha256]);
    await (await assets.store()).remove(await keyOf(lost.sha256));
    expect(await checkAssets(assets)).toEqual({
      ...{ unknown: [unknown.sha256], missing: [lost.sha256] },
    });
    expect(await inStore()).toEqual([kept.sha256]);
    await expect(read(lost.id)).rejects.toMatchObject({ code: "asset-lost" });
    await keep("lost");
    expect(await read(lost.id)).toBe("lost");
  });

  test("another place is not taken for the store; the same one is, by several hosts", async () => {
    const url = await scratchDatabase();
    const flags = await driver();
    const first = assetsOf(await engineOn(url, flags));
    const other = assetsOf(await engineOn(url, await driver()));
    const asset = await first.keep("here");
    await expect(engineOn(url, await driver())).rejects.toMatchObject({
      ...{ code: "assets-elsewhere", message: expect.stringContaining("on every host") },
    });
    await expect(other.keep("there")).rejects.toMatchObject({ code: "store-elsewhere" });
    await expect(other.read(asset.id)).rejects.toMatchObject({ code: "unavailable" });
    expect(await checkAssets(other.assets)).toEqual({ unknown: [], missing: [] });
    const same = assetsOf(await engineOn(url, flags));
    expect(await same.read(asset.id)).toBe("here");
    expect(await sweepAssets(same.assets)).toEqual({ removed: [], unfinished: [] });
  });

  test("several processes that begin at once agree on the store", async () => {
    const url = await scratchDatabase();
    const flags = await driver();
    const engines = await Promise.all([1, 2, 3].map(() => engineOn(url, flags)));
    const kept = await Promise.all(engines.map((engine, nth) => assetsOf(engine).keep(`${nth}`)));
    for (const engine of engines) {
      const texts = await Promise.all(kept.map(({ id }) => assetsOf(engine).read(id)));
      expect(texts).toEqual(["0", "1", "2"]);
    }
  });
});

test("a bucket that does not answer is no reason not to start", async () => {
  const s3 = await startS3();
  const url = await scratchDatabase();
  await assetsOf(await engineOn(url, s3.flags)).keep("before");
  await s3.stop();
  const later = assetsOf(await engineOn(url, s3.flags));
  await expect(later.keep("after")).rejects.toMatchObject({ code: "unreachable" });
});

test("a bucket that does not answer is told, without its key, and nothing is half there", async () => {
  const s3 = await startS3();
  const { engine, keep, read, staged, store } = await driverScene(s3.flags);
  const asset = await keep("before");
  await s3.stop();
  const failure = await store("after").catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "unreachable" });
  expect(JSON.stringify(describeError(failure))).not.toContain(S3_SECRET);
  expect(staged()).toEqual([]);
  await expect(read(asset.id)).rejects.toMatchObject({ code: "unavailable" });
  expect(JSON.stringify(engine.config.assets.s3)).toContain(S3_SECRET); // so it would have been seen
});

test("a bucket that is slow to remove is swept all the same, a part at a time", async () => {
  const { flags } = await startS3("assets", { method: "DELETE", ms: 100 });
  const { assets, store, inStore, age, query } = await driverScene(flags);
  await Promise.all(Array.from({ length: 60 }, (_, number) => store(`file ${number}`)));
  await age("2 hours");
  expect((await sweepAssets(assets)).removed).toHaveLength(60);
  expect(await inStore()).toEqual([]);
  expect(await query("select from croft.asset_file")).toEqual([]);
});

test.each([
  ["in one piece", 1000],
  ["in many", 20 * 1024 * 1024],
])("a file that is not wanted any more is not sent to its end, %s", async (_how, sizeBytes) => {
  const controller = new AbortController();
  const onBegin = () => controller.abort(new Error("cancelled"));
  const { flags } = await startS3("assets", { method: "PUT", ms: 3_600_000, onBegin });
  const { store, inStore, staged } = await driverScene(flags);
  const storing = store(randomBytes(sizeBytes), { signal: controller.signal });
  await expect(storing).rejects.toThrow("cancelled");
  expect([await inStore(), staged()]).toEqual([[], []]);
});

test("what a dead process left half made on the way to a bucket goes", async () => {
  const { engine, assets, keep, root, staged } = await driverScene((await startS3()).flags);
  await keep("x");
  writeFileSync(join(root, "staging", `${engine.hostId}.4194304.1.${newId().slice(0, 8)}`), "half");
  expect((await sweepAssets(assets)).unfinished).toHaveLength(1);
  expect(staged()).toEqual([]);
});

test("a bucket has its objects under the prefix, by their hashes", async () => {
  const s3 = await startS3();
  const { keep } = await driverScene(s3.flags);
  const { sha256 } = await keep("x");
  const names = readdirSync(join(s3.directory, "croft"), { recursive: true, encoding: "utf8" });
  expect(names.some((name) => name.startsWith(`files/${sha256.slice(0, 2)}/${sha256}`))).toBe(true);
  expect(names.some((name) => name.startsWith("store-id"))).toBe(true);
});
