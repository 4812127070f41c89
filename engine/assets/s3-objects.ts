// The door to an S3-compatible service: objects by their keys, whole or not there.
import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import type { Config } from "../config/config.ts";
import { AssetError } from "./asset-error.ts";
import type { ByteRange, SentAs } from "./asset-store.ts";

export type S3Settings = Config["assets"]["s3"];
export type S3Place = S3Settings & { readonly bucket: string };

/** The smallest part that the service takes is 5 MiB; it takes 10,000 of them at most. */
const PART_BYTES = 8 * 1024 * 1024;
const PARTS_MAX = 10_000;
/** Each part is in memory while it is sent. */
const PARTS_AT_ONCE = 2;
const CONNECT_MS = 10_000;
const SILENCE_MS = 60_000;
const ADDRESS_SECONDS = 300;
const LISTED_MAX = 1000;

export interface SentFile {
  readonly path: string;
  readonly bytes: number;
  readonly signal?: AbortSignal | undefined;
}

export interface UnfinishedUpload {
  readonly key: string;
  readonly id: string;
}

export class S3Objects {
  readonly place: S3Place;
  #opened: Promise<OpenedClient> | undefined;

  constructor(place: S3Place) {
    this.place = place;
  }

  /** Its size; undefined when it is not there. */
  async size(key: string): Promise<number | undefined> {
    return await this.#ask(async ({ sdk, client, bucket }) => {
      const command = new sdk.HeadObjectCommand({ Bucket: bucket, Key: key });
      const found = await client.send(command).catch(unlessMissing);
      return found?.ContentLength;
    });
  }

  async read(key: string, { from, to }: ByteRange): Promise<Readable> {
    return await this.#ask(async ({ sdk, client, bucket }) => {
      const Range = `bytes=${from}-${to - 1}`;
      const command = new sdk.GetObjectCommand({ Bucket: bucket, Key: key, Range });
      return bodyOf((await client.send(command)).Body);
    });
  }

  async readText(key: string): Promise<string | undefined> {
    return await this.#ask(async ({ sdk, client, bucket }) => {
      const command = new sdk.GetObjectCommand({ Bucket: bucket, Key: key });
      const found = await client.send(command).catch(unlessMissing);
      return await found?.Body?.transformToString();
    });
  }

  async writeText(key: string, text: string): Promise<void> {
    await this.#ask(({ sdk, client, bucket }) =>
      client.send(new sdk.PutObjectCommand({ Bucket: bucket, Key: key, Body: text })),
    );
  }

  /** Seen by nobody before its last part has come; what a failure leaves is given up at once, or by a sweep. */
  async writeFile(key: string, { path, bytes, signal }: SentFile): Promise<void> {
    signal?.throwIfAborted();
    await this.#ask(async ({ storage, client, bucket }) => {
      const body = createReadStream(path);
      const upload = new storage.Upload({
        client,
        params: { Bucket: bucket, Key: key, Body: body },
        partSize: Math.max(PART_BYTES, Math.ceil(bytes / PARTS_MAX)),
        queueSize: PARTS_AT_ONCE,
      });
      const giveUp = () => void upload.abort();
      signal?.addEventListener("abort", giveUp, { once: true });
      try {
        await upload.done();
      } finally {
        signal?.removeEventListener("abort", giveUp);
        body.destroy(); // an upload that is given up does not read it to its end
      }
    }).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw error;
    });
  }

  async remove(key: string, signal?: AbortSignal): Promise<void> {
    await this.#ask(({ sdk, client, bucket }) => {
      const command = new sdk.DeleteObjectCommand({ Bucket: bucket, Key: key });
      return client.send(command, signal === undefined ? {} : { abortSignal: signal });
    });
  }

  async list(prefix: string): Promise<readonly string[]> {
    return await this.#ask(async ({ sdk, client, bucket }) => {
      const keys: string[] = [];
      const about = { Bucket: bucket, Prefix: prefix, MaxKeys: LISTED_MAX };
      let after: string | undefined;
      do {
        const next = after === undefined ? {} : { ContinuationToken: after };
        const page = await client.send(new sdk.ListObjectsV2Command({ ...about, ...next }));
        keys.push(...(page.Contents ?? []).flatMap(({ Key }) => Key ?? []));
        after = page.IsTruncated === true ? page.NextContinuationToken : undefined;
      } while (after !== undefined);
      return keys;
    });
  }

  /** The first of those that are not complete: their parts take room that no list of objects shows. */
  async listUploads(prefix: string): Promise<readonly UnfinishedUpload[]> {
    return await this.#ask(async ({ sdk, client, bucket }) => {
      const page = await client
        .send(new sdk.ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix }))
        .catch(unlessUnknown);
      return (page?.Uploads ?? []).flatMap(({ Key: key, UploadId: id }) =>
        key === undefined || id === undefined ? [] : { key, id },
      );
    });
  }

  async giveUpUpload({ key, id }: UnfinishedUpload): Promise<void> {
    await this.#ask(async ({ sdk, client, bucket }) => {
      const upload = { Bucket: bucket, Key: key, UploadId: id };
      await client.send(new sdk.AbortMultipartUploadCommand(upload)).catch(unlessMissing);
    });
  }

  async addressOf(key: string, { mediaType, disposition }: SentAs): Promise<string> {
    return await this.#ask(async ({ sdk, client, bucket }) => {
      const { getSignedUrl } = await import("@aws-sdk/s3-request-presigner");
      const command = new sdk.GetObjectCommand({
        ...{ Bucket: bucket, Key: key, ResponseContentType: mediaType },
        ResponseContentDisposition: disposition,
      });
      return await getSignedUrl(client, command, { expiresIn: ADDRESS_SECONDS });
    });
  }

  async #ask<T>(work: (opened: OpenedClient) => Promise<T>): Promise<T> {
    this.#opened ??= openClient(this.place);
    try {
      return await work(await this.#opened);
    } catch (error) {
      throw explained(error);
    }
  }
}

