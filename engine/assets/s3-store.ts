// Assets in a bucket: made and hashed on the local disk, then sent, named by contents and generation.
import { Readable } from "node:stream";
import { AssetError } from "./asset-error.ts";
import type {
  AssetStore,
  ByteRange,
  ClaimedFiles,
  MarkName,
  SentAs,
  StagedFile,
  StageOptions,
  StagingSweep,
  StoredBytes,
  StoreMark,
} from "./asset-store.ts";
import { type FileKey, fileName, readFileName } from "./file-key.ts";
import { S3Objects, type S3Place } from "./s3-objects.ts";
import type { StagedPath, Staging } from "./staging.ts";

export type { S3Settings } from "./s3-objects.ts";

/**
 * The name has to be known before the first byte is sent: a copy within the bucket would double its traffic, and is limited
 * to 5 GB. So a file needs its own size of local disk for as long as it is sent.
 */
export class S3Store implements AssetStore {
  readonly mark: StoreMark;
  readonly #objects: S3Objects;
  readonly #staging: Staging;
  readonly #files: string;

  constructor(place: S3Place, staging: Staging) {
    this.#objects = new S3Objects(place);
    this.#staging = staging;
    this.#files = `${place.prefix}files/`;
    this.mark = new BucketMark(this.#objects);
  }

  async prepare(): Promise<void> {
    await this.#staging.prepare();
  }

  async stage(bytes: AsyncIterable<Uint8Array>, options: StageOptions): Promise<StagedFile> {
    const staged = await this.#staging.write(bytes, options);
    return {
      ...staged,
      keep: async (generation, signal) => {
        await this.#send(staged, generation, signal);
        await staged.discard();
      },
    };
  }

  async open(file: FileKey, bytes: number): Promise<StoredBytes | undefined> {
    const key = this.#keyOf(file);
    if ((await this.#objects.size(key)) !== bytes) return undefined;
    return {
      stream: (range = { from: 0, to: bytes }) =>
        Readable.from(readObject(this.#objects, key, range), { objectMode: false }),
      close: async () => {}, // nothing is open before it is read
    };
  }

  async addressOf(file: FileKey, sentAs: SentAs): Promise<string | undefined> {
    if (!this.#objects.place.presign) return undefined;
    return await this.#objects.addressOf(this.#keyOf(file), sentAs);
  }

  placeOf(file: FileKey): string {
    return `s3://${this.#objects.place.bucket}/${this.#keyOf(file)}`;
  }

  async remove(file: FileKey, signal?: AbortSignal): Promise<void> {
    await this.#objects.remove(this.#keyOf(file), signal);
  }

  async list(prefix: string): Promise<readonly FileKey[]> {
    const keys = await this.#objects.list(`${this.#files}${prefix}/`);
    return keys
      .flatMap((key) => readFileName(key.slice(this.#files.length + prefix.length + 1)) ?? [])
      .filter(({ sha256 }) => sha256.startsWith(prefix));
  }

  async sweepStaging(claimed: ClaimedFiles): Promise<StagingSweep> {
    await this.#staging.prepare(); // of a host that has only read
    const { removed, failed } = await this.#staging.sweep(); // first: it needs no bucket
    const uploads = await this.#giveUpUploads(claimed);
    return { removed: [...removed, ...uploads], failed };
  }

  /** A claim is there before an upload begins: one without a claim that was seen before is nobody's. */
  async #giveUpUploads(claimed: ClaimedFiles): Promise<string[]> {
    const uploads = await this.#objects.listUploads(this.#files);
    const known = uploads.flatMap((upload) => {
      const file = readFileName(upload.key.slice(this.#files.length + 3));
      return file === undefined ? [] : { upload, file };
    });
    const needed = await claimed(known.map(({ file }) => file));
    const left = known.filter(({ file }) => !needed.has(fileName(file)));
    for (const { upload } of left) await this.#objects.giveUpUpload(upload);
    return left.map(({ file }) => this.placeOf(file));
  }

  /**
   * The same is there, whoever sent it: an object is complete or not to be seen, and of a generation that has a claim none is
   * removed.
   */
  async #send(
    { path, sha256, bytes }: StagedPath,
    generation: string,
    signal: AbortSignal | undefined,
  ) {
    const key = this.#keyOf({ sha256, generation });
    if ((await this.#objects.size(key)) === bytes) return;
    await this.#objects.writeFile(key, { path, bytes, signal });
    const size = await this.#objects.size(key);
    if (size === bytes) return;
    throw new AssetError("unreachable", `the store has ${size} of ${bytes} bytes that it was sent`);
  }

  #keyOf(file: FileKey): string {
    return `${this.#files}${file.sha256.slice(0, 2)}/${fileName(file)}`;
  }
}

async function* readObject(
  objects: S3Objects,
  key: string,
  range: ByteRange,
): AsyncGenerator<Uint8Array> {
  if (range.from >= range.to) return; // no header can ask for nothing
  const body = await objects.read(key, range);
  try {
    yield* body as AsyncIterable<Uint8Array>;
  } finally {
    body.destroy();
  }
}

class BucketMark implements StoreMark {
  readonly place: string;
  readonly wayOut = "set assets.s3 to the same bucket and prefix on every host";
  readonly #objects: S3Objects;
  readonly #prefix: string;

  constructor(objects: S3Objects) {
    const { bucket, prefix } = objects.place;
    this.place = `s3://${bucket}/${prefix}`;
    this.#objects = objects;
    this.#prefix = prefix;
  }

  async read(name: MarkName): Promise<string | undefined> {
    return (await this.#objects.readText(this.#prefix + name))?.trim();
  }

  async provide(name: MarkName, text: string): Promise<string> {
    const found = await this.read(name);
    if (found !== undefined) return found;
    await this.#objects.writeText(this.#prefix + name, `${text}\n`);
    return text;
  }
}
