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
  let before: readonly Directory[] = [];
  for (const path of files.flatMap(namesOf)) {
    const within = directoriesOf(path, before);
    for (const { digest } of within.slice(sharedBy(within, before))) above.add(keyOf(digest));
    const last = within.at(-1);
    paths.add(keyOf(digestOf(last?.digest, path.subarray(last === undefined ? 0 : last.end + 1))));
    before = within;
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

interface Directory {
  readonly path: Buffer;
  /** Where its name ends in the path. */
  readonly end: number;
  readonly digest: Buffer;
}

/** From the top. Those that the path before had too are taken from it: neighbours share nearly all. */
function directoriesOf(path: Buffer, before: readonly Directory[]): Directory[] {
  const found: Directory[] = [];
  let from = 0;
  for (let end = path.indexOf(SLASH); end !== -1; end = path.indexOf(SLASH, from)) {
    const known = before[found.length];
    const above = found.at(-1);
    const isSame =
      known !== undefined &&
      above === before[found.length - 1] &&
      known.end === end &&
      path.compare(known.path, from, end, from, end) === 0;
    found.push(
      isSame ? known : { path, end, digest: digestOf(above?.digest, path.subarray(from, end)) },
    );
    from = end + 1;
  }
  return found;
}

function sharedBy(one: readonly Directory[], other: readonly Directory[]): number {
  let count = 0;
  while (count < one.length && one[count] === other[count]) count++;
  return count;
}

/** Of a name in its directory: each name is hashed once, however many lie below it. */
function digestOf(above: Buffer | undefined, name: Buffer): Buffer {
  const hash = createHash("sha256");
  if (above !== undefined) hash.update(above).update("/");
  return hash.update(name).digest();
}

function keyOf(digest: Buffer): string {
  return digest.readBigInt64BE().toString();
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
