// Files as a delivery names them: which, and how they changed; never what is in them.
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";

/** As kept in `croft.delivery.files`. A path that is no valid UTF-8 is base64, and says so. */
export interface DeliveryFile {
  readonly path: string;
  readonly path_encoding?: "base64";
  readonly previous_path?: string;
  readonly previous_path_encoding?: "base64";
  readonly change: "created" | "updated" | "deleted";
  readonly mode?: string;
  readonly blob?: string;
  readonly size?: number;
}

/** What is sent as one piece: larger files come in chunks of this size. */
export const CHUNK_BYTES = 768 * 1024;
export const FILES_A_MESSAGE = 100;
export const CONTENT_BYTES_A_MESSAGE = 1024 * 1024;

export function encodedPath(path: Buffer): { readonly text: string; readonly isBase64: boolean } {
  return isUtf8(path)
    ? { text: path.toString("utf8"), isBase64: false }
    : { text: path.toString("base64"), isBase64: true };
}

/** By which order is kept; that two names share a key only makes one of them wait. */
export interface PathKeys {
  /** Of the files. */
  readonly path_keys: readonly string[];
  /** Of the directories above them: a file may take the place of one, or the other way round. */
  readonly above_keys: readonly string[];
}

export function keysOf(files: readonly DeliveryFile[]): PathKeys {
  const paths = new Set<string>();
  const above = new Set<string>();
  for (const path of files.flatMap(namesOf)) {
    paths.add(keyOf(path));
    for (let at = path.indexOf(SLASH); at !== -1; at = path.indexOf(SLASH, at + 1)) {
      above.add(keyOf(path.subarray(0, at)));
    }
  }
  return { path_keys: [...paths], above_keys: [...above] };
}

const SLASH = "/".charCodeAt(0);

/** As bytes: a name that is no valid UTF-8 may lie in a directory whose name is. */
function namesOf(file: DeliveryFile): Buffer[] {
  const { path, path_encoding, previous_path, previous_path_encoding } = file;
  const own = Buffer.from(path, path_encoding ?? "utf8");
  if (previous_path === undefined) return [own];
  return [own, Buffer.from(previous_path, previous_path_encoding ?? "utf8")];
}

function keyOf(path: Buffer): string {
  return createHash("sha256").update(path).digest().readBigInt64BE().toString();
}

/** Submodules are commits of other repositories, and deleted files are nothing. */
export function hasContent({ mode, change }: Pick<DeliveryFile, "mode" | "change">): boolean {
  return change !== "deleted" && mode !== "160000";
}

export function isLarge(file: DeliveryFile): boolean {
  return hasContent(file) && (file.size ?? 0) > CHUNK_BYTES;
}

/** Chunks of a large file, in front of the message that says it is complete; none for what is not large. */
export function chunkCount(files: readonly DeliveryFile[]): number {
  const [first] = files;
  if (files.length !== 1 || first === undefined || !isLarge(first)) return 0;
  return Math.ceil((first.size ?? 0) / CHUNK_BYTES);
}

/**
 * Into messages, in order: at most so many files and bytes each, a large file alone. Works on what comes, one by one, so
 * that the first sync of a large repository needs no more memory than the last one.
 */
export class MessagePacker {
  readonly #filesMax: number;
  #files: DeliveryFile[] = [];
  #bytes = 0;

  constructor(filesMax = FILES_A_MESSAGE) {
    this.#filesMax = filesMax;
  }

  /** The messages that are full now. */
  add(file: DeliveryFile): DeliveryFile[][] {
    const size = hasContent(file) ? (file.size ?? 0) : 0;
    if (isLarge(file)) return [...this.end(), [file]];
    const isFull =
      this.#files.length >= this.#filesMax || this.#bytes + size > CONTENT_BYTES_A_MESSAGE;
    const full = isFull ? this.end() : [];
    this.#files.push(file);
    this.#bytes += size;
    return full;
  }

  end(): DeliveryFile[][] {
    const files = this.#files;
    this.#files = [];
    this.#bytes = 0;
    return files.length === 0 ? [] : [files];
  }
}
