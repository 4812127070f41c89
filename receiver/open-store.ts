// What a receiver remembers, in one directory.
import { join } from "node:path";
import { FileSeenIds, type SeenIds, type SeenLimits } from "./file-seen-ids.ts";
import { type TransferLimits, Transfers } from "./transfers.ts";

export interface ReceiverStore {
  readonly seen: SeenIds;
  readonly transfers: Transfers;
}

export interface StoreOptions {
  readonly seen?: SeenLimits;
  readonly transfers?: TransferLimits;
}

export function openStore(directory: string, options: StoreOptions = {}): ReceiverStore {
  return {
    seen: new FileSeenIds(join(directory, "seen"), options.seen),
    transfers: new Transfers(join(directory, "transfers"), options.transfers),
  };
}
