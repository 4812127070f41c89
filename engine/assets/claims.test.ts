// A file is kept for as long as somebody needs it, and its room is given back when nobody does.
import { randomBytes } from "node:crypto";
import { createApp, deleteApp } from "@croft/engine";
import { expect, test } from "vitest";
import { assetScene, assetsOf, chunksOf } from "../../test/support/asset-scene.ts";
import { type HeldStep, heldRuns } from "../../test/support/held-runs.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import { removeAssets, storeStream } from "./store-asset.ts";
import { sweepAssets } from "./sweep-assets.ts";
import { deleteAsset, uploadAsset } from "./upload-asset.ts";

const EVERYBODY = { owner: undefined };

/** Files of 2,000 bytes, of which only one can be there. */
async function tightScene() {
  const scene = await assetScene({ "assets.budgetBytes": "3000" });
  const { engine, assets } = scene;
  const upload = (bytes: Uint8Array = randomBytes(2000), owner = "local") =>
    uploadAsset(assets, chunksOf(bytes), { owner, details: () => ({ name: "a" }) });
  const remove = (id: string) => deleteAsset(engine.database, EVERYBODY, id);
  return { ...scene, upload, remove };
}

test("an upload that is deleted makes room with the next sweep", async () => {
  const { assets, upload, remove, files } = await tightScene();
  const { id } = await upload();
  await expect(upload()).rejects.toMatchObject({ code: "disk-full" });
  await remove(id);
  await sweepAssets(assets);
  expect(files()).toEqual([]);
  await upload();
});

test("an upload that is deleted while another sends the same stays for that one", async () => {
  const { engine, assets, upload, remove, files, store, query } = await tightScene();
  const bytes = randomBytes(1000);
  const { id, sha256 } = await upload(bytes);
  const other = await store(bytes);
  await remove(id);
  await sweepAssets(assets);
  expect(files()).toEqual([sha256]);
  await engine.database.pool.query("select croft.end_asset_claims($1)", [[other.claim]]);
  await sweepAssets(assets);
  expect([files(), await query("select from croft.asset_claim")]).toEqual([[], []]);
});

test("an upload that cannot be recorded gives its room back", async () => {
  const { engine, assets, upload } = await tightScene();
  const { app } = await createApp(engine.database, "gone");
  await deleteApp(engine.database, app.id);
  await expect(upload(randomBytes(2000), `app:${app.id}`)).rejects.toThrow();
  const details = () => {
    throw new Error("no name");
  };
  const nameless = uploadAsset(assets, chunksOf(randomBytes(500)), { owner: "local", details });
  await expect(nameless).rejects.toThrow("no name");
  await sweepAssets(assets);
  await upload();
});

test("a file that cannot be brought to its place gives its room back", async () => {
  const { assets, upload } = await tightScene();
  const store = async () => {
    const own = await assets.store();
    const stage: typeof own.stage = async (...all) => {
      const keep = () => Promise.reject(new Error("unplugged"));
      return { ...(await own.stage(...all)), keep };
    };
    return Object.assign(Object.create(own), { stage });
  };
  const storing = storeStream({ ...assets, store }, chunksOf(randomBytes(2000)));
  await expect(storing).rejects.toThrow("unplugged");
  await sweepAssets(assets);
  await upload();
});

test("the files of a step wait until its run has gone on, those of a failed attempt do not", async () => {
  const { engine, start, begun, held, query, advancer, ended } = await heldRuns({ advancers: 0 });
  const { assets, database } = engine;
  const { files, read } = assetsOf(engine);
  const put = async (text: string, { attempt }: HeldStep) => {
    const by = { jobId: attempt.id, attempt: attempt.attempt };
    const stored = await storeStream(assets, chunksOf(text), { attempt: by });
    return { ...stored, name: "list", media_type: "text/plain" };
  };
  const going = advancer();
  const id = await start("steps:\n  make: { run: x, artifacts: { list: l } }\n");
  const first = await begun("make");
  await going.close();
  await put("of the first", first);
  first.fail(new JobFailure("transient", "no", "no", { retryAfterMs: 0, attempts: 2 }));
  await waitUntil("the second attempt", () => held.length === 2);
  const second = await begun("make");
  const artifact = await put("of the second", second);
  await sweepAssets(assets);
  expect(files()).toEqual([artifact.sha256]);
  second.succeed({ artifacts: [artifact] });
  const isDone = async () =>
    (await query("select from croft.job where type = 'step' and status = 'done'")).length === 1;
  await waitUntil("its end", isDone);
  await sweepAssets(assets);
  expect(files()).toEqual([artifact.sha256]); // nobody has gone on with the run yet
  advancer();
  await ended(id, "done");
  const [asset] = await query("select id from croft.asset");
  expect(await read(String(asset?.["id"]))).toBe("of the second");
  await removeAssets(database.pool, [String(asset?.["id"])]);
  await sweepAssets(assets);
  expect(files()).toEqual([]);
});
