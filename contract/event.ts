// What happened to a subject, in order: the data of server-sent events.
import { z } from "zod";

export const Event = z
  .object({
    subject: z.guid(),
    seq: z.int().describe("numbers the events of one subject from 1"),
    type: z.string().describe("`job.started`, `worker.ended`, …"),
    owner: z.string(),
    data: z.record(z.string(), z.unknown()),
    at: z.iso.datetime(),
  })
  .meta({ id: "Event" });
export type Event = z.infer<typeof Event>;

export const EventList = z.object({ events: z.array(Event) }).meta({ id: "EventList" });

/** One piece of a job's log, as its stream sends it. */
export const LogPiece = z
  .object({
    attempt: z.int(),
    stream: z.enum(["stdout", "stderr", "croft"]),
    at: z.iso.datetime(),
    text: z.string(),
  })
  .meta({ id: "LogPiece" });
export type LogPiece = z.infer<typeof LogPiece>;
