// Waits for the end of a run, and says what its steps do until then.
import { Event, RunDetail } from "@croft/contract";
import type { Reach } from "./client-action.ts";
import { followEvents } from "./follow-events.ts";
import { readLogTail } from "./log-tail.ts";
import type { ReachedServer } from "./reach-server.ts";
import { requireAnswer } from "./require-answer.ts";
import type { RunView } from "./run-view.ts";
import { plainText } from "./terminal-text.ts";

const FINAL = ["run.done", "run.failed", "run.cancelled"];
const LOG_LINES = 20;

export async function askRun({ client }: ReachedServer, id: string): Promise<RunDetail> {
  return RunDetail.parse(
    requireAnswer(await client.GET("/api/runs/{id}", { params: { path: { id } } })),
  );
}

/** Until it has ended. */
export async function followRun(reach: Reach, id: string, view: RunView): Promise<RunDetail> {
  const events = followEvents({
    open: async (lastEventId, signal) => {
      const server = await reach();
      if (lastEventId !== undefined && (await askRun(server, id)).finished_at !== null) {
        return undefined;
      }
      const header = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
      const answer = await server.client.GET("/api/runs/{id}/events", {
        ...{ params: { path: { id }, header }, signal, parseAs: "stream" },
      });
      return answer.response.status === 204 ? undefined : (requireAnswer(answer) ?? undefined);
    },
    onLost: (reason) => view.say(`croft: ${reason}; coming back to it`),
  });
  let ended: RunDetail | undefined;
  try {
    for await (const { type, data } of events) {
      if (type.startsWith("run.")) view.tell(Event.parse(JSON.parse(data)));
      if (FINAL.includes(type)) break;
    }
    ended = await askRun(await reach(), id);
    return ended;
  } finally {
    view.end(ended);
  }
}

/** The exit code is the run's: 0 if it was done. */
export async function reportRunEnd(server: ReachedServer, run: RunDetail): Promise<void> {
  if (run.status === "done") return;
  process.exitCode = 1;
  const why = run.error === null ? "" : `: ${plainText(run.error.message)}`;
  process.stderr.write(`croft: run ${run.id} ${run.status}${why}\n`);
  const failed = run.steps.find(({ status, job_id }) => status === "failed" && job_id !== null);
  if (failed?.job_id == null) return;
  const lines = await readLogTail(server, failed.job_id, LOG_LINES);
  process.stderr.write(lines.map((line) => `  | ${line}\n`).join(""));
  process.stderr.write(`  its log: croft logs ${failed.job_id}\n`);
}
