// Processes that are killed while they store, record or sweep, and several that do all of it at once.
import { expect, test } from "vitest";
import { assetScene, sha256Of } from "../../test/support/asset-scene.ts";
import { startEngineProcess } from "../../test/support/engine-process.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { recordAsset, removeAssets } from "./store-asset.ts";
import { checkAssets, sweepAssets } from "./sweep-assets.ts";

const NEW = { owner: "local", kind: "artifact", name: "a" } as const;

/** Says when it has come to a step, and waits there. */
const STEPS = `
  const { pool } = engine.database;
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

test.each([
  ["staging", { rows: 0, files: [], claims: 0, unfinished: 1 }],
  ["stored", { rows: 0, files: [WHOLE], claims: 1, unfinished: 0 }],
  ["recorded", { rows: 0, files: [WHOLE], claims: 1, unfinished: 0 }],
  ["committed", { rows: 1, files: [WHOLE], claims: 1, unfinished: 0 }],
])("killed when it was %s: all of it or nothing", async (step, expected) => {
  const { engine, assets, files, query, age, read, keep } = await assetScene();
  const first = await keep("something before");
  await removeAssets(engine.database.pool, [first.id]);
  await age("2 hours");
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
  expect(files()).toEqual(expected.files);
  expect(await query("select from croft.asset_file")).toHaveLength(expected.claims);
  expect((await sweepAssets(assets)).unfinished).toHaveLength(expected.unfinished);
  await age("2 hours");
  const left = expected.rows === 1 ? [WHOLE] : [];
  await waitUntil("the end of its transaction, and a sweep", async () => {
    await sweepAssets(assets);
    return files().length === left.length;
  });
  expect(files()).toEqual(left);
  for (const { id } of rows) expect(await read(id)).toBe("half, whole");
});

/** A sweep that stops between the file and its row. */
const SLOW_SWEEP = `
  const ownStore = async () => {
    const store = await engine.assets.ownStore();
    return {
      sweepStaging: () => store.sweepStaging(),
      remove: async (sha256) => { await store.remove(sha256); say("removed"); await told(); },
    };
  };
  await croft.sweepAssets({ ...engine.assets, ownStore });
  say("swept");
`;

test("who stores the same contents while a sweep removes them waits, and has them", async () => {
  const { engine, assets, store, age, files, read } = await assetScene();
  await store("wanted again");
  await age("2 hours");
  const child = startEngineProcess(engine.config, SLOW_SWEEP);
  await child.hasSaid("removed");
  expect(files()).toEqual([]);
  let isStored = false;
  const storing = store("wanted again").finally(() => {
    isStored = true;
  });
  await waitUntil("a writer that waits", async () => {
    const { rows } = await engine.database.pool.query("select from pg_locks where not granted");
    return rows.length > 0;
  });
  expect(isStored).toBe(false);
  child.tell();
  const { id } = await recordAsset(engine.database.pool, await storing, NEW);
  expect(await child.end).toBe(0);
  expect(await read(id)).toBe("wanted again");
  expect(await checkAssets(assets)).toEqual({ unknown: [], missing: [] });
});

test("a sweep that is killed between the file and its row leaves nothing that anybody could use", async () => {
  const { engine, assets, store, age, files, read, query } = await assetScene();
  const late = await store("x");
  await age("2 hours");
  const child = startEngineProcess(engine.config, SLOW_SWEEP);
  await child.hasSaid("removed");
  await child.kill();
  expect(files()).toEqual([]);
  const over = { ...late, claimedUntil: new Date(Date.now() - 1000) };
  const recording = () => recordAsset(engine.database.pool, over, NEW);
  await expect(recording()).rejects.toMatchObject({ code: "gone" });
  const { id } = await recordAsset(engine.database.pool, await store("x"), NEW);
  expect(await read(id)).toBe("x");
  await removeAssets(engine.database.pool, [id]);
  await age("2 hours");
  await sweepAssets(assets);
  expect([files(), await query("select from croft.asset_file")]).toEqual([[], []]);
});

/** Stores, records and removes the same few contents again and again. */
const STORM = `
  let seed = Number(process.pid);
  const random = (below) => { seed = (seed * 1103515245 + 12345) % 2147483648; return seed % below; };
  const mine = [];
  let gone = 0;
  for (let round = 0; round < 200; round++) {
    const text = "contents " + random(4);
    const stored = await croft.storeStream(engine.assets, (async function* () { yield Buffer.from(text); })());
    try {
      const { id } = await croft.recordAsset(engine.database.pool, stored, { owner: "local", kind: "artifact", name: text });
      mine.push(id);
    } catch (error) {
      if (error.code !== "gone") throw error;
      gone++;
    }
    if (random(2) === 0) await croft.removeAssets(engine.database.pool, mine.splice(0));
  }
  say("done");
`;

test("two processes that store and remove the same contents, under a sweep without mercy: no row without its file", async () => {
  const { engine, assets, age, files, read, query } = await assetScene();
  const children = [0, 1].map(() => startEngineProcess(engine.config, STORM));
  const isOver = () => children.every((child) => child.said().includes("done"));
  let removed = 0;
  await waitUntil("the end of the storm", async () => {
    for (let round = 0; round < 10; round++) {
      await age("2 hours"); // every claim is over at once: the worst that can be
      removed += (await sweepAssets(assets)).removed.length;
    }
    await checkAssets(assets);
    return isOver();
  });
  expect(await Promise.all(children.map((child) => child.end))).toEqual([0, 0]);
  expect(removed).toBeGreaterThan(10);
  const rows = await query("select id, name from croft.asset");
  for (const { id, name } of rows) expect(await read(id)).toBe(name);
  expect(await checkAssets(assets)).toEqual({ unknown: [], missing: [] });
  await removeAssets(
    engine.database.pool,
    rows.map(({ id }) => id),
  );
  await age("2 hours");
  await sweepAssets(assets);
  expect(files()).toEqual([]);
});
