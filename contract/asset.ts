// A stored file, and where it came from.
import { z } from "zod";
import { Name } from "./job.ts";

export const AssetKind = z.enum(["artifact", "generated", "upload", "bundle"]);
export type AssetKind = z.infer<typeof AssetKind>;

export const Asset = z
  .object({
    id: z.uuid(),
    owner: z.string(),
    kind: AssetKind,
    name: z.string(),
    media_type: z.string(),
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
  commit: z
    .string()
    .regex(/^[0-9a-f]{40,64}$/, "must be a full commit id")
    .optional(),
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
