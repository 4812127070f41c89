// Creating the first admin with the one-time link that the first start prints.
import { z } from "zod";
import { Email, Password, PersonName } from "./admin.ts";

export const SetupState = z
  .object({ needed: z.boolean().describe("true while there is no admin") })
  .meta({ id: "SetupState" });
export type SetupState = z.infer<typeof SetupState>;

export const Setup = z
  .strictObject({
    token: z.string().min(1).max(256).describe("the part of the link after `#`"),
    email: Email,
    name: PersonName,
    password: Password,
  })
  .meta({ id: "Setup" });
export type Setup = z.infer<typeof Setup>;

export const SetupLink = z
  .object({ url: z.string(), expires_at: z.iso.datetime() })
  .meta({ id: "SetupLink" });
export type SetupLink = z.infer<typeof SetupLink>;