interface OpenedClient {
  readonly sdk: typeof import("@aws-sdk/client-s3");
  readonly storage: typeof import("@aws-sdk/lib-storage");
  readonly client: S3Client;
  readonly bucket: string;
}

/** Loaded where it is used: it would cost every other start a fifth of a second. */
async function openClient(place: S3Place): Promise<OpenedClient> {
  const [sdk, storage] = await Promise.all([
    import("@aws-sdk/client-s3"),
    import("@aws-sdk/lib-storage"),
  ]);
  const { accessKeyId, secretAccessKey, endpoint, region, forcePathStyle, bucket } = place;
  const hasKey = accessKeyId !== undefined && secretAccessKey !== undefined;
  const client = new sdk.S3Client({
    ...{ region, forcePathStyle },
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(hasKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
    // Services other than AWS's own do not know the checksums that it has of late; we have one of our own.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENCE_MS },
  });
  return { sdk, storage, client, bucket };
}

function statusOf(error: unknown): number | undefined {
  const { $metadata } = (error ?? {}) as { $metadata?: { httpStatusCode?: number } };
  return $metadata?.httpStatusCode;
}

function unlessMissing(error: unknown): undefined {
  const { name } = (error ?? {}) as { name?: string };
  if (name === "NoSuchBucket" || statusOf(error) !== 404) throw error;
}

/** Some services do not list them: then they end them by themselves, or by a rule of the bucket. */
function unlessUnknown(error: unknown): undefined {
  if (statusOf(error) !== 501) throw error;
}

function bodyOf(body: unknown): Readable {
  if (body === undefined) throw new Error("the answer has no body");
  return body as Readable; // in Node it is one
}

/** By name and message only: the rest of such an error has headers and keys in it. */
function explained(error: unknown): AssetError {
  if (error instanceof AssetError) return error;
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const why = `${name}: ${message}`.slice(0, 300);
  const isFull = statusOf(error) === 507 || /QuotaExceeded|StorageFull/.test(name);
  return isFull
    ? new AssetError("disk-full", `the store of assets is full: ${why}`)
    : new AssetError("unreachable", `the store of assets cannot be used: ${why}`);
}
