// What an operator should look at first, worked out from the numbers of the overview.
import type { Overview } from "@croft/contract";
import { formatBytes } from "./format-bytes.ts";
import { formatCount } from "./format-count.ts";
import { formatMilliseconds } from "./format-duration.ts";
import { formatPercent } from "./format-percent.ts";

export interface Finding {
  subject: "disk" | "requests" | "event-loop" | "database";
  tone: "warn" | "bad";
  title: string;
  detail: string;
}

export const limits = {
  diskFreeWarn: 0.1,
  diskFreeBad: 0.03,
  eventLoopMs: 100,
  databaseRoundTripMs: 100,
} as const;

/** The worst first. */
export function overviewFindings(overview: Overview): Finding[] {
  const findings = [
    diskFinding(overview),
    requestsFinding(overview),
    databaseFinding(overview),
    eventLoopFinding(overview),
  ].filter((finding) => finding !== undefined);
  return findings.sort((a, b) => Number(b.tone === "bad") - Number(a.tone === "bad"));
}

function diskFinding({ disk }: Overview): Finding | undefined {
  const free = disk.free_bytes / disk.total_bytes;
  if (free >= limits.diskFreeWarn) return undefined;
  return {
    subject: "disk",
    tone: free < limits.diskFreeBad ? "bad" : "warn",
    title: `Only ${formatPercent(free)} of the disk is free`,
    detail: `${formatBytes(disk.free_bytes)} of ${formatBytes(disk.total_bytes)} are left. Remove files or enlarge the volume before the database runs out of room.`,
  };
}

function requestsFinding({ requests }: Overview): Finding | undefined {
  if (requests.failed === 0) return undefined;
  const share = formatPercent(requests.failed / requests.total);
  return {
    subject: "requests",
    tone: "warn",
    title: `${formatCount(requests.failed)} ${requests.failed === 1 ? "request" : "requests"} failed on the server`,
    detail: `Since the start ${share} of ${formatCount(requests.total)} requests were answered with 5xx. The log of \`croft serve\` has each with its request id.`,
  };
}

function databaseFinding({ database }: Overview): Finding | undefined {
  if (database.round_trip_ms < limits.databaseRoundTripMs) return undefined;
  return {
    subject: "database",
    tone: "warn",
    title: "The database answers slowly",
    detail: `A round trip took ${formatMilliseconds(database.round_trip_ms)} ms; below ${limits.databaseRoundTripMs} ms is usual even over a network.`,
  };
}

function eventLoopFinding({ process }: Overview): Finding | undefined {
  if (process.event_loop_p99_ms < limits.eventLoopMs) return undefined;
  return {
    subject: "event-loop",
    tone: "warn",
    title: "The server process is held up",
    detail: `One in a hundred waits in its event loop took over ${formatMilliseconds(process.event_loop_p99_ms)} ms, and every request waits with it. The machine may be short of CPU.`,
  };
}
