// A stored file, and where it came from.
import { z } from "zod";
import { Name } from "./job.ts";

/** Short, harmless in logs, and such as the database can keep. */
const OneLine = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^\p{Cc}\p{Cs}]+$/u, "must have no control characters");

/** Only a name, never a path that anything is written to: `../../etc/passwd` is as good as any other. */
export const AssetName = OneLine;

const CommitId = z.string().regex(/^[0-9a-f]{40,64}$/, "must be a full commit id");

export const AssetKind = z.enum(["artifact", "generated", "upload", "bundle"]);
export type AssetKind = z.infer<typeof AssetKind>;

export const Asset = z
  .object({
    id: z.uuid(),
    owner: z.string(),
    kind: AssetKind,
    name: z.string(),
    media_type: z
      .string()
      .describe("as which it is served: by its contents, not only as it was declared"),
    declared_type: z.string().nullable().describe("what the caller said that it is"),
    bytes: z.int(),
    sha256: z.string().describe("of its contents, in hex"),
    job_id: z.uuid().nullable(),
    run_id: z.uuid().nullable(),
    step: z.string().nullable(),
    item: z.string().nullable().describe("of a matrix"),
    commit: z.string().nullable(),
    source_task_id: z.string().nullable(),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable().describe("null: as its kind is kept"),
    superseded: z.boolean().describe("of a run whose step has been done again since, or will be"),
  })
  .meta({ id: "Asset" });
export type Asset = z.infer<typeof Asset>;

export const AssetQuery = z.strictObject({
  owner: Name.optional(),
  kind: AssetKind.optional(),
  job: z.uuid().optional(),
  run: z.uuid().optional(),
  step: Name.optional(),
  source_task_id: Name.optional(),
  commit: CommitId.optional(),
  search: OneLine.optional().describe("a part of the name, in letters of any case"),
  type: z
    .string()
    .regex(/^[\w.+-]{1,64}(?:\/[\w.+-]{1,64})?$/, "must be a media type, or its first part")
    .optional()
    .describe("a media type, or its first part: `image`"),
  declared_type: OneLine.optional().describe("what the caller said that it is"),
  name: AssetName.optional().describe("exactly this"),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in hex")
    .optional(),
  bytes_min: z.coerce.number().int().min(0).optional(),
  bytes_max: z.coerce.number().int().min(0).optional(),
  cursor: z.uuid().optional().describe("`next_cursor` of the page before"),
  limit: z.coerce.number().int().min(1).max(200).prefault(50),
});
export type AssetQuery = z.infer<typeof AssetQuery>;

export const AssetList = z
  .object({
    assets: z.array(Asset).describe("newest first"),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: "AssetList" });
export type AssetList = z.infer<typeof AssetList>;

/** Beside a body that is the file itself; the fields of a form say the same. */
export const AssetUpload = z.strictObject({
  name: AssetName.optional().describe("needed, unless a form names the file"),
  source_task_id: Name.optional().describe("an id of yours, to find the asset by"),
  commit: CommitId.optional(),
});
export type AssetUpload = z.infer<typeof AssetUpload>;

export const AssetContentQuery = z.strictObject({
  inline: z
    .enum(["true", "false"])
    .optional()
    .describe("`true`: to be shown in a frame that can do nothing, where its type allows that"),
});
