// A job whose files do not fit: it fails with the reason, nothing of it is seen, its room is given back, and the next one works.
import { join } from "node:path";
import { expect, test } from "vitest";
import { assetsOf } from "../../test/support/asset-scene.ts";
import { handlerScene } from "../../test/support/handler-scene.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { mountSmallDisk } from "../../test/support/small-disk.ts";
import { listAssets } from "./read-assets.ts";
import { sweepAssets } from "./sweep-assets.ts";

const EVERYBODY = { owner: undefined };

/** Keeps a small file, and then one of as many pieces of 100,000 bytes as it is told. */
const KEEP = `async ({ assets, input }) => {
  await assets.put("small", "small " + input.seed);
  const pieces = async function* () {
    for (let nth = 0; nth < input.pieces; nth++) yield Buffer.alloc(100_000, input.seed + nth);
  };
  await assets.put("large", pieces());
  if (input.fails === true) throw new Error("changed its mind");
}`;

async function scene(flags: Record<string, string>) {
  const own = await handlerScene({ handlers: { keep: KEEP }, flags });
  const { engine } = own;
  const { files, staged, read } = assetsOf(engine);
  const list = async () => (await listAssets(engine.database, EVERYBODY, { limit: 50 })).assets;
  const keep = (seed: string, pieces: number, more: object = {}) =>
    own.run("keep", { input: { seed, pieces, ...more } });
  return { ...own, assets: engine.assets, files, staged, read, list, keep };
}

test.runIf(process.getuid?.() === 0)(
  "on a disk that is full in the middle of a file: told, nothing half visible, and it works again",
  async () => {
    const disk = mountSmallDisk(join(await scratchDirectory(), "disk"), { sizeMiB: 16 });
    const own = await scene({
      "assets.path": join(disk.path, "assets"),
      "disk.reserveBytes": "500000",
    });
    const { assets, keep, list, files, staged, read } = own;
    expect(await keep("a", 1)).toMatchObject({ status: "done" });
    disk.fill(1024 * 1024);
    for (const seed of ["b", "c"]) {
      const failed = await keep(seed, 30);
      expect(failed).toMatchObject({
        ...{ status: "failed", result_assets: [] },
        error: { code: "asset-disk-full", message: expect.stringContaining("full") },
      });
      expect([staged(), (await list()).length]).toEqual([[], 2]);
    }
    await sweepAssets(assets);
    expect(files()).toHaveLength(2); // also the small ones, which did fit
    disk.free();
    const job = await keep("b", 30);
    expect(job).toMatchObject({ status: "done", result_assets: { length: 2 } });
    const [large] = (await list()).filter(
      ({ name, job_id }) => name === "large" && job_id === job.id,
    );
    expect(await read(large?.id ?? "")).toHaveLength(3_000_000);
    expect([staged(), files().length]).toEqual([[], 4]);
  },
);

test("over the budget: told, and a job that fails gives its room back", async () => {
  const own = await scene({ "assets.budgetBytes": "250000" });
  const { assets, keep, list, files, staged } = own;
  for (const seed of ["a", "b", "c"]) {
    const failed = await keep(seed, 2, { fails: true });
    expect(failed).toMatchObject({ status: "failed", error: { message: "changed its mind" } });
    await sweepAssets(assets);
    expect(files()).toEqual([]);
  }
  expect(await keep("d", 3)).toMatchObject({
    ...{ status: "failed", result_assets: [] },
    error: { code: "asset-disk-full", message: expect.stringContaining("assets.budgetBytes") },
  });
  expect([staged(), await list()]).toEqual([[], []]);
  expect(await keep("e", 2)).toMatchObject({ status: "done", result_assets: { length: 2 } });
});
