// A service that speaks S3, with one bucket, gone with its test.
import { createRequire } from "node:module";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { scratchDirectory } from "./scratch-directory.ts";

interface S3rver {
  run(): Promise<{ port: number }>;
  close(): Promise<void>;
}

/** The only one that it knows. */
export const S3_SECRET = "S3RVER";

/** It has no types of its own. */
const createS3rver = (options: object): S3rver => {
  const Constructor = createRequire(import.meta.url)("s3rver") as new (options: object) => S3rver;
  return new Constructor(options);
};

export async function startS3(bucket = "assets") {
  const directory = join(await scratchDirectory(), "s3");
  const server = createS3rver({
    ...{ address: "127.0.0.1", port: 0, silent: true, directory },
    configureBuckets: [{ name: bucket }],
  });
  const { port } = await server.run();
  let isOpen = true;
  const stop = async () => {
    if (isOpen) await server.close();
    isOpen = false;
  };
  onTestFinished(stop);
  const endpoint = `http://127.0.0.1:${port}`;
  return {
    ...{ directory: join(directory, bucket), endpoint, stop },
    flags: {
      "assets.s3.bucket": bucket,
      "assets.s3.endpoint": endpoint,
      "assets.s3.accessKeyId": "S3RVER",
      "assets.s3.secretAccessKey": S3_SECRET,
      "assets.s3.forcePathStyle": "true",
      "assets.s3.prefix": "croft/",
    },
  };
}
