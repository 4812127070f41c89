// A sweep does what it can, whatever it cannot do.
import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { driverScene } from "../../test/support/asset-drivers.ts";
import { assetScene } from "../../test/support/asset-scene.ts";
import { startS3 } from "../../test/support/s3-server.ts";
import type { LogDetails } from "../log.ts";
import type { Assets } from "./assets.ts";
import { checkAssets } from "./check-assets.ts";
import { sweepAssets } from "./sweep-assets.ts";

/** The same, and what it says. */
function listeningTo(assets: Assets) {
  const told: LogDetails[] = [];
  const warn = (details: LogDetails) => void told.push(details);
  return { assets: { ...assets, log: { ...assets.log, warn } }, told };
}

test("files that cannot be removed keep no other from going, and are told once", async () => {
  const own = await assetScene();
  const { store, root, files, staged, query, pathOf } = own;
  const { assets, told } = listeningTo(own.assets);
  const bad = await store("cannot go");
  const path = pathOf(bad.sha256);
  rmSync(path);
  mkdirSync(path); // stands for EPERM, EIO and all the others
  await Promise.all(Array.from({ length: 120 }, (_, number) => store(`file ${number}`)));
  await query("update croft.asset_claim set until = croft.now()");
  const half = join(root, "staging", "elsewhere.1.1.deadbeef");
  writeFileSync(half, "half");
  utimesSync(half, 0, 0);
  const stuck = join(root, "staging", "elsewhere.2.1.deadbeef");
  mkdirSync(stuck);
  utimesSync(stuck, 0, 0);

  const swept = await sweepAssets(assets);
  expect([swept.removed.length, swept.unfinished]).toEqual([120, [half]]);
  expect([files(), staged()]).toEqual([[bad.sha256], ["elsewhere.2.1.deadbeef"]]);
  expect(told.map((each) => [each["path"], each["files"]])).toEqual([
    [path, 1],
    [stuck, 1],
  ]);
  const [{ used }] = await query("select bytes::int as used from croft.asset_usage");
  expect(used).toBe("cannot go".length);

  const again = () => query("update croft.asset_removal set due_at = croft.now()");
  const waits = async () => {
    const [row] = await query(
      "select extract(epoch from due_at - croft.now())::float8 as seconds from croft.asset_removal",
    );
    return row.seconds;
  };
  const first = await waits();
  await sweepAssets(assets); // not due
  await again();
  await sweepAssets(assets);
  expect(await waits()).toBeGreaterThan(first);
  expect(told).toHaveLength(2);

  rmSync(path, { recursive: true });
  await again();
  expect((await sweepAssets(assets)).removed).toEqual([bad.sha256]);
  expect(await query("select bytes::int from croft.asset_usage")).toEqual([{ bytes: 0 }]);
});

test("what is stored again while its old file cannot be removed is there, and stays", async () => {
  const { assets, store, keep, read, query, pathOf } = await assetScene();
  const { sha256 } = await store("stuck");
  const path = pathOf(sha256);
  rmSync(path);
  mkdirSync(path);
  await query("update croft.asset_claim set until = croft.now()");
  await sweepAssets(assets);
  const { id } = await keep("stuck");
  rmSync(path, { recursive: true });
  writeFileSync(path, "stuck"); // can be removed again
  await query("update croft.asset_removal set due_at = croft.now()");
  expect((await sweepAssets(assets)).removed).toEqual([sha256]);
  expect(await read(id)).toBe("stuck");
});

test("a store that removes nothing is not asked for each file: the rest comes with the next sweep", async () => {
  const own = await assetScene();
  const { assets, told } = listeningTo(own.assets);
  await Promise.all(Array.from({ length: 110 }, (_, number) => own.store(`file ${number}`)));
  await own.query("update croft.asset_claim set until = croft.now()");
  const store = Object.assign(await assets.store(), {
    remove: () => Promise.reject(new Error("no")),
  });
  await sweepAssets({ ...assets, ownStore: async () => store });
  expect(told).toMatchObject([{ files: 50, path: expect.stringContaining(own.root) }]);
  expect(
    await own.query("select tries, count(*)::int from croft.asset_removal group by 1 order by 1"),
  ).toEqual([
    { tries: 0, count: 60 },
    { tries: 1, count: 50 },
  ]);
});

test("a store that does not answer is told, and not asked for any file", async () => {
  const s3 = await startS3();
  const { assets, store, query } = await driverScene(s3.flags);
  await store("x");
  await query("update croft.asset_claim set until = croft.now()");
  await s3.stop();
  await expect(sweepAssets(assets)).rejects.toMatchObject({ code: "unreachable" });
  expect(await query("select tries from croft.asset_removal")).toEqual([{ tries: 0 }]);
});

test("a removal that takes too long is given up, and comes again", async () => {
  const { flags } = await startS3("assets", { method: "DELETE", ms: 3_600_000 });
  const { assets, store, inStore, query } = await driverScene(flags);
  const { sha256 } = await store("slow");
  await query("update croft.asset_claim set until = croft.now()");
  expect((await sweepAssets(assets)).removed).toEqual([]);
  expect(await inStore()).toEqual([sha256]);
  expect(await query("select tries, error is not null as told from croft.asset_removal")).toEqual([
    { tries: 1, told: true },
  ]);
});

test("a part of the store that cannot be read keeps no other from being compared", async () => {
  const { assets, keep, root, pathOf } = await assetScene();
  const lost = await keep("lost");
  rmSync(pathOf(lost.sha256));
  expect(lost.sha256 > "01").toBe(true);
  writeFileSync(join(root, "00"), "no directory");
  const told: LogDetails[] = [];
  const error = (details: LogDetails) => void told.push(details);
  const checking = checkAssets({ ...assets, log: { ...assets.log, error } });
  await expect(checking).rejects.toMatchObject({ code: "ENOTDIR" });
  expect(told).toEqual([{ sha256: lost.sha256 }]);
});
