// Events of GitHub, the installations of the App that they come from, and how both stand.
import { z } from "zod";

export const GithubEventStatus = z.enum(["pending", "handled", "ignored", "failed"]);
export type GithubEventStatus = z.infer<typeof GithubEventStatus>;

export const GithubEvent = z
  .object({
    id: z.uuid(),
    delivery_id: z.string().describe("GitHub's own id: the same when it is sent again"),
    event: z.string().describe("`pull_request`, `push`, …"),
    action: z.string().nullable().describe("`opened`, `created`, …"),
    installation: z.int().nullable(),
    repository: z.string().nullable().describe("`owner/name`"),
    pull_request: z.int().nullable(),
    sender: z.string().nullable(),
    status: GithubEventStatus.describe("`ignored`: there was nothing to be done"),
    replay: z.int().describe("how often somebody asked for it once more"),
    failures: z.int().describe("tries in a row that went wrong"),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    due_at: z.iso.datetime().nullable().describe("when it is tried next"),
    size_bytes: z.int(),
    received_at: z.iso.datetime(),
    settled_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "GithubEvent" });
export type GithubEvent = z.infer<typeof GithubEvent>;

export const GithubEffect = z
  .object({
    trigger: z.string().describe("`croft/installation` and `croft/watches` are built in"),
    replay: z.int(),
    job: z.uuid().nullable(),
    run: z.uuid().nullable(),
    problem: z.string().nullable().describe("why it started nothing"),
    at: z.iso.datetime(),
  })
  .meta({ id: "GithubEffect" });
export type GithubEffect = z.infer<typeof GithubEffect>;

export const GithubEventDetails = GithubEvent.extend({
  effects: z.array(GithubEffect).describe("what it started, oldest first"),
  payload: z.record(z.string(), z.unknown()),
}).meta({ id: "GithubEventDetails" });
export type GithubEventDetails = z.infer<typeof GithubEventDetails>;

export const GithubEventQuery = z.strictObject({
  installation: z.coerce.number().int().positive().optional(),
  event: z
    .string()
    .regex(/^[a-z_]+$/)
    .max(100)
    .optional()
    .describe("`pull_request`, `push`, …"),
  status: GithubEventStatus.optional(),
  cursor: z
    .string()
    .regex(/^\d{1,18}$/)
    .optional()
    .describe("`next_cursor` of the page before"),
  limit: z.coerce.number().int().min(1).max(200).prefault(50),
});
export type GithubEventQuery = z.infer<typeof GithubEventQuery>;

export const GithubEventList = z
  .object({
    events: z.array(GithubEvent).describe("newest first"),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: "GithubEventList" });
export type GithubEventList = z.infer<typeof GithubEventList>;

export const GithubInstallation = z
  .object({
    id: z.int(),
    account: z.string().nullable().describe("who has installed the App"),
    account_type: z.string().nullable().describe("`User` or `Organization`"),
    selection: z.string().nullable().describe("`all` or `selected` repositories"),
    repositories: z.int().describe("how many are known"),
    pending: z.int().describe("events that wait"),
    failed: z.int().describe("events that were given up"),
    last_received_at: z.iso.datetime().nullable(),
    suspended_at: z.iso.datetime().nullable(),
    deleted_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "GithubInstallation" });
export type GithubInstallation = z.infer<typeof GithubInstallation>;

export const GithubInstallationDetails = GithubInstallation.extend({
  permissions: z.record(z.string(), z.string()).nullable(),
  events: z.array(z.string()).nullable().describe("that the App gets"),
  known_repositories: z
    .array(z.object({ id: z.int(), full_name: z.string(), is_private: z.boolean() }))
    .describe("by name, at most 1,000"),
  last_events: z.array(GithubEvent).describe("newest first, the last 20"),
  last_failures: z.array(GithubEvent).describe("newest first, the last 20"),
}).meta({ id: "GithubInstallationDetails" });
export type GithubInstallationDetails = z.infer<typeof GithubInstallationDetails>;

export const GithubInstallationQuery = z.strictObject({
  cursor: z.coerce
    .number()
    .int()
    .positive()
    .optional()
    .describe("`next_cursor` of the page before"),
  limit: z.coerce.number().int().min(1).max(200).prefault(50),
});
export type GithubInstallationQuery = z.infer<typeof GithubInstallationQuery>;

export const GithubInstallationList = z
  .object({
    installations: z.array(GithubInstallation).describe("by id"),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: "GithubInstallationList" });
export type GithubInstallationList = z.infer<typeof GithubInstallationList>;

export const GithubState = z
  .object({
    takes_events: z.boolean().describe("whether there is a webhook secret"),
    app_id: z.int().nullable().describe("null: Croft asks GitHub nothing"),
    api_url: z.string(),
    web_url: z.string(),
    installations: z.int().describe("that have not been removed"),
    last_received_at: z.iso.datetime().nullable(),
    pending: z.int(),
    failed: z.int(),
    handled_last_day: z.int(),
    ignored_last_day: z.int(),
  })
  .meta({ id: "GithubState" });
export type GithubState = z.infer<typeof GithubState>;

/** The answer to GitHub. */
export const ReceivedGithubEvent = z
  .object({ id: z.uuid(), status: GithubEventStatus })
  .meta({ id: "ReceivedGithubEvent" });
export type ReceivedGithubEvent = z.infer<typeof ReceivedGithubEvent>;
