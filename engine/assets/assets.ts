// The assets of one engine: the rows, and the store that has their files.
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import type { Database } from "../database/open-database.ts";
import type { Log } from "../log.ts";
import { asAssetError } from "./asset-error.ts";
import type { AssetStore } from "./asset-store.ts";
import { DiskReserve } from "./disk-reserve.ts";
import { FileStore } from "./file-store.ts";
import { type S3Settings, S3Store } from "./s3-store.ts";
import { Staging } from "./staging.ts";
import { claimStore, isStore, requireStore, tellElsewhere } from "./store-identity.ts";

export interface Assets {
  readonly database: Database;
  readonly log: Log;
  /** Unless the caller says less. */
  readonly maxBytes: number;
  readonly uploadMaxBytes: number;
  /** What all files may take together. */
  readonly budgetBytes: number | undefined;
  /** What all that put files anywhere leave free. */
  readonly reserve: DiskReserve;
  /** Proven to be the one that the rows mean; made when something is stored for the first time. */
  store(): Promise<AssetStore>;
  /** Undefined where the files lie elsewhere, or there are none yet. */
  ownStore(): Promise<AssetStore | undefined>;
}

export interface AssetsOptions {
  readonly database: Database;
  readonly config: Pick<Config, "assets" | "data" | "disk">;
  readonly hostId: string;
  readonly log: Log;
}

/** Refused where the files lie in another place than this host has. The database is closed then: nobody else has it yet. */
export async function openAssets(options: AssetsOptions): Promise<Assets> {
  const { database, config, hostId, log } = options;
  const {
    path = join(config.data, "assets"),
    maxBytes,
    uploadMaxBytes,
    budgetBytes,
  } = config.assets;
  const reserve = new DiskReserve(config.disk.reserveBytes);
  const files = chooseStore(config.assets.s3, { path, hostId, reserve });
  await requireStore(database, files.mark, log).catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  let isProven = false;
  let isOwn = false;
  let isTold = false;
  const store = async () => {
    if (isProven) return files;
    try {
      await files.prepare();
      await claimStore(database, files.mark);
    } catch (error) {
      throw asAssetError(error);
    }
    isProven = true;
    return files;
  };
  return {
    ...{ database, log, store, maxBytes, uploadMaxBytes, budgetBytes, reserve },
    ownStore: async () => {
      isOwn ||= isProven || (await isStore(database, files.mark));
      if (isOwn) return files;
      if (!isTold) isTold = await tellElsewhere(database, files.mark, log);
      return undefined;
    },
  };
}

interface StorePlace {
  readonly path: string;
  readonly hostId: string;
  readonly reserve: DiskReserve;
}

function chooseStore(s3: S3Settings, { path, hostId, reserve }: StorePlace): AssetStore {
  if (s3.bucket === undefined) return new FileStore(path, hostId, reserve);
  const staging = new Staging(join(path, "staging"), hostId, reserve);
  return new S3Store({ ...s3, bucket: s3.bucket }, staging);
}
