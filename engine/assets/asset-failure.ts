// What went wrong with a file, as the failure of the job that needed it.
import { JobFailure } from "../jobs/job-failure.ts";
import { AssetError } from "./asset-error.ts";

/** A full disk may have room again; what is too large stays so. */
const PASSING = ["disk-full", "gone", "store-elsewhere", "unreachable"];

/** Anything else is returned as it is. */
export function asAssetFailure(error: unknown): unknown {
  if (!(error instanceof AssetError)) return error;
  const kind = PASSING.includes(error.code) ? "transient" : "invalid";
  return new JobFailure(kind, `asset-${error.code}`, error.message, { cause: error });
}
