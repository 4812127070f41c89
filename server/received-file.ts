// A file that comes with a request, and what the request says about it.
import type { AssetUpload } from "@croft/contract";
import { EngineError } from "@croft/engine";

export interface ReceivedFile {
  /** Ends only when the request is complete: of one that is cut off nothing may be kept. */
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly declaredType: string | undefined;
  /** To be asked when all bytes have come. */
  details(): FileDetails;
}

export type FileDetails = AssetUpload & { readonly name: string };

export function brokenOff(cause: unknown): EngineError {
  return new EngineError("bad-request", "the upload was broken off", { cause });
}
