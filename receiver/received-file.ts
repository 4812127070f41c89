// A file of a message as a handler gets it: its path as bytes, its content checked.
import { createHash } from "node:crypto";
import { pathBytes } from "./file-path.ts";
import type { ChangedFile, FileMode, FilesChanged, Sync, Watch } from "./message.ts";
import { Refusal } from "./refusal.ts";
import { strictBase64 } from "./strict-base64.ts";

/** Large content lies in a file of the store: copy it. It is gone when the handler has done its work. */
export type FileContent =
  | { readonly kind: "bytes"; readonly bytes: Buffer }
  | { readonly kind: "file"; readonly file: string };

export type ReceivedFile =
  | { readonly change: "deleted"; readonly path: Buffer }
  | {
      readonly change: "created" | "updated";
      readonly path: Buffer;
      /** Where it was before, if it was renamed; that is deleted by an entry of its own. */
      readonly previousPath: Buffer | undefined;
      readonly mode: FileMode;
      readonly blob: string;
      /** None of a submodule. */
      readonly content: FileContent | undefined;
    };

export interface ReceivedFiles {
  readonly messageId: string;
  /** When the message was made: the same in every repetition. */
  readonly madeAt: Date;
  readonly watch: Watch;
  readonly commit: string;
  readonly previousCommit: string | null;
  readonly sync: Sync;
  /** In the order in which they are to be applied. */
  readonly files: readonly ReceivedFile[];
}

/** Finds what came in chunks; throws a Refusal when it is not all there. */
export type FindContent = (content: {
  readonly watchId: string;
  readonly path: Buffer;
  readonly sha256: string;
}) => Promise<string>;

export async function receiveFiles(
  messageId: string,
  { timestamp, data }: FilesChanged,
  findContent: FindContent,
): Promise<ReceivedFiles> {
  const { watch, commit, previous_commit, sync } = data;
  const files: ReceivedFile[] = [];
  for (const file of data.files) files.push(await receiveFile(file, watch.id, findContent));
  const madeAt = new Date(timestamp);
  return { messageId, madeAt, watch, commit, previousCommit: previous_commit, sync, files };
}

async function receiveFile(
  file: ChangedFile,
  watchId: string,
  findContent: FindContent,
): Promise<ReceivedFile> {
  const path = pathBytes(file.path, file.path_encoding);
  if (file.change === "deleted") return { change: file.change, path };
  const { change, mode, blob, previous_path, previous_path_encoding } = file;
  const previousPath =
    previous_path === undefined ? undefined : pathBytes(previous_path, previous_path_encoding);
  const kept = { change, path, previousPath, mode, blob };
  if (file.mode === "160000") return { ...kept, content: undefined };
  const { sha256 } = file;
  if (file.chunked) {
    return {
      ...kept,
      content: { kind: "file", file: await findContent({ watchId, path, sha256 }) },
    };
  }
  const bytes = contentBytes(file.content ?? "", file.encoding);
  const isRight = bytes?.length === file.size && sha256Of(bytes) === sha256;
  if (bytes === undefined || !isRight)
    throw new Refusal(422, "a content is not what its hash says");
  return { ...kept, content: { kind: "bytes", bytes } };
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function contentBytes(content: string, encoding: string | undefined): Buffer | undefined {
  return encoding === "base64" ? strictBase64(content) : Buffer.from(content);
}
