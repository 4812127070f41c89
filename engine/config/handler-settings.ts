// Settings of the processes in which handlers of a project run.
import { z } from "zod";
import { wholeNumber } from "./setting-values.ts";

/** The server's own secrets are not for them, by whatever name. */
const variableNames = z
  .string()
  .regex(
    /^(?!(?:.*,)?(?:CROFT_|DATABASE_URL(?:,|$)|NODE_OPTIONS(?:,|$)))(?:[A-Za-z_]\w*(?:,[A-Za-z_]\w*)*)?$/,
    "must be names of variables, divided by commas; none that begins with CROFT_, nor DATABASE_URL or NODE_OPTIONS",
  )
  .transform((text) => text.split(",").filter(Boolean));

export const handlerSettings = z
  .strictObject({
    memory: wholeNumber(64, 1024 * 1024)
      .prefault(512)
      .meta({
        description:
          "Memory that one process of handlers may take with those it starts, in MiB, besides what Node takes",
      }),
    environment: variableNames.prefault("").meta({
      description:
        "Variables of the server's environment, divided by commas, that handlers see; their values are blotted out of logs",
      defaultText: "none",
    }),
  })
  .prefault({});
