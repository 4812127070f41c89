// Settings of stored files: where they are kept, and how much of them.
import { z } from "zod";
import { absolutePath, secret, webUrl, wholeNumber, yesOrNo } from "./setting-values.ts";

export const assetSettings = z
  .strictObject({
    path: absolutePath.optional().meta({
      description: "Directory of stored files; several hosts need a shared one",
      defaultText: "`assets` in the data directory",
    }),
    maxBytes: wholeNumber(1, 1024 ** 4)
      .prefault(500 * 1024 * 1024)
      .meta({ description: "Largest file that a job may keep, in bytes" }),
    uploadMaxBytes: wholeNumber(1, 1024 ** 4)
      .prefault(10 * 1024 * 1024)
      .meta({ description: "Largest file that may be uploaded, in bytes" }),
    budgetBytes: wholeNumber(1, 1024 ** 5)
      .optional()
      .meta({
        description: "What all stored files may take together, in bytes; beyond it none is taken",
        defaultText: "as much as the disk has",
      }),
    s3: z
      .strictObject({
        bucket: z
          .string()
          .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, "must be the name of a bucket")
          .optional()
          .meta({
            description: "Bucket of an S3-compatible store; with it files are kept there",
            defaultText: "none: files are kept in `assets.path`",
          }),
        endpoint: webUrl.optional().meta({
          description: "Where the S3-compatible store is",
          defaultText: "that of AWS in the region",
        }),
        region: z
          .string()
          .regex(/^[\w-]{1,64}$/, "must be the name of a region")
          .prefault("us-east-1")
          .meta({ description: "Region of the bucket" }),
        prefix: z
          .string()
          .regex(/^(?:[\w.=-]+\/)*$/, "must be empty, or end with a slash")
          .prefault("")
          .meta({ description: "What the names of all objects begin with", defaultText: "none" }),
        accessKeyId: z.string().min(1).optional().meta({
          description: "Key id for the bucket",
          defaultText: "as the AWS SDK finds one: environment, profile or machine",
        }),
        secretAccessKey: z
          .string()
          .min(1)
          .optional()
          .meta({ description: "The key that belongs to `assets.s3.accessKeyId`", ...secret }),
        forcePathStyle: yesOrNo.prefault(false).meta({
          description: "Put the bucket into the path, not the host name: MinIO and others need it",
        }),
        presign: yesOrNo.prefault(false).meta({
          description:
            "Send downloads to the store itself, with an address that is valid for 5 minutes",
        }),
      })
      .prefault({}),
  })
  .prefault({});

type AssetSettings = z.output<typeof assetSettings>;

/** Half of a key would be found out only when the first file is stored. */
export function checkAssetSettings({ s3 }: AssetSettings): string[] {
  const hasId = s3.accessKeyId !== undefined;
  if (hasId === (s3.secretAccessKey !== undefined)) return [];
  const [given, missing] = hasId
    ? ["accessKeyId", "secretAccessKey"]
    : ["secretAccessKey", "accessKeyId"];
  return [`assets.s3.${given} needs assets.s3.${missing}`];
}
