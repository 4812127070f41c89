// An app: a client of the API, what it is told where, and by which tokens and secrets it is known.
import { z } from "zod";
import { Email } from "./admin.ts";
import { Name } from "./job.ts";

const AppName = Name.max(100);

const BaseUrl = z
  .string()
  .min(1)
  .max(2048)
  .describe("where its deliveries go: https, and an address that is not private");

const Description = z
  .string()
  .max(2000)
  .regex(/^(?:[^\p{Cc}\p{Cs}]|[\n\t])*$/u, "must have no control characters");

const DeliverySlots = z.int().min(1).max(64).describe("requests to it at a time");

export const NewApp = z
  .strictObject({
    name: AppName,
    base_url: BaseUrl.nullable()
      .optional()
      .describe("without one it only asks, and is told nothing"),
    email: Email.describe("who is asked when something is wrong with it"),
    description: Description.prefault(""),
    delivery_slots: DeliverySlots.prefault(4),
  })
  .meta({ id: "NewApp" });
export type NewApp = z.infer<typeof NewApp>;

/** What is not named stays. */
export const AppChange = z
  .strictObject({
    name: AppName.optional(),
    base_url: BaseUrl.nullable().optional(),
    email: Email.optional(),
    description: Description.optional(),
    delivery_slots: DeliverySlots.optional(),
    paused: z
      .boolean()
      .optional()
      .describe(
        "nothing is sent while it is; `false` takes up an address that had stopped as well",
      ),
  })
  .meta({ id: "AppChange" });
export type AppChange = z.infer<typeof AppChange>;

export const AppEndpoint = z
  .object({
    state: z
      .enum(["open", "closed", "gone"])
      .describe("`closed`: after failures in a row, for a while; `gone`: it answered 410"),
    failures: z.int().describe("in a row"),
    closed_until: z.iso.datetime().nullable(),
    gone_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "AppEndpoint" });
export type AppEndpoint = z.infer<typeof AppEndpoint>;

export const App = z
  .object({
    id: z.uuid(),
    name: z.string(),
    base_url: z.string().nullable(),
    email: z.string().nullable(),
    description: z.string(),
    paused: z.boolean(),
    delivery_slots: z.int(),
    endpoint: AppEndpoint,
    watches: z.int(),
    undelivered: z
      .int()
      .describe("of what its watches found; up to 1,001, which stands for anything beyond 1,000"),
    last_seen_at: z.iso.datetime().nullable().describe("when it last asked, to the minute"),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: "App" });
export type App = z.infer<typeof App>;

/** A token or a signing secret, without what is secret in it. */
export const AppKey = z
  .object({
    id: z.string(),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable().describe("when another has taken its place"),
  })
  .meta({ id: "AppKey" });
export type AppKey = z.infer<typeof AppKey>;

export const AppDetail = App.extend({
  pending_deliveries: z.int().describe("up to 1,001, which stands for anything beyond 1,000"),
  failed_deliveries: z.int().describe("given up or set aside; up to 1,001"),
  open_jobs: z.int().describe("that wait or run"),
  open_runs: z.int(),
  tokens: z.array(AppKey).describe("valid ones, newest first"),
  signing_secrets: z.array(AppKey).describe("valid ones, newest first: all of them sign"),
}).meta({ id: "AppDetail" });
export type AppDetail = z.infer<typeof AppDetail>;

export const OnboardedApp = AppDetail.extend({
  token: z.string().describe("`croft_<id>_<secret>`; never shown again"),
  signing_secret: z.string().describe("`whsec_…`; never shown again"),
}).meta({ id: "OnboardedApp" });
export type OnboardedApp = z.infer<typeof OnboardedApp>;

const DAY_MS = 86_400_000;

export const AppRotation = z
  .strictObject({
    old_valid_ms: z
      .int()
      .min(0)
      .max(30 * DAY_MS)
      .prefault(DAY_MS)
      .describe(
        "how long the one before stays valid; 0 ends it at once. One before that ends anyway",
      ),
  })
  .meta({ id: "AppRotation" });
export type AppRotation = z.infer<typeof AppRotation>;

export const NewAppToken = AppKey.extend({
  token: z.string().describe("never shown again"),
}).meta({ id: "NewAppToken" });
export type NewAppToken = z.infer<typeof NewAppToken>;

export const NewSigningSecret = AppKey.extend({
  signing_secret: z.string().describe("never shown again"),
}).meta({ id: "NewSigningSecret" });
export type NewSigningSecret = z.infer<typeof NewSigningSecret>;

export const AppQuery = z.strictObject({
  search: z
    .string()
    .max(200)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, "must have no control characters")
    .optional()
    .describe("a part of name, e-mail or address"),
  cursor: z.uuid().optional().describe("`next_cursor` of the page before"),
  limit: z.coerce.number().int().min(1).max(200).prefault(50),
});
export type AppQuery = z.infer<typeof AppQuery>;

export const AppList = z
  .object({
    apps: z.array(App).describe("newest first"),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: "AppList" });
export type AppList = z.infer<typeof AppList>;

export const AppDeletion = z
  .object({
    name: z.string(),
    watches: z.int(),
    repositories: z.int().describe("that nobody else watches: they are forgotten"),
    undelivered: z.int().describe("deliveries that it will not get"),
    deliveries: z.int().describe("all of them, those that it got included"),
    credentials: z.int(),
    secrets: z.int(),
    schedules: z.int().describe("those of its stored pipelines included"),
    pipelines: z.int(),
    open_jobs: z.int().describe("that are cancelled"),
    ended_jobs: z.int(),
    open_runs: z.int().describe("that are cancelled"),
    ended_runs: z.int(),
    assets: z.int(),
    asset_bytes: z.int(),
  })
  .meta({ id: "AppDeletion" });
export type AppDeletion = z.infer<typeof AppDeletion>;

export const AppPing = z
  .object({ delivery_id: z.uuid().describe("what becomes of it is among the deliveries") })
  .meta({ id: "AppPing" });
export type AppPing = z.infer<typeof AppPing>;
