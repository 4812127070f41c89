// Processes that are killed or stopped while they store, record or sweep, and several that do all of it at once.
import { describe, expect, test } from "vitest";
import { assetDrivers, driverScene } from "../../test/support/asset-drivers.ts";
import { sha256Of } from "../../test/support/asset-scene.ts";
import { startEngineProcess } from "../../test/support/engine-process.ts";
import { startS3 } from "../../test/support/s3-server.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { checkAssets } from "./check-assets.ts";
import { recordAsset, removeAssets } from "./store-asset.ts";
import { sweepAssets } from "./sweep-assets.ts";

const NEW = { owner: "local", kind: "artifact", name: "a" } as const;
const NOTHING = { unknown: [], missing: [] };

/** Says when it has come to a step, and waits there. */
const STEPS = `
  const asset = { owner: "local", kind: "artifact", name: "a" };
  const pause = async (step) => { say(step); await told(); };
  const bytes = async function* () { yield Buffer.from("half, "); await pause("staging"); yield Buffer.from("whole"); };
  const stored = await croft.storeStream(engine.assets, bytes());
  await pause("stored");
  await inTransaction(engine.database, async (client) => {
    await croft.recordAsset(client, stored, asset);
    await pause("recorded");
  });
  await pause("committed");
`;
const WHOLE = sha256Of("half, whole");

/** A sweep that waits before it removes a file, or after. */
const sweepThatWaits = (when: "before" | "after") => `
  const wait = async () => { say("here"); await told(); };
  const ownStore = async () => {
    const store = await engine.assets.ownStore();
    return {
      mark: store.mark,
      sweepStaging: (...all) => store.sweepStaging(...all),
      placeOf: (key) => store.placeOf(key),
      remove: async (key) => {
        if (${when === "before"}) await wait();
        await store.remove(key);
        if (${when === "after"}) await wait();
      },
    };
  };
  await croft.sweepAssets({ ...engine.assets, ownStore });
`;

/** Stores, but does not come to bring the file to its place before it is told. */
const WRITER_THAT_WAITS = `
  const store = async () => {
    const own = await engine.assets.store();
    const stage = async (...all) => {
      const staged = await own.stage(...all);
      return { ...staged, keep: async (...how) => { say("claimed"); await told(); await staged.keep(...how); } };
    };
    return { stage };
  };
  const bytes = async function* () { yield Buffer.from("wanted again"); };
  const stored = await croft.storeStream({ ...engine.assets, store }, bytes());
  const asset = { owner: "local", kind: "artifact", name: "a" };
  await croft.recordAsset(engine.database.pool, stored, asset).then(() => say("recorded"), (error) => say(error.code));
`;

/** Stores, records and removes the same few contents again and again, until it is told. */
const STORM = `
  let seed = Number(process.pid);
  const random = (below) => { seed = (seed * 1103515245 + 12345) % 2147483648; return seed % below; };
  const mine = [];
  let isOver = false;
  told().then(() => { isOver = true; });
  while (!isOver) {
    const text = "contents " + random(4);
    try {
      const stored = await croft.storeStream(engine.assets, (async function* () { yield Buffer.from(text); })());
      const { id } = await croft.recordAsset(engine.database.pool, stored, { owner: "local", kind: "artifact", name: text });
      mine.push(id);
    } catch (error) {
      // Its claim was over before it was recorded, or even before a bucket was asked whether all had come.
      if (error.code !== "gone" && !error.message.includes("undefined of")) throw error;
    }
    if (random(2) === 0) await croft.removeAssets(engine.database.pool, mine.splice(0));
  }
`;

