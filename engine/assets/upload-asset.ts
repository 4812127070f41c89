// A file that somebody sends: stored under the limit of uploads, and recorded as theirs.
import type { Asset } from "@croft/contract";
import { inTransaction } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import { EngineError } from "../engine-error.ts";
import type { Scope } from "../jobs/read-jobs.ts";
import { AssetError } from "./asset-error.ts";
import type { Assets } from "./assets.ts";
import { endClaim } from "./claim-file.ts";
import { readAsset } from "./read-assets.ts";
import { recordAsset, removeAssets, storeStream } from "./store-asset.ts";

export interface Upload {
  readonly owner: string;
  readonly declaredType?: string | undefined;
  /** Asked for when all has come: a form may tell it after the file. */
  details(): UploadDetails;
}

export interface UploadDetails {
  readonly name: string;
  readonly sourceTaskId?: string | undefined;
  readonly commit?: string | undefined;
}

const APP_OWNER = /^app:([0-9a-f-]{36})$/;

export async function uploadAsset(
  assets: Assets,
  bytes: AsyncIterable<Uint8Array>,
  { owner, declaredType, details }: Upload,
): Promise<Asset> {
  const stored = await storeStream(assets, bytes, {
    ...{ declaredType, maxBytes: assets.uploadMaxBytes },
  }).catch((error: unknown) => {
    throw asEngineError(error, assets);
  });
  try {
    const asset = { ...details(), owner, declaredType, kind: "upload" as const };
    return await inTransaction(assets.database, async (client) => {
      const [, app] = APP_OWNER.exec(owner) ?? [];
      // One that is deleted meanwhile has all its assets removed: none may come after that.
      if (app !== undefined) await client.query("select croft.require_app($1)", [app]);
      return await recordAsset(client, stored, asset);
    });
  } catch (error) {
    await endClaim(assets.database.pool, stored);
    throw asEngineError(error, assets);
  }
}

/** A foreign one is not there. */
export async function deleteAsset(database: Database, scope: Scope, id: string): Promise<void> {
  await readAsset(database, scope, id);
  if ((await removeAssets(database.pool, [id])) === 0) {
    throw new EngineError("not-found", "there is no such asset"); // another was quicker
  }
}

/** Anything else is returned as it is. */
function asEngineError(error: unknown, { uploadMaxBytes }: Assets): unknown {
  if (!(error instanceof AssetError)) return error;
  const { code, message } = error;
  if (code === "too-large") return uploadTooLarge(uploadMaxBytes);
  if (code === "disk-full") return new EngineError("disk-full", message, { cause: error });
  if (["store-elsewhere", "unreachable", "gone"].includes(code))
    return new EngineError("unavailable", message, { cause: error });
  return error;
}

export function uploadTooLarge(maxBytes: number): EngineError {
  const message = `an uploaded file may have at most ${maxBytes} bytes (assets.uploadMaxBytes)`;
  return new EngineError("too-large", message);
}
