// Answers of the health routes.
import { z } from "zod";

export const Alive = z.object({ status: z.literal("ok") }).meta({ id: "Alive" });

export const Ready = z
  .object({
    status: z.literal("ready"),
    database_ms: z.number(),
    disk: z
      .enum(["ok", "full"])
      .describe("`full`: but for what is kept free for the database; no more files are taken"),
  })
  .meta({ id: "Ready" });
