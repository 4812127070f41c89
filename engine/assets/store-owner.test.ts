// Two databases with one store, of which one is a copy of the other: neither may lose files by the other's sweeps.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { assetDrivers, driverScene } from "../../test/support/asset-drivers.ts";
import { assetsOf } from "../../test/support/asset-scene.ts";
import { scratchDatabase } from "../../test/support/scratch-database.ts";
import { engineOn } from "../../test/support/scratch-engine.ts";
import type { Engine } from "../engine.ts";
import type { LogDetails } from "../log.ts";
import type { Assets } from "./assets.ts";
import { checkAssets } from "./check-assets.ts";
import { S3Objects } from "./s3-objects.ts";
import { removeAssets } from "./store-asset.ts";
import { sweepAssets } from "./sweep-assets.ts";

/** Another database with the rows that this one has now, as a dump and a restore would leave it, and an engine on it. */
async function copyOf({ database }: Engine, flags: Record<string, string>) {
  const copy = await engineOn(await scratchDatabase(), flags);
  for (const table of ["asset_store", "asset_file", "asset"]) {
    const { rows } = await database.pool.query(`select to_jsonb(t) as row from croft.${table} t`);
    for (const { row } of rows) {
      const text = `insert into croft.${table} select * from jsonb_populate_record(null::croft.${table}, $1)`;
      await copy.database.pool.query(text, [row]);
    }
  }
  return assetsOf(copy);
}

/** As an admin would, by hand. */
async function forgetOwner({ config: { assets } }: Engine): Promise<void> {
  const { path = "", s3 } = assets;
  if (s3.bucket === undefined) return rmSync(join(path, "store-owner"));
  await new S3Objects({ ...s3, bucket: s3.bucket }).remove(`${s3.prefix}store-owner`);
}

function listeningTo(assets: Assets) {
  const told: string[] = [];
  const warn = (_details: LogDetails, text: string) => void told.push(text);
  return { assets: { ...assets, log: { ...assets.log, warn } }, told };
}

describe.each(assetDrivers)("%s", (_name, driver) => {
  test("a copy of the database removes nothing and tells so, until the store is given to it", async () => {
    const flags = await driver();
    const own = await driverScene(flags);
    const before = await own.keep("before");
    const copy = await copyOf(own.engine, flags);
    const since = await own.keep("since");
    const both = [before.sha256, since.sha256].sort();
    const { assets, told } = listeningTo(copy.assets);

    await removeAssets(copy.engine.database.pool, [before.id]);
    expect(await sweepAssets(assets)).toEqual({ removed: [], unfinished: [] });
    expect(await checkAssets(assets)).toEqual({ unknown: [since.sha256], missing: [] });
    expect(await sweepAssets(assets)).toMatchObject({ removed: [] });
    expect(await own.inStore()).toEqual(both);
    expect([await own.read(before.id), await own.read(since.id)]).toEqual(["before", "since"]);
    expect(told).toEqual([expect.stringContaining("no file is removed from")]);
    expect(await checkAssets(own.assets)).toEqual({ unknown: [], missing: [] });

    const [, self = ""] = /write '([^']+)' into 'store-owner'/.exec(told[0] ?? "") ?? [];
    await forgetOwner(own.engine);
    await (await own.assets.store()).mark.provide("store-owner", self);
    expect(await checkAssets(assets)).toMatchObject({ unknown: [since.sha256] });
    await sweepAssets(assets);
    expect(await own.inStore()).toEqual([]);
  });

  test("a store that says nothing of its owner is left alone", async () => {
    const own = await driverScene(await driver());
    const asset = await own.keep("x");
    await forgetOwner(own.engine);
    await removeAssets(own.engine.database.pool, [asset.id]);
    const { assets, told } = listeningTo(own.assets);
    await sweepAssets(assets);
    await checkAssets(assets);
    expect(await own.inStore()).toEqual([asset.sha256]);
    expect(told).toEqual([expect.stringContaining("it has no 'store-owner'")]);
  });
});
