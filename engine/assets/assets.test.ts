// Files are stored whole and once, seen with their rows, and removed when nobody has them any more.
import { randomBytes, randomUUID } from "node:crypto";
import { chmodSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { assetScene, assetsOf, chunksOf, sha256Of } from "../../test/support/asset-scene.ts";
import { scratchDatabase } from "../../test/support/scratch-database.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { engineOn } from "../../test/support/scratch-engine.ts";
import { mountSmallDisk } from "../../test/support/small-disk.ts";
import { DAY_MS, usualRetention } from "../../test/support/usual-retention.ts";
import { inTransaction } from "../database/in-transaction.ts";
import { clean } from "../janitor/janitor.ts";
import { newId } from "../new-id.ts";
import { checkAssets } from "./check-assets.ts";
import { listAssets, openAsset, readAsset } from "./read-assets.ts";
import { recordAsset, removeAssets, storeStream } from "./store-asset.ts";
import { sweepAssets } from "./sweep-assets.ts";

const ALL = { owner: undefined };
const NEW = { owner: "local", kind: "artifact", name: "a.txt" } as const;

test("stored, recorded, listed by where it came from, and read in parts", async () => {
  const { assets, engine, keep, read, files, staged, root, pathOf, query } = await assetScene();
  const bytes = randomBytes(1_000_000);
  const origin = { jobId: newId(), runId: newId(), step: "build", item: "one" };
  const more = { commit: "a".repeat(40), sourceTaskId: "t-1", mediaType: "text/plain" };
  const asset = await keep(bytes, { owner: "app:1", name: "out/ü.bin", ...origin, ...more });
  await keep("other", { owner: "app:2" });
  expect(asset).toMatchObject({
    ...{ owner: "app:1", kind: "artifact", name: "out/ü.bin", media_type: "text/plain" },
    ...{ bytes: 1_000_000, sha256: sha256Of(bytes), step: "build", item: "one", expires_at: null },
  });
  expect(files()).toEqual([sha256Of("other"), asset.sha256].sort());
  expect(staged()).toEqual([]);
  expect(statSync(pathOf(asset.sha256)).mode & 0o777).toBe(0o400);
  expect(statSync(root).mode & 0o777).toBe(0o700);
  for (const query of [
    { job: origin.jobId },
    { run: origin.runId, step: "build" },
    { commit: more.commit },
    { source_task_id: "t-1" },
    { owner: "app:1" },
  ]) {
    const { assets: listed } = await listAssets(engine.database, ALL, { limit: 10, ...query });
    expect(listed).toEqual([asset]);
  }
  const scope = { owner: "app:2" };
  expect((await listAssets(engine.database, scope, { limit: 10 })).assets).toHaveLength(1);
  await expect(readAsset(engine.database, scope, asset.id)).rejects.toMatchObject({
    code: "not-found",
  });
  const part = (await openAsset(assets, asset)).stream({ from: 10, to: 20 });
  expect(Buffer.concat(await part.toArray())).toEqual(bytes.subarray(10, 20));
  const nothing = await keep("");
  expect(await read(nothing.id)).toBe("");
  const events = await query(
    "select type, data ->> 'name' as name from croft.event order by place",
  );
  expect(events[0]).toEqual({ type: "asset.created", name: "out/ü.bin" });
});

test("the same contents are one file; it goes with the last of its rows", async () => {
  const { engine, assets, keep, read, files, query } = await assetScene();
  const [one, two] = [
    await keep("same", { owner: "app:1" }),
    await keep("same", { owner: "app:2" }),
  ];
  expect(files()).toEqual([one.sha256]);
  expect(await removeAssets(engine.database.pool, [one.id, newId()])).toBe(1);
  expect((await sweepAssets(assets)).removed).toEqual([]);
  expect(await read(two.id)).toBe("same");
  expect(await removeAssets(engine.database.pool, [two.id])).toBe(1);
  expect((await sweepAssets(assets)).removed).toEqual([two.sha256]);
  expect(files()).toEqual([]);
  expect(await query("select from croft.asset_file")).toEqual([]);
  expect(
    await query("select type, seq from croft.event where subject = $1 order by seq", [two.id]),
  ).toEqual([
    { type: "asset.created", seq: 1 },
    { type: "asset.removed", seq: 2 },
  ]);
});

test("a file that is larger than allowed is cut off while it comes, and leaves nothing", async () => {
  const { assets, files, staged, query } = await assetScene();
  let sent = 0;
  async function* endless() {
    for (;;) {
      sent++;
      yield Buffer.alloc(64 * 1024);
    }
  }
  const storing = storeStream(assets, endless(), { maxBytes: 1_000_000 });
  await expect(storing).rejects.toMatchObject({ code: "too-large" });
  expect(sent).toBeLessThan(20);
  expect([files(), staged(), await query("select from croft.asset_file")]).toEqual([[], [], []]);
});

test("a source that fails, and a caller that gives up, leave nothing", async () => {
  const { assets, files, staged } = await assetScene();
  async function* failing() {
    yield Buffer.from("half");
    throw new Error("cut");
  }
  await expect(storeStream(assets, failing())).rejects.toThrow("cut");
  const gone = new AbortController();
  async function* slow() {
    yield Buffer.from("half");
    gone.abort(new Error("no longer wanted"));
    await turn();
    yield Buffer.from("rest");
  }
  await expect(storeStream(assets, slow(), { signal: gone.signal })).rejects.toThrow("no longer");
  expect([files(), staged()]).toEqual([[], []]);
});

test("a transaction that is rolled back never had the asset; its file goes when the claim is over", async () => {
  const { engine, assets, store, files, age, query } = await assetScene();
  const stored = await store("never");
  const failing = inTransaction(engine.database, async (client) => {
    await recordAsset(client, stored, NEW);
    throw new Error("rolled back");
  });
  await expect(failing).rejects.toThrow("rolled back");
  expect(await query("select from croft.asset")).toEqual([]);
  expect((await sweepAssets(assets)).removed).toEqual([]); // it may still come
  await age("2 hours");
  expect((await sweepAssets(assets)).removed).toEqual([stored.sha256]);
  expect(files()).toEqual([]);
  await expect(recordAsset(engine.database.pool, stored, NEW)).rejects.toMatchObject({
    code: "gone",
  });
});

test("who comes too late is told, even if the same contents are on their way again", async () => {
  const { engine, assets, store, age, read } = await assetScene();
  const late = await store("wanted again");
  await age("2 hours");
  await sweepAssets(assets);
  const again = await store("wanted again");
  const recording = recordAsset(engine.database.pool, late, NEW);
  await expect(recording).rejects.toMatchObject({ code: "gone" });
  const { id } = await recordAsset(engine.database.pool, again, NEW);
  expect(await read(id)).toBe("wanted again");
});

test("an attempt that is over records nothing", async () => {
  const { engine, store } = await assetScene();
  const fence = { jobId: newId(), attempt: 1, workerId: newId() };
  const recording = recordAsset(engine.database.pool, await store("stale"), NEW, fence);
  await expect(recording).rejects.toMatchObject({ code: "stale" });
});

test("a sweep passes by what is being recorded, and waits for nobody", async () => {
  const { engine, assets, store, read, query } = await assetScene();
  const stored = await store("in the balance");
  const id = await inTransaction(engine.database, async (client) => {
    const asset = await recordAsset(client, stored, NEW);
    await query("update croft.asset_file set due_at = croft.now()");
    expect((await sweepAssets(assets)).removed).toEqual([]);
    return asset.id;
  });
  expect((await sweepAssets(assets)).removed).toEqual([]);
  expect(await read(id)).toBe("in the balance");
});

test("artifacts go after their time, others at the time that they were given", async () => {
  const { engine, assets, keep, query, files } = await assetScene();
  const [old, kept] = [await keep("old"), await keep("upload", { kind: "upload" })];
  const given = await keep("given", { expiresAt: new Date(Date.now() - 1000) });
  const young = await keep("young");
  await query(
    "update croft.asset set created_at = now() - interval '31 days' where id = any ($1)",
    [[old.id, kept.id]],
  );
  await clean(engine.database, usualRetention);
  const left = (await listAssets(engine.database, ALL, { limit: 10 })).assets;
  expect(left.map(({ id }) => id)).toEqual([young.id, kept.id]);
  expect((await sweepAssets(assets)).removed.toSorted()).toEqual([old.sha256, given.sha256].sort());
  expect(files()).toEqual([young.sha256, kept.sha256].sort());
});

test("each kind is kept as long as is said for it", async () => {
  const { engine, keep, query } = await assetScene();
  const kinds = ["artifact", "generated", "upload", "bundle"] as const;
  for (const kind of kinds) await keep(kind, { kind, name: kind });
  await query("update croft.asset set created_at = now() - interval '10 days'");
  const { retention } = usualRetention;
  const left = async (times: object) => {
    await clean(engine.database, { retention: { ...retention, ...times } });
    return (await query("select name from croft.asset order by id")).map(({ name }) => name);
  };
  expect(await left({})).toEqual(kinds);
  expect(await left({ uploads: 9 * DAY_MS })).toEqual(["artifact", "generated", "bundle"]);
  expect(await left({ artifacts: 9 * DAY_MS })).toEqual(["generated", "bundle"]);
  expect(await left({ generated: 9 * DAY_MS })).toEqual(["bundle"]);
});

test("files that no row knows are removed, rows without a file told, and damage is not served", async () => {
  const { assets, keep, root, pathOf, files, read } = await assetScene();
  const [whole, lost, cut] = [await keep("whole"), await keep("lost"), await keep("cut")];
  rmSync(pathOf(lost.sha256));
  chmodSync(pathOf(cut.sha256), 0o600);
  writeFileSync(pathOf(cut.sha256), "c");
  const stray = `${whole.sha256.slice(0, 2)}${"0".repeat(62)}`;
  writeFileSync(`${pathOf(stray)}.${randomUUID()}`, "stray");
  writeFileSync(join(root, whole.sha256.slice(0, 2), "not a hash"), "");
  expect(await checkAssets(assets)).toEqual({ unknown: [stray], missing: [lost.sha256] });
  expect(files()).toEqual(expect.arrayContaining([whole.sha256, "not a hash"]));
  expect(await read(whole.id)).toBe("whole");
  await expect(read(lost.id)).rejects.toMatchObject({ code: "asset-lost" });
  await expect(read(cut.id)).rejects.toMatchObject({ code: "asset-lost" });
  expect(await keep("lost")).toMatchObject({ sha256: lost.sha256 });
  expect(await read(lost.id)).toBe("lost"); // whoever stores the same heals the others
});

test("what was half written long ago, or by a dead process of this host, goes; the rest is left alone", async () => {
  const { assets, engine, keep, root, staged } = await assetScene();
  await keep("x");
  const dead = `${engine.hostId}.4194304.1.00000000`;
  const elsewhere = ["some-host.1.1.00000000", "some-host.1.1.11111111"] as const;
  for (const name of [dead, ...elsewhere]) writeFileSync(join(root, "staging", name), "half");
  const old = new Date(Date.now() - 2 * 3_600_000);
  utimesSync(join(root, "staging", elsewhere[0]), old, old);
  expect((await sweepAssets(assets)).unfinished).toHaveLength(2);
  expect(staged()).toEqual([elsewhere[1]]);
});

test("another host's directory is not taken for the store; a shared one is", async () => {
  const url = await scratchDatabase();
  const [first, second] = [assetsOf(await engineOn(url)), assetsOf(await engineOn(url))];
  const asset = await first.keep("here");
  await expect(engineOn(url)).rejects.toMatchObject({ code: "assets-elsewhere" });
  await expect(second.keep("there")).rejects.toMatchObject({ code: "store-elsewhere" });
  await expect(second.read(asset.id)).rejects.toMatchObject({ code: "unavailable" });
  expect(await checkAssets(second.assets)).toEqual({ unknown: [], missing: [] });
  const shared = assetsOf(await engineOn(url, { "assets.path": first.root }));
  expect(await shared.read(asset.id)).toBe("here");
  await shared.keep("there");
  expect(first.files()).toHaveLength(2);
});

test.runIf(process.getuid?.() === 0).each([
  ["to the last byte", "0"],
  ["but for its reserve", "700000"],
])(
  "on a disk that is full %s nothing is half visible, and it goes on when there is room",
  async (_how, reserveBytes) => {
    const directory = await scratchDirectory();
    const disk = mountSmallDisk(join(directory, "disk"), { sizeMiB: 8 });
    const { assets, files, staged, query, keep } = await assetScene({
      "assets.path": join(disk.path, "assets"),
      "disk.reserveBytes": reserveBytes,
    });
    await keep("before");
    disk.fill(1024 * 1024);
    const large = storeStream(assets, chunksOf(...Array(40).fill(randomBytes(65_536))));
    await expect(large).rejects.toMatchObject({ code: "disk-full" });
    expect(staged()).toEqual([]);
    expect(files()).toHaveLength(1);
    expect(await query("select from croft.asset_file")).toHaveLength(1);
    disk.free();
    await keep(randomBytes(2_000_000));
    expect(files()).toHaveLength(2);
    expect(staged()).toEqual([]);
  },
);