describe.each(assetDrivers)("%s", (_name, driver) => {
  test.each([
    ["staging", { rows: 0, files: [], claims: 0, unfinished: 1 }],
    ["stored", { rows: 0, files: [WHOLE], claims: 1, unfinished: 0 }],
    ["recorded", { rows: 0, files: [WHOLE], claims: 1, unfinished: 0 }],
    ["committed", { rows: 1, files: [WHOLE], claims: 0, unfinished: 0 }],
  ])("killed when it was %s: all of it or nothing", async (step, expected) => {
    const own = await driverScene(await driver());
    const { engine, assets, inStore, query, age, read, keep } = own;
    const first = await keep("something before");
    await removeAssets(engine.database.pool, [first.id]);
    await sweepAssets(assets);
    const child = startEngineProcess(engine.config, STEPS);
    for (const each of ["staging", "stored", "recorded", "committed"]) {
      await child.hasSaid(each);
      if (each === step) break;
      child.tell();
    }
    await child.kill();
    const rows = await query("select id from croft.asset");
    expect(rows).toHaveLength(expected.rows);
    expect(await inStore()).toEqual(expected.files);
    expect(await query("select from croft.asset_claim")).toHaveLength(expected.claims);
    expect(await sweepAssets(assets)).toMatchObject({ removed: [] });
    expect(own.staged()).toEqual([]);
    const left = expected.rows === 1 ? [WHOLE] : [];
    await waitUntil("the end of its transaction, and a sweep", async () => {
      await age("2 hours");
      await sweepAssets(assets);
      return (await inStore()).length === left.length;
    });
    expect(await inStore()).toEqual(left);
    for (const { id } of rows) expect(await read(id)).toBe("half, whole");
  });

  test("a removal that is carried out when its sweep was stopped for long hits nothing that is needed", async () => {
    const { engine, assets, store, age, inStore, read } = await driverScene(await driver());
    const { sha256 } = await store("wanted again");
    await age("2 hours");
    const child = startEngineProcess(engine.config, sweepThatWaits("before"));
    await child.hasSaid("here");
    const { id } = await recordAsset(engine.database.pool, await store("wanted again"), NEW);
    expect(await inStore()).toEqual([sha256, sha256]);
    child.tell();
    expect(await child.end).toBe(0);
    expect(await read(id)).toBe("wanted again");
    expect(await checkAssets(assets)).toEqual(NOTHING);
    expect(await inStore()).toEqual([sha256]);
  });

  test("a file that comes when its writer was stopped for long is not taken for another, and goes", async () => {
    const own = await driverScene(await driver());
    const { engine, assets, store, age, inStore, read, query } = own;
    await own.keep("something before");
    const child = startEngineProcess(engine.config, WRITER_THAT_WAITS);
    await child.hasSaid("claimed");
    await age("2 hours");
    await sweepAssets(assets);
    const { id, sha256 } = await recordAsset(
      engine.database.pool,
      await store("wanted again"),
      NEW,
    );
    child.tell();
    expect(await child.end).toBe(0);
    expect(child.said()).toContain("gone");
    expect((await inStore()).filter((each) => each === sha256)).toHaveLength(2);
    expect(await checkAssets(assets)).toEqual({ unknown: [sha256], missing: [] });
    expect((await inStore()).filter((each) => each === sha256)).toHaveLength(1);
    expect(await read(id)).toBe("wanted again");
    expect(await query("select from croft.asset_removal")).toEqual([]);
  });

  test("a sweep that is killed between the file and its row leaves nothing that anybody could use", async () => {
    const own = await driverScene(await driver());
    const { engine, assets, store, age, inStore, read, query } = own;
    const late = await store("x");
    await age("2 hours");
    const child = startEngineProcess(engine.config, sweepThatWaits("after"));
    await child.hasSaid("here");
    await child.kill();
    expect(await inStore()).toEqual([]);
    const recording = () => recordAsset(engine.database.pool, late, NEW);
    await expect(recording()).rejects.toMatchObject({ code: "gone" });
    const { id } = await recordAsset(engine.database.pool, await store("x"), NEW);
    expect(await read(id)).toBe("x");
    await removeAssets(engine.database.pool, [id]);
    await query("update croft.asset_removal set due_at = croft.now()");
    await sweepAssets(assets);
    expect([await inStore(), await query("select from croft.asset_removal")]).toEqual([[], []]);
    expect(await query("select bytes::int from croft.asset_usage")).toEqual([{ bytes: 0 }]);
  });

  test("two processes that store and remove the same contents, under a sweep without mercy: no row without its file", async () => {
    const own = await driverScene(await driver());
    const { engine, assets, age, inStore, read, query } = own;
    const children = [0, 1].map(() => startEngineProcess(engine.config, STORM));
    let removed = 0;
    await waitUntil("many removals", async () => {
      for (let round = 0; round < 10; round++) {
        await age("2 hours"); // every claim is over at once: the worst that can be
        removed += (await sweepAssets(assets)).removed.length;
      }
      await checkAssets(assets);
      return removed > 20;
    });
    for (const child of children) child.tell();
    expect(await Promise.all(children.map((child) => child.end))).toEqual([0, 0]);
    const rows = await query("select id, name from croft.asset");
    for (const { id, name } of rows) expect(await read(id)).toBe(name);
    await checkAssets(assets); // a file whose claim was over before it came
    expect(await checkAssets(assets)).toEqual(NOTHING);
    await removeAssets(
      engine.database.pool,
      rows.map(({ id }) => id),
    );
    await sweepAssets(assets);
    expect(await inStore()).toEqual([]);
  });
});

test("a DELETE that reaches the bucket when the sweep that sent it is dead hits nothing that is needed", async () => {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  let [begun, done] = [0, 0];
  const { flags } = await startS3("assets", {
    ...{ method: "DELETE", gate },
    onBegin: () => begun++,
    onDone: () => done++,
  });
  const { engine, assets, store, age, read, inStore } = await driverScene(flags);
  const { sha256 } = await store("wanted again");
  await age("2 hours");
  const child = startEngineProcess(engine.config, "await croft.sweepAssets(engine.assets);");
  await waitUntil("the DELETE", () => begun > 0);
  const storing = store("wanted again");
  await child.kill();
  const { id } = await recordAsset(engine.database.pool, await storing, NEW);
  expect(await read(id)).toBe("wanted again");
  open();
  await waitUntil("the DELETE to be carried out", () => done > 0);
  expect(await read(id)).toBe("wanted again");
  expect(await checkAssets(assets)).toEqual(NOTHING);
  expect(await inStore()).toEqual([sha256]);
});
