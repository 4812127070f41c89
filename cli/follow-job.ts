// Waits for the end of a job, and says what happens until then.
import { Event, type Job } from "@croft/contract";
import { askJob } from "./ask-jobs.ts";
import type { Reach } from "./client-action.ts";
import { followEvents } from "./follow-events.ts";
import { noteOf } from "./job-table.ts";
import { type JobView, LineView } from "./job-view.ts";
import { requireAnswer } from "./require-answer.ts";
import { plainText } from "./terminal-text.ts";

const FINAL = ["job.done", "job.failed", "job.cancelled"];

export async function followJob(
  reach: Reach,
  id: string,
  view: JobView = new LineView(),
): Promise<Job> {
  const events = followEvents({
    open: async (lastEventId, signal) => {
      const server = await reach();
      // What came last may have been removed meanwhile: then the stream would stay empty.
      if (lastEventId !== undefined && (await askJob(server, id)).finished_at !== null) {
        return undefined;
      }
      const header = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
      const params = { path: { id }, header };
      const answer = await server.client.GET("/api/jobs/{id}/events", {
        ...{ params, signal, parseAs: "stream" },
      });
      return answer.response.status === 204 ? undefined : (requireAnswer(answer) ?? undefined);
    },
    onLost: (reason) => view.say(lostText(reason)),
  });
  try {
    for await (const { type, data } of events) {
      if (type.startsWith("job.")) view.tell(Event.parse(JSON.parse(data)));
      if (FINAL.includes(type)) break;
    }
  } finally {
    view.end();
  }
  return await askJob(await reach(), id);
}

/** The exit code is the job's: 0 if it was done. */
export function reportEnd(job: Job): void {
  if (job.status === "done") return;
  const note = noteOf(job);
  process.stderr.write(`croft: job ${job.id} ${job.status}${note && `: ${plainText(note)}`}\n`);
  process.exitCode = 1;
}

export function sayLost(reason: string): void {
  process.stderr.write(`${lostText(reason)}\n`);
}

function lostText(reason: string): string {
  return `croft: ${reason}; coming back to it`;
}
