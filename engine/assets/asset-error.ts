// Why a file could not be stored, found or put in its place.

/**
 * - `too-large`: larger than allowed.
 * - `disk-full`: the store, or the place it was to be put in, has no room.
 * - `not-found`: there is no such file.
 * - `not-a-file`: a pipe, socket or device.
 * - `is-directory`: a directory, where a file is asked for.
 * - `unsafe-path`: the path leads, or could lead, out of its directory; or the file is not the job's own.
 * - `gone`: stored too long ago and never recorded, so it was removed: store it again.
 * - `lost`: there is a row, but the file is missing or not what it was.
 * - `store-elsewhere`: the assets of this database are kept in another place than this host has.
 * - `unreachable`: the store does not answer, or refuses.
 * - `stale`: the attempt that would record it is over.
 */
export type AssetErrorCode =
  | "too-large"
  | "disk-full"
  | "not-found"
  | "not-a-file"
  | "is-directory"
  | "unsafe-path"
  | "gone"
  | "lost"
  | "store-elsewhere"
  | "unreachable"
  | "stale";

export class AssetError extends Error {
  override readonly name = "AssetError";
  readonly code: AssetErrorCode;

  constructor(code: AssetErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

const FULL: Record<string, string> = {
  ENOSPC: "no space left on device",
  EDQUOT: "the quota is used up",
};

/** Anything else is returned as it is. Where it was is for the log, not for whoever sent the file. */
export function asAssetError(error: unknown): unknown {
  if (error instanceof AssetError) return error;
  const why = FULL[(error as NodeJS.ErrnoException | null)?.code ?? ""];
  if (why === undefined) return error;
  return new AssetError("disk-full", `the disk is full: ${why}`, error);
}
