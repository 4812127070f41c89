// Secrets and credentials: told to Croft once, used by jobs, shown to nobody.
import { z } from "zod";
import { Name } from "./job.ts";

/** Long enough for keys and certificates. */
const VALUE_BYTES_MAX = 64 * 1024;

export const SecretName = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/,
    "must be letters, digits, _ and -, at most 64, and begin with a letter or _",
  );

/** Measured in bytes of UTF-8, as it is stored. */
export const SecretValue = z
  .string()
  .min(1)
  .max(VALUE_BYTES_MAX)
  .refine(
    (text) => new TextEncoder().encode(text).length <= VALUE_BYTES_MAX,
    `must have at most ${VALUE_BYTES_MAX} bytes`,
  )
  .refine(
    (text) => !text.includes("\0") && !/\p{Cs}/u.test(text),
    "must not contain U+0000 or half of a surrogate pair",
  )
  .describe("never shown again");

export const NewSecret = z.strictObject({ value: SecretValue }).meta({ id: "NewSecret" });
export type NewSecret = z.infer<typeof NewSecret>;

export const Secret = z
  .object({
    owner: z.string(),
    name: z.string(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable().describe("to the minute"),
  })
  .meta({ id: "Secret" });
export type Secret = z.infer<typeof Secret>;

/** Apps set their own; installations cannot, as nobody signs in for them. */
export const SecretOwnerQuery = z.strictObject({
  owner: z
    .string()
    .regex(/^installation:[1-9]\d{0,15}$/, "must be installation:<id>; your own need no owner")
    .optional(),
});

/** Whose, for callers that see more than their own. */
export const OwnerQuery = z.strictObject({ owner: Name.optional() });
export type OwnerQuery = z.infer<typeof OwnerQuery>;

export const SecretQuery = OwnerQuery.extend({
  cursor: z.uuid().optional().describe("`next_cursor` of the page before"),
  limit: z.coerce.number().int().min(1).max(200).prefault(50),
});
export type SecretQuery = z.infer<typeof SecretQuery>;

export const SecretList = z
  .object({
    secrets: z.array(Secret).describe("newest first"),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: "SecretList" });
export type SecretList = z.infer<typeof SecretList>;

export const CredentialKind = z.enum(["token", "basic", "ssh-key", "github-app"]);
export type CredentialKind = z.infer<typeof CredentialKind>;

export const NewCredential = z
  .strictObject({
    app: z.uuid().optional().describe("for which app; apps need not say so, others have their own"),
    kind: CredentialKind,
    url: z
      .string()
      .min(1)
      .max(2048)
      .describe(
        "the repositories it is for: `https://host`, `https://host/owner` or one repository; `ssh://host/…` for keys",
      ),
    username: z
      .string()
      .max(255)
      .regex(/^[^\p{Cc}\p{Cs}]*$/u, "must have no control characters")
      .optional()
      .describe("needed with `basic`; tokens have `x-access-token`, keys `git` by default"),
    value: SecretValue.describe(
      "token, password or private key; of a `github-app` the id of the installation, which only admins may set; never shown again",
    ),
    expires_at: z.iso
      .datetime({ offset: true })
      .optional()
      .describe(
        "from then on it is not used; `credential.expiring` is told a week and a day before",
      ),
    check_url: z
      .string()
      .min(1)
      .max(2048)
      .optional()
      .describe("a repository to try it with; without one, what its owner watches by it"),
  })
  .meta({ id: "NewCredential" });
export type NewCredential = z.infer<typeof NewCredential>;

export const Credential = z
  .object({
    id: z.uuid(),
    owner: z.string(),
    kind: CredentialKind,
    url: z.string().describe("as Croft writes it"),
    username: z.string(),
    state: z.enum(["unchecked", "working", "refused"]).describe("what the remote last said to it"),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable().describe("to the minute"),
    checked_at: z.iso.datetime().nullable(),
    expires_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "Credential" });
export type Credential = z.infer<typeof Credential>;

export const CredentialList = z
  .object({
    credentials: z.array(Credential).describe("newest first"),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: "CredentialList" });
export type CredentialList = z.infer<typeof CredentialList>;

export const EncryptionKeys = z
  .object({
    keys: z
      .array(
        z.object({
          id: z.string(),
          is_current: z.boolean(),
          created_at: z.iso.datetime(),
          values: z
            .int()
            .describe("secrets, credentials and signing secrets that are encrypted with it"),
        }),
      )
      .describe("newest first; one only when no rotation is on its way"),
    file: z.enum(["managed", "operator"]).describe("whether Croft writes the file of keys itself"),
  })
  .meta({ id: "EncryptionKeys" });
export type EncryptionKeys = z.infer<typeof EncryptionKeys>;
