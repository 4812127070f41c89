// Assets in a bucket: made and hashed on the local disk, then sent under the name of their contents.
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { AssetError } from "./asset-error.ts";
import type {
  AssetStore,
  ByteRange,
  SentAs,
  StagedFile,
  StageOptions,
  StoredBytes,
  StoreMark,
} from "./asset-store.ts";
import { S3Objects, type S3Place } from "./s3-objects.ts";
import { Staging } from "./staging.ts";

export type { S3Settings } from "./s3-objects.ts";

const SHA256 = /^[0-9a-f]{64}$/;
/** Longer than any file takes that is still on its way. */
const UPLOAD_MS_MAX = 6 * 3_600_000;

/**
 * The name has to be known before the first byte is sent: a copy within the bucket would double its traffic, and is limited
 * to 5 GB. So a file needs its own size of local disk for as long as it is sent.
 */
export class S3Store implements AssetStore {
  readonly mark: StoreMark;
  readonly #objects: S3Objects;
  readonly #staging: Staging;
  readonly #files: string;

  constructor(place: S3Place, stagingPath: string, hostId: string) {
    this.#objects = new S3Objects(place);
    this.#staging = new Staging(stagingPath, hostId);
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
      keep: async () => {
        await this.#send(staged.path, staged);
        await staged.discard();
      },
    };
  }

  async open(sha256: string, bytes: number): Promise<StoredBytes | undefined> {
    const key = this.#keyOf(sha256);
    if ((await this.#objects.size(key)) !== bytes) return undefined;
    return {
      stream: (range = { from: 0, to: bytes }) =>
        Readable.from(readObject(this.#objects, key, range), { objectMode: false }),
      close: async () => {}, // nothing is open before it is read
    };
  }

  async addressOf(sha256: string, sentAs: SentAs): Promise<string | undefined> {
    if (!this.#objects.place.presign) return undefined;
    return await this.#objects.addressOf(this.#keyOf(sha256), sentAs);
  }

  async remove(sha256: string): Promise<void> {
    await this.#objects.remove(this.#keyOf(sha256));
  }

  async list(prefix: string): Promise<readonly string[]> {
    const keys = await this.#objects.list(`${this.#files}${prefix}/`);
    return keys
      .map((key) => key.slice(this.#files.length + prefix.length + 1))
      .filter((name) => SHA256.test(name) && name.startsWith(prefix))
      .sort();
  }

  async sweepStaging(): Promise<readonly string[]> {
    await this.#staging.prepare(); // of a host that has only read
    const before = new Date(Date.now() - UPLOAD_MS_MAX);
    const uploads = await this.#objects.giveUpUploads(this.#files, before);
    return [...(await this.#staging.sweep()), ...uploads];
  }

  /** The same contents are there, whoever sent them: an object is complete or not to be seen. */
  async #send(path: string, { sha256, bytes }: Pick<StagedFile, "sha256" | "bytes">) {
    const key = this.#keyOf(sha256);
    if ((await this.#objects.size(key)) === bytes) return;
    await this.#objects.writeFile(key, path, bytes);
    const size = await this.#objects.size(key);
    if (size === bytes) return;
    throw new AssetError("unreachable", `the store has ${size} of ${bytes} bytes that it was sent`);
  }

  #keyOf(sha256: string): string {
    if (!SHA256.test(sha256)) throw new Error("that is no SHA-256");
    return `${this.#files}${sha256.slice(0, 2)}/${sha256}`;
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
  readonly #key: string;

  constructor(objects: S3Objects) {
    const { bucket, prefix } = objects.place;
    this.place = `s3://${bucket}/${prefix}`;
    this.#objects = objects;
    this.#key = `${prefix}store-id`;
  }

  async read(): Promise<string | undefined> {
    return (await this.#objects.readText(this.#key))?.trim();
  }

  async make(): Promise<string> {
    const id = randomUUID();
    await this.#objects.writeText(this.#key, `${id}\n`);
    return id;
  }
}
