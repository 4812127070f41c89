// The assets of one engine: the rows, and the store that has their files.
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import type { Database } from "../database/open-database.ts";
import type { Log } from "../log.ts";
import type { AssetStore } from "./asset-store.ts";
import { FileStore } from "./file-store.ts";
import { claimStore, isStore } from "./store-identity.ts";

export interface Assets {
  readonly database: Database;
  readonly log: Log;
  /** Unless the caller says less. */
  readonly maxBytes: number;
  /** Proven to be the one that the rows mean; made when something is stored for the first time. */
  store(): Promise<AssetStore>;
  /** Undefined where the files lie elsewhere, or there are none yet. */
  ownStore(): Promise<AssetStore | undefined>;
}

export interface AssetsOptions {
  readonly database: Database;
  readonly config: Pick<Config, "assets" | "data">;
  readonly hostId: string;
  readonly log: Log;
}

export function openAssets({ database, config, hostId, log }: AssetsOptions): Assets {
  const path = config.assets.path ?? join(config.data, "assets");
  const files = new FileStore(path, hostId);
  let isProven = false;
  const store = async () => {
    if (isProven) return files;
    await files.prepare();
    await claimStore(database, path);
    isProven = true;
    return files;
  };
  return {
    ...{ database, log, store },
    maxBytes: config.assets.maxBytes,
    ownStore: async () => (isProven || (await isStore(database, path)) ? files : undefined),
  };
}
