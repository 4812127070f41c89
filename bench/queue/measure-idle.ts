// What a real server takes when nobody asks it for anything, without PostgreSQL's processes.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startServer } from "../../test/support/croft-process.ts";
import { isQuick } from "../quick.ts";
import type { Scratch } from "../scratch.ts";

export interface Idle {
  readonly rssMb: number;
  readonly cpuPercent: number;
}

/** What a start leaves to do, and what V8 has to optimise after it, is done by then: half a minute was seen. */
const SETTLE_MS = isQuick ? 10_000 : 45_000;
const MEASURE_MS = isQuick ? 5000 : 20_000;

export async function measureIdle(scratch: Scratch): Promise<Idle> {
  const server = await startServer(join(scratch.path, "idle"));
  scratch.atEnd(() => server.stop());
  await delay(SETTLE_MS);
  const before = cpuMs(server.pid);
  await delay(MEASURE_MS);
  const cpuPercent = ((cpuMs(server.pid) - before) / MEASURE_MS) * 100;
  const idle = { rssMb: rssMb(server.pid), cpuPercent };
  await server.stop();
  return idle;
}

/** Resident memory of a process and of those it started. */
export function rssMb(pid: number): number {
  const bytes = familyOf(pid).map((member) => {
    const status = readFileSync(`/proc/${member}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
  });
  return bytes.reduce((sum, some) => sum + some, 0) / 1e6;
}

function cpuMs(pid: number): number {
  const ticks = familyOf(pid).map((member) => {
    const fields =
      readFileSync(`/proc/${member}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return Number(fields[11]) + Number(fields[12]); // utime and stime, see proc(5)
  });
  return (ticks.reduce((sum, some) => sum + some, 0) / ticksPerSecond()) * 1000;
}

/** The process and its children, except the database. */
function familyOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
  const own = children.filter((child) => {
    return child !== "" && readFileSync(`/proc/${child}/comm`, "utf8").trim() !== "postgres";
  });
  return [pid, ...own.flatMap((child) => familyOf(Number(child)))];
}

function ticksPerSecond(): number {
  return Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
}
