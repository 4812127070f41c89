// What a program needs to receive Croft's deliveries.
export {
  type Answer,
  createReceiver,
  type Receive,
  type ReceiverOptions,
} from "./create-receiver.ts";
export { checkPath } from "./file-path.ts";
export { FileSeenIds, type SeenIds, type SeenLimits } from "./file-seen-ids.ts";
export type {
  ChangedFile,
  FileChunk,
  FileMode,
  FilesChanged,
  JobFinished,
  Message,
  Ping,
  RunFinished,
  Sync,
  SyncFailed,
  SyncRecovered,
  Transfer,
  UnknownMessage,
  Watch,
} from "./message.ts";
export { type ListenerOptions, nodeListener } from "./node-listener.ts";
export { openStore, type ReceiverStore, type StoreOptions } from "./open-store.ts";
export { MalformedMessage, parseMessage } from "./parse-message.ts";
export type { FileContent, ReceivedFile, ReceivedFiles } from "./received-file.ts";
export { Refusal } from "./refusal.ts";
export type { RequestHeaders } from "./request-headers.ts";
export { type TransferLimits, Transfers } from "./transfers.ts";
export { type Verification, type VerifyOptions, verifyRequest } from "./verify-request.ts";
