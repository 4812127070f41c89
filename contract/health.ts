// Answers of the health routes.
import { z } from "zod";

export const Alive = z.object({ status: z.literal("ok") }).meta({ id: "Alive" });

export const Ready = z
  .object({ status: z.literal("ready"), database_ms: z.number() })
  .meta({ id: "Ready" });
