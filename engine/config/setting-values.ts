// What kinds of value a setting can have, and how each is said as text.
import { z } from "zod";

/** Flags and the environment give text, croft.config.ts gives values: both are accepted. */
export const wholeNumber = (min: number, max: number) =>
  z
    .union([z.int(), z.string().regex(/^\d+$/).transform(Number)], {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .pipe(z.int().min(min).max(max));

export const yesOrNo = z.union(
  [z.boolean(), z.enum(["true", "false"]).transform((v) => v === "true")],
  {
    error: "must be true or false",
  },
);

export const webUrl = z.string().refine((text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return (
    url !== undefined && /^https?:$/.test(url.protocol) && url.origin === url.href.slice(0, -1)
  );
}, "must be an http or https URL without a path");

export const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, "must begin with postgres:// or postgresql://");

export const hostList = z
  .string()
  .regex(/^[\w.:,[\]-]*$/, "must be host names, divided by commas")
  .transform((text) => text.split(",").filter(Boolean));

/** Names of accounts at GitHub, which differ by more than case. */
export const accountList = z
  .string()
  .regex(/^[\w.,-]*$/, "must be names of accounts, divided by commas")
  .transform((text) => text.toLowerCase().split(",").filter(Boolean));

export const absolutePath = z.string().regex(/^\//, "must be an absolute path");

export const secret = { secret: true };
