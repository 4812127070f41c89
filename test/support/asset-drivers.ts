// Each kind of store, for tests that ask the same of all: a directory, and a bucket of a real S3-compatible service.
import { join } from "node:path";
import { assetScene } from "./asset-scene.ts";
import { startS3 } from "./s3-server.ts";
import { scratchDirectory } from "./scratch-directory.ts";

export const assetDrivers: [string, () => Promise<Record<string, string>>][] = [
  ["a directory", async () => ({ "assets.path": join(await scratchDirectory(), "shared") })],
  ["a bucket", async () => (await startS3()).flags],
];

export async function driverScene(flags: Record<string, string>) {
  const scene = await assetScene(flags);
  const { assets, query } = scene;
  return {
    ...scene,
    /** Hashes of all that lie there, by asking the store itself. */
    inStore: async () => {
      const store = await assets.store();
      const lists = Array.from({ length: 256 }, (_, number) =>
        store.list(number.toString(16).padStart(2, "0")),
      );
      const files = (await Promise.all(lists)).flat();
      return files.map(({ sha256 }) => sha256).sort();
    },
    /** Of the one that the rows mean. */
    keyOf: async (sha256: string) => {
      const text = "select generation from croft.asset_file where sha256 = decode($1, 'hex')";
      const [row] = await query(text, [sha256]);
      return { sha256, generation: row?.generation as string };
    },
  };
}
