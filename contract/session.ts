// Signing in and out, and the list of places an admin is signed in.
import { z } from "zod";
import { Admin, Email } from "./admin.ts";

export const SignIn = z
  .strictObject({ email: Email, password: z.string().min(1).max(256) })
  .meta({ id: "SignIn" });
export type SignIn = z.infer<typeof SignIn>;

/** Who the browser is. `csrf_token` goes into the `x-csrf-token` header of every request that changes something. */
export const CurrentSession = z
  .object({ admin: Admin, csrf_token: z.string(), expires_at: z.iso.datetime() })
  .meta({ id: "CurrentSession" });
export type CurrentSession = z.infer<typeof CurrentSession>;

export const Session = z
  .object({
    id: z.uuid(),
    admin_id: z.uuid(),
    email: z.string(),
    current: z.boolean().describe("the session this request was made with"),
    address: z.string().describe("where it signed in from"),
    user_agent: z.string(),
    created_at: z.iso.datetime(),
    last_seen_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: "Session" });
export type Session = z.infer<typeof Session>;

export const SessionList = z.object({ sessions: z.array(Session) }).meta({ id: "SessionList" });
