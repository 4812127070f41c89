// What an operator should look at first, worked out from the numbers of the overview.
import type { Overview } from "@croft/contract";
import type { LinkProps } from "@tanstack/react-router";
import { formatBytes } from "./format-bytes.ts";
import { formatCount } from "./format-count.ts";
import { formatMilliseconds } from "./format-duration.ts";
import { formatPercent } from "./format-percent.ts";

export interface Finding {
  subject:
    | ("disk" | "requests" | "event-loop" | "database")
    | ("apps" | "watches" | "deliveries" | "quarantine" | "credentials");

  tone: "warn" | "bad";
  title: string;
  detail: string;
  /** Where it can be seen closer. */
  link?: { words: string; to: LinkProps };
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
    appsFinding(overview),
    watchesFinding(overview),
    deliveriesFinding(overview),
    quarantineFinding(overview),
    credentialsFinding(overview),
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

function appsFinding({ apps: { stopped } }: Overview): Finding | undefined {
  if (stopped === 0) return undefined;
  return {
    subject: "apps",
    tone: "warn",
    title: stopped === 1 ? "An app is not reached" : `${formatCount(stopped)} apps are not reached`,
    detail: "The address fails again and again, or said that it is gone: nothing is sent there.",
    link: { words: "See the apps", to: { to: "/apps", search: {} } },
  };
}

function watchesFinding({ apps: { failing_watches: failing } }: Overview): Finding | undefined {
  if (failing === 0) return undefined;
  return {
    subject: "watches",
    tone: "warn",
    title:
      failing === 1
        ? "A watched repository fails"
        : `${formatCount(failing)} watched repositories fail`,
    detail:
      "Nothing new is told: a credential is refused, a branch is gone, or a remote does not answer.",
    link: { words: "See what fails", to: { to: "/repositories", search: { state: "failing" } } },
  };
}

function deliveriesFinding({ apps }: Overview): Finding | undefined {
  const { failed_deliveries: failed } = apps;
  if (failed === 0) return undefined;
  return {
    subject: "deliveries",
    tone: "warn",
    title: failed === 1 ? "A delivery was given up" : `${upTo(failed)} deliveries were given up`,
    detail: "All tries failed. Replay when the app works again.",
    link: { words: "See them", to: { to: "/deliveries", search: { state: "failed" } } },
  };
}

function quarantineFinding({ apps }: Overview): Finding | undefined {
  const { quarantined_deliveries: set } = apps;
  if (set === 0) return undefined;
  return {
    subject: "quarantine",
    tone: "warn",
    title: set === 1 ? "A delivery is in quarantine" : `${upTo(set)} deliveries are in quarantine`,
    detail: "An app refused a file, which was set aside so that the rest goes on.",
    link: { words: "See them", to: { to: "/deliveries", search: { state: "quarantined" } } },
  };
}

function credentialsFinding({
  apps: { expiring_credentials: many },
}: Overview): Finding | undefined {
  if (many === 0) return undefined;
  return {
    subject: "credentials",
    tone: "warn",
    title:
      many === 1
        ? "A credential expires soon, or has"
        : `${formatCount(many)} credentials expire soon, or have`,
    detail: "What is watched by it fails from then on. Replace it on the app's page.",
    link: { words: "See the apps", to: { to: "/apps", search: {} } },
  };
}

/** The server counts no further than this. */
function upTo(count: number): string {
  return count > 1_000 ? "Over 1,000" : formatCount(count);
}
