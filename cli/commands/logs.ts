// `croft logs`: the log of a job, so far or until its end.
import { LogPiece } from "@croft/contract";
import { EngineError } from "@croft/engine";
import { Command } from "commander";
import pc from "picocolors";
import { askJob } from "../ask-jobs.ts";
import { clientAction, type Reach } from "../client-action.ts";
import { followEvents } from "../follow-events.ts";
import { reportEnd, sayLost } from "../follow-job.ts";
import type { ReachedServer } from "../reach-server.ts";
import { addDataFlags } from "../read-config.ts";
import { requireAnswer, requireSuccess } from "../require-answer.ts";
import { TerminalText } from "../terminal-text.ts";
import { wholeNumber } from "../whole-number.ts";
import { writeOutput } from "../write-output.ts";

interface LogOptions {
  readonly follow?: boolean;
  readonly since: number;
}

export function createCommand(): Command {
  const command = new Command("logs")
    .argument("<id>", "the job")
    .option("-f, --follow", "until the job ends; exits with 1 if it was not done")
    .option("--since <bytes>", "leave so many out", wholeNumber(0, 1e15 - 1), 0);
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const [id = ""] = command.args;
      const { follow, since } = command.opts<LogOptions>();
      const show = follow ? followLog(reach, id, since) : readLog(await reach(), id, since);
      // What a job writes must not steer the terminal of whoever looks at it.
      const filter = process.stdout.isTTY
        ? new TerminalText({ keepsColours: pc.isColorSupported })
        : undefined;
      for await (const text of show) await writeOutput(filter?.push(text) ?? text);
      await writeOutput(filter?.end() ?? "");
      if (follow) reportEnd(await askJob(await reach(), id));
    }),
  );
}

async function* readLog(
  { client }: ReachedServer,
  id: string,
  since: number,
): AsyncGenerator<string> {
  const answer = await client.GET("/api/jobs/{id}/log", {
    params: { path: { id }, query: { since } },
    parseAs: "stream",
  });
  if (answer.response.status === 404) await requireNoRun(client, id);
  requireSuccess(answer);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  try {
    for await (const bytes of answer.data ?? []) yield decoder.decode(bytes, { stream: true });
    yield decoder.decode();
  } catch (error) {
    throw new EngineError("unavailable", "the connection to the server broke", { cause: error });
  }
}

async function* followLog(reach: Reach, id: string, since: number): AsyncGenerator<string> {
  const events = followEvents({
    lastEventId: String(since),
    open: async (lastEventId, signal) => {
      const { client } = await reach();
      const header = { "last-event-id": lastEventId ?? "" };
      const answer = await client.GET("/api/jobs/{id}/log/events", {
        params: { path: { id }, header },
        signal,
        parseAs: "stream",
      });
      if (answer.response.status === 404) await requireNoRun(client, id);
      return answer.response.status === 204 ? undefined : (requireAnswer(answer) ?? undefined);
    },
    onLost: sayLost,
  });
  for await (const { type, data } of events) {
    if (type === "end") return;
    if (type === "log") yield LogPiece.parse(JSON.parse(data)).text;
  }
}

/** It is the id of the run that is at hand; its steps have the logs. */
async function requireNoRun(client: ReachedServer["client"], id: string): Promise<void> {
  const { data: run } = await client.GET("/api/runs/{id}", { params: { path: { id } } });
  if (run === undefined) return;
  const logs = run.steps.flatMap(({ step, item, job_id }) =>
    job_id === null
      ? []
      : [`\n  croft logs ${job_id}  # ${item === null ? step : `${step}/${item}`}`],
  );
  const what = logs.length === 0 ? " none of its steps has begun" : logs.join("");
  throw new EngineError("invalid-input", `a run has no log of its own, its steps have:${what}`);
}
