// The last lines of a job's log.
import pc from "picocolors";
import type { ReachedServer } from "./reach-server.ts";
import { TerminalText } from "./terminal-text.ts";

const TAIL_BYTES = 16 * 1024;

/** None where there is no log, or no more. What the job wrote must not steer the terminal. */
export async function readLogTail(
  { client }: ReachedServer,
  jobId: string,
  linesMax: number,
): Promise<string[]> {
  const answer = await client.GET("/api/jobs/{id}/log", {
    ...{ params: { path: { id: jobId } }, parseAs: "text" },
    headers: { range: `bytes=-${TAIL_BYTES}` },
  });
  if (!answer.response.ok || answer.data === undefined) return [];
  const filter = new TerminalText({ keepsColours: pc.isColorSupported });
  const lines = `${filter.push(answer.data)}`.split("\n");
  if (answer.response.status === 206 && answer.data.length >= TAIL_BYTES) lines.shift(); // cut somewhere
  while (lines.at(-1) === "") lines.pop();
  const tail = lines.slice(-linesMax);
  return tail.length === 0 ? [] : [...tail.slice(0, -1), `${tail.at(-1) ?? ""}${filter.end()}`];
}
