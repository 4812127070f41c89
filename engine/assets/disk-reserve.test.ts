// What is kept free on a disk stays free, whoever writes, and however many at once.
import { mkdirSync, readdirSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { assetScene } from "../../test/support/asset-scene.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { mountSmallDisk } from "../../test/support/small-disk.ts";
import { DiskReserve } from "./disk-reserve.ts";
import { materialise } from "./materialise.ts";
import { DIRECTORY_MEDIA_TYPE } from "./pack-directory.ts";
import { unpackDirectory } from "./unpack-directory.ts";
import { padding, tarEnd, tarHead } from "./write-tar.ts";

const MB = 1_000_000;

async function smallDisk() {
  const disk = mountSmallDisk(join(await scratchDirectory(), "disk"), { sizeMiB: 16 });
  return {
    disk,
    freeBytes: () => {
      const { bavail, bsize } = statfsSync(disk.path);
      return bavail * bsize;
    },
  };
}

function tarWith(bytes: Buffer): Buffer {
  const entry = { kind: "file", path: "one.txt", isExecutable: false } as const;
  const head = tarHead({ ...entry, sizeBytes: bytes.length });
  return Buffer.concat([head, bytes, padding(bytes.length), tarEnd()]);
}

describe.skipIf(process.getuid?.() !== 0)("a disk with a reserve", () => {
  test("of many that ask at once none gets what another was promised", async () => {
    const { disk, freeBytes } = await smallDisk();
    const reserve = new DiskReserve(4 * MB);
    const rooms = Array.from({ length: 40 }, () => reserve.roomIn(disk.path));
    const outcomes = await Promise.allSettled(rooms.map((room) => room.growTo(MB)));
    const granted = outcomes.filter(({ status }) => status === "fulfilled").length;
    expect(granted * MB).toBeLessThanOrEqual(freeBytes() - 4 * MB);
    for (const room of rooms) room.end();
    await reserve.require(disk.path, freeBytes() - 4 * MB); // all was given back
  });

  test("is full when its reserve is touched, or when it can hold no more files", async () => {
    const { disk } = await smallDisk();
    const reserve = new DiskReserve(4 * MB);
    expect(await reserve.isTouchedIn(disk.path)).toBe(false);
    disk.fill(4 * MB);
    expect(await reserve.isTouchedIn(disk.path)).toBe(true);
    disk.free();
    disk.fillWithFiles(50);
    expect(await reserve.isTouchedIn(disk.path)).toBe(true);
    await expect(reserve.require(disk.path, 1)).rejects.toMatchObject({ code: "disk-full" });
  });

  test.each(["a file", "a directory"])(
    "%s that is put into a workspace ends before it",
    async (what) => {
      const { disk, freeBytes } = await smallDisk();
      const { assets, keep } = await assetScene({ "disk.reserveBytes": String(4 * MB) });
      const bytes = Buffer.alloc(3 * MB, 1);
      const asset =
        what === "a file"
          ? await keep(bytes)
          : await keep(tarWith(bytes), { mediaType: DIRECTORY_MEDIA_TYPE });
      const directory = join(disk.path, "workspace");
      mkdirSync(directory);
      disk.fill(6 * MB);
      const put = what === "a file" ? materialise : unpackDirectory;
      const refused = put(assets, asset, { directory, path: "here" });
      await expect(refused).rejects.toMatchObject({ code: "disk-full" });
      expect([readdirSync(directory), freeBytes() > 5 * MB]).toEqual([[], true]);
      disk.free();
      await put(assets, asset, { directory, path: "here" });
      expect(readdirSync(directory)).toEqual(["here"]);
    },
  );
});
