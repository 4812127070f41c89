// A step that prints far more than its log may have, on real processes: it ends well, its worker stays small, others go on.
import { readFileSync } from "node:fs";
import type { FaultOptions, FaultResult } from "./fault.ts";
import { judgeHost } from "./judge-host.ts";
import { RunHost } from "./run-host.ts";

const PLAN = { workers: 1, slots: 4, repository: { files: 5, seed: 1 } };
const LOG_BYTES_MAX = 16 * 1024 * 1024;
const WORKER_MIB_MAX = 1024;
const END_CEILING_MS = 900_000;

/** `count` MiB. */
export async function printMuch({ count, directory }: FaultOptions): Promise<FaultResult> {
  const host = await RunHost.open(directory, PLAN);
  const failures: string[] = [];
  const figures: Record<string, number> = {};
  try {
    const line = "x".repeat(99);
    const lines = Math.ceil((count * 1024 * 1024) / (line.length + 1));
    const print = `echo first; yes ${line} | head -n ${lines}; echo last`;
    const loud = await host.start(runOf("loud", `steps:\n  print: { run: "${print}" }\n`));
    const others: string[] = [];
    for (let number = 0; number < 3; number++) {
      others.push(await host.start(runOf(`other-${number}`, "steps:\n  a: { run: echo x > x }\n")));
    }
    await host.untilNone("croft.run where finished_at is null", END_CEILING_MS);
    for (const id of [loud, ...others]) {
      const { name, status, error } = await host.detail(id);
      if (status !== "done") failures.push(`${name} is ${status}: ${JSON.stringify(error)}`);
    }
    const { rows } = await host.pool.query<{ text: string }>(
      `select string_agg(l.text, '' order by l.seq) as text from croft.job_log l join croft.job j on j.id = l.job_id
       where j.run_id = $1 and j.type = 'step'`,
      [loud],
    );
    const text = rows[0]?.text ?? "";
    if (text.length > 1.1 * LOG_BYTES_MAX) failures.push(`its log has ${text.length} bytes`);
    if (!text.includes("first\n") || !text.trimEnd().endsWith("last")) {
      failures.push(`its log begins '${text.slice(0, 200)}' and ends '${text.slice(-200)}'`);
    }
    figures["log_bytes"] = text.length;
    const peaks = [host.server, ...host.workers].map(({ pid }) => peakMib(pid));
    figures["peak_mib"] = Math.max(...peaks);
    if (Math.max(...peaks) > WORKER_MIB_MAX) failures.push(`a process took ${peaks} MiB`);
    failures.push(...(await judgeHost(host)));
  } catch (error) {
    failures.push(error instanceof Error ? error.message : String(error));
    failures.push(...(await host.stop()));
  }
  return { injected: count, figures, failures };
}

function runOf(name: string, steps: string) {
  return { name, text: `name: ${name}\n${steps}` };
}

function peakMib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}
