// A person who signs in to the dashboard.
import { z } from "zod";
import { PASSWORD_LENGTH } from "./password-length.ts";

export const AdminRole = z.enum(["admin", "viewer"]);
export type AdminRole = z.infer<typeof AdminRole>;

export const Admin = z
  .object({
    id: z.uuid(),
    email: z.string(),
    name: z.string(),
    role: AdminRole,
    created_at: z.iso.datetime(),
  })
  .meta({ id: "Admin" });
export type Admin = z.infer<typeof Admin>;

export const Password = z.string().min(PASSWORD_LENGTH.min).max(PASSWORD_LENGTH.max);

export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .regex(/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u, "must look like name@host");

export const PersonName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^\P{Cc}*$/u, "must have no control characters");
