// One job in words.
import type { Job } from "@croft/contract";
import { noteOf } from "./job-table.ts";
import { plainText } from "./terminal-text.ts";

export function describeJob(job: Job): string {
  const note = noteOf(job);
  const rows: readonly (readonly [string, string | null])[] = [
    ["id", job.id],
    ["type", job.type],
    ["status", job.status === "queued" && note !== "" ? `queued, ${note}` : job.status],
    ["progress", job.status === "running" && note !== "" ? note : null],
    ["error", job.error === null ? null : `${job.error.message} (${job.error.code})`],
    ["owner", job.owner],
    ["key", job.key],
    ["priority", job.priority],
    ["attempt", attemptOf(job)],
    ["source task", job.source_task_id],
    ["retry of", job.retry_of],
    ["created", job.created_at],
    ["not before", job.run_at > job.created_at ? job.run_at : null],
    ["started", job.started_at],
    ["finished", job.finished_at],
    ["input", JSON.stringify(job.input)],
    ["result", job.result === null ? null : JSON.stringify(job.result)],
  ];
  const shown = rows.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${plainText(value)}\n`).join("");
}

function attemptOf({ attempt, attempts }: Job): string | null {
  if (attempt === 0) return null;
  return attempts === null ? String(attempt) : `${attempt} of ${attempts}`;
}
