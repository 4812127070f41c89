// Waits for the end of a run, and says what its steps do until then.
import { Event, RunDetail } from "@croft/contract";
import pc from "picocolors";
import type { Reach } from "./client-action.ts";
import { followEvents } from "./follow-events.ts";
import { sayLost } from "./follow-job.ts";
import type { ReachedServer } from "./reach-server.ts";
import { requireAnswer } from "./require-answer.ts";
import { plainText } from "./terminal-text.ts";

const FINAL = ["run.done", "run.failed", "run.cancelled"];

export async function askRun({ client }: ReachedServer, id: string): Promise<RunDetail> {
  return RunDetail.parse(
    requireAnswer(await client.GET("/api/runs/{id}", { params: { path: { id } } })),
  );
}

/** Until it has ended; `isQuiet` says nothing of its steps. */
export async function followRun(reach: Reach, id: string, isQuiet: boolean): Promise<RunDetail> {
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
      return requireAnswer(answer) ?? undefined;
    },
    onLost: sayLost,
  });
  const teller = new StepTeller();
  for await (const { type, data } of events) {
    if (type.startsWith("run.") && !isQuiet) teller.tell(Event.parse(JSON.parse(data)));
    if (FINAL.includes(type)) break;
  }
  return await askRun(await reach(), id);
}

const SIGNS: Readonly<Record<string, string>> = {
  ...{ running: pc.blue("▸"), waiting: pc.yellow("?"), done: pc.green("✓"), failed: pc.red("✗") },
  ...{ skipped: pc.dim("–"), cancelled: pc.yellow("■") },
};

/** One line a change, with how long it took. */
class StepTeller {
  readonly #begunAt = new Map<string, number>();

  tell({ type, data, at }: Event): void {
    if (type !== "run.step") {
      process.stderr.write(`${pc.dim(type.slice("run.".length))}\n`);
      return;
    }
    const { step, item, status, reason } = data as Readonly<Record<string, string | undefined>>;
    const name = plainText([step, item].filter((part) => part !== undefined).join("/"));
    const time = Date.parse(at);
    const begunAt = this.#begunAt.get(name);
    if (status === "running") this.#begunAt.set(name, time);
    const took =
      begunAt === undefined || status === "running"
        ? ""
        : pc.dim(` ${((time - begunAt) / 1000).toFixed(1)} s`);
    const why = reason === undefined ? "" : `: ${plainText(reason)}`;
    process.stderr.write(`${SIGNS[status ?? ""] ?? " "} ${name} ${status}${took}${why}\n`);
  }
}

/** The exit code is the run's: 0 if it was done. */
export function reportRunEnd(run: RunDetail): void {
  if (run.status === "done") return;
  const why = run.error === null ? "" : `: ${plainText(run.error.message)}`;
  process.stderr.write(`croft: run ${run.id} ${run.status}${why}\n`);
  const failed = run.steps.find(({ status, job_id }) => status === "failed" && job_id !== null);
  if (failed?.job_id != null) process.stderr.write(`  its log: croft logs ${failed.job_id}\n`);
  process.exitCode = 1;
}
