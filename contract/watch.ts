// A watch: a repository of which an app wants to hear what changes.
import { z } from "zod";

const Glob = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[^\p{Cc}\p{Cs}]+$/u, "must have no control characters");
const Globs = z.array(Glob).max(100);
const Ref = z
  .string()
  .min(1)
  .max(255)
  .describe("a branch or tag, or a ref in full; without one, the remote's default branch");
const PollSeconds = z.int().min(5).max(604_800).describe("how often the remote is asked");

/** The database takes no NUL, and nobody's address has one. */
export const AddressPart = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}\p{Cs}]+$/u, "must have no control characters")
  .describe("a part of the address");

export const NewWatch = z
  .strictObject({
    app: z.uuid().optional().describe("whose; apps need not say so, others must"),
    url: z.string().min(1).max(2048).describe("an https or ssh address of a git repository"),
    ref: Ref.optional(),
    credential: z
      .uuid()
      .optional()
      .describe("one of the app's; without it the one that fits the address best, or none"),
    include: Globs.prefault([]).describe("only these files; none means all"),
    exclude: Globs.prefault([]).describe("not these"),
    poll: PollSeconds.optional(),
  })
  .meta({ id: "NewWatch" });
export type NewWatch = z.infer<typeof NewWatch>;

/** What is not named stays; null is the default again. */
export const WatchChange = z
  .strictObject({
    ref: Ref.nullable().optional(),
    credential: z.uuid().nullable().optional(),
    include: Globs.optional(),
    exclude: Globs.optional(),
    poll: PollSeconds.nullable().optional(),
  })
  .meta({ id: "WatchChange" });
export type WatchChange = z.infer<typeof WatchChange>;

export const WatchState = z
  .enum(["pending", "synced", "failing"])
  .describe("`pending`: its first sync is still to come");
export type WatchState = z.infer<typeof WatchState>;

export const Watch = z
  .object({
    id: z.uuid(),
    app: z.uuid(),
    url: z.string(),
    ref: z.string().nullable().describe("null is the remote's default branch"),
    credential: z.uuid().nullable(),
    include: z.array(z.string()),
    exclude: z.array(z.string()),
    poll: z.int().nullable().describe("seconds; null is what the server was set to"),
    state: WatchState,
    commit: z.string().nullable().describe("the commit that its app was told of, or is being told"),
    commit_ref: z.string().nullable(),
    told_at: z.iso.datetime().nullable(),
    checked_at: z.iso.datetime().nullable().describe("when its credential was last seen to work"),
    held: z.boolean().describe("its credential is refused: nothing of it is sent"),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    failed_since: z.iso.datetime().nullable(),
    retry_at: z.iso.datetime().nullable(),
    undelivered: z.int().describe("deliveries that are still to be accepted"),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "Watch" });
export type Watch = z.infer<typeof Watch>;

export const WatchQuery = z.strictObject({
  app: z.uuid().optional(),
  state: WatchState.optional(),
  search: AddressPart.optional(),
  cursor: z.uuid().optional().describe("`next_cursor` of the page before"),
  limit: z.coerce.number().int().min(1).max(200).prefault(50),
});
export type WatchQuery = z.infer<typeof WatchQuery>;

export const WatchList = z
  .object({ watches: z.array(Watch).describe("newest first"), next_cursor: z.string().nullable() })
  .meta({ id: "WatchList" });
export type WatchList = z.infer<typeof WatchList>;

export const WatchFile = z
  .object({
    path: z.string(),
    path_encoding: z
      .literal("base64")
      .optional()
      .describe("the name is no valid UTF-8: `path` is base64 of its bytes"),
    blob: z.string().describe("git's id of the content; of a submodule its commit"),
    size: z.int().describe("in bytes; 0 for a submodule"),
    mode: z
      .enum(["100644", "100755", "120000", "160000"])
      .describe("file, executable, symbolic link (its content is where it leads) or submodule"),
  })
  .meta({ id: "WatchFile" });
export type WatchFile = z.infer<typeof WatchFile>;

export const WatchFileQuery = z.strictObject({
  prefix: z.string().min(1).max(4096).optional().describe("what their paths begin with"),
  search: z.string().min(1).max(200).optional().describe("a part of the path, in any case"),
  cursor: z
    .string()
    .max(8192)
    .optional()
    .describe(
      "`next_cursor` of the page before: the same commit goes on, whatever was synced since",
    ),
  limit: z.coerce.number().int().min(1).max(1000).prefault(200),
});
export type WatchFileQuery = z.infer<typeof WatchFileQuery>;

export const WatchFileList = z
  .object({
    commit: z.string().nullable().describe("whose files they are; null before the first sync"),
    files: z.array(WatchFile).describe("in the order of the bytes of their paths"),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: "WatchFileList" });
export type WatchFileList = z.infer<typeof WatchFileList>;

export const WatchContentQuery = z.strictObject({
  path: z.string().min(1).max(8192),
  path_encoding: z.literal("base64").optional().describe("as the list says it"),
});
export type WatchContentQuery = z.infer<typeof WatchContentQuery>;
