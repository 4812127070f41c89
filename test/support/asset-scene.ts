// An engine with assets, and short ways to store, record and look at them.
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { Asset } from "@croft/contract";
import {
  type Engine,
  type NewAsset,
  openAsset,
  readAsset,
  recordAsset,
  type StoreOptions,
  storeStream,
} from "@croft/engine";
import { filesIn } from "./files-in.ts";
import { scratchEngine } from "./scratch-engine.ts";

export const sha256Of = (bytes: string | Uint8Array) =>
  createHash("sha256").update(bytes).digest("hex");

export async function* chunksOf(...chunks: readonly (string | Uint8Array)[]) {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

export async function assetScene(flags: Record<string, string> = {}) {
  return assetsOf(await scratchEngine(flags));
}

export function assetsOf(engine: Engine) {
  const { assets, database, config } = engine;
  const root = config.assets.path ?? join(config.data, "assets");
  const query = async (text: string, values: unknown[] = []) =>
    (await database.pool.query(text, values)).rows;
  const store = (bytes: string | Uint8Array, options?: StoreOptions) =>
    storeStream(assets, chunksOf(bytes), options);
  return {
    ...{ engine, assets, query, store, root },
    keep: async (bytes: string | Uint8Array, rest: Partial<NewAsset> = {}): Promise<Asset> =>
      await recordAsset(database.pool, await store(bytes), {
        ...{ owner: "local", kind: "artifact", name: "a.txt" },
        ...rest,
      }),
    read: async (id: string) => {
      const asset = await readAsset(database, { owner: undefined }, id);
      return (await buffer((await openAsset(assets, asset)).stream())).toString();
    },
    /** Files that lie in their places, by their hashes. */
    files: () => filesIn(root).map((name) => name.replace(/\..*$/, "")),
    /** Where the one with these contents lies. */
    pathOf: (sha256: string) =>
      join(
        root,
        sha256.slice(0, 2),
        filesIn(root).find((name) => name.startsWith(sha256)) ?? sha256,
      ),
    staged: () => readdirSync(join(root, "staging")),
    /** As if so much time had passed for all claims that wait for a time. */
    age: (interval: string) =>
      query("update croft.asset_claim set until = until - $1::interval", [interval]),
  };
}
