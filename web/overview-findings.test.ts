// What the overview warns of, and in which order.
import type { Overview } from "@croft/contract";
import { expect, test } from "vitest";
import { overviewFindings } from "./overview-findings.ts";

const healthy: Overview = {
  version: "0.1.0",
  started_at: "2026-11-15T10:00:00.000Z",
  now: "2026-11-15T12:00:00.000Z",
  host: "croft-1",
  process: { pid: 7, node_version: "20.20.2", rss_bytes: 150_000_000, event_loop_p99_ms: 11 },
  database: {
    mode: "embedded",
    version: "18.4",
    size_bytes: 9_000_000,
    connections: 4,
    round_trip_ms: 0.4,
  },
  disk: { path: "/data", free_bytes: 50_000_000_000, total_bytes: 100_000_000_000 },
  requests: { total: 1000, failed: 0 },
  apps: {
    ...{ total: 3, stopped: 0 },
    ...{ failing_watches: 0, failed_deliveries: 0, quarantined_deliveries: 0 },
    expiring_credentials: 0,
  },
  admins: 1,
  sessions: 1,
};

test("a healthy server has nothing to report", () => {
  expect(overviewFindings(healthy)).toEqual([]);
});

test("a disk with less than a tenth free is a warning, nearly full is worse", () => {
  const disk = (free_bytes: number) =>
    overviewFindings({ ...healthy, disk: { ...healthy.disk, free_bytes } })[0];
  expect(disk(10_000_000_000)).toBeUndefined();
  expect(disk(9_900_000_000)).toMatchObject({ subject: "disk", tone: "warn" });
  expect(disk(2_000_000_000)).toMatchObject({
    tone: "bad",
    title: "Only 2 % of the disk is free",
  });
});

test("failed requests are counted in words that fit", () => {
  const title = (failed: number) =>
    overviewFindings({ ...healthy, requests: { total: 1000, failed } })[0]?.title;
  expect(title(1)).toBe("1 request failed on the server");
  expect(title(3)).toBe("3 requests failed on the server");
});

test("apps, watches and deliveries that fail are counted, and lead to where they can be seen", () => {
  const apps = {
    ...{ total: 3, stopped: 1 },
    ...{ failing_watches: 2, failed_deliveries: 1001, quarantined_deliveries: 1 },
    expiring_credentials: 2,
  };
  const findings = overviewFindings({ ...healthy, apps });
  expect(findings.map(({ title, link }) => [title, link?.to.to])).toEqual([
    ["An app is not reached", "/apps"],
    ["2 watched repositories fail", "/repositories"],
    ["Over 1,000 deliveries were given up", "/deliveries"],
    ["A delivery is in quarantine", "/deliveries"],
    ["2 credentials expire soon, or have", "/apps"],
  ]);
});

test("the worst comes first", () => {
  const findings = overviewFindings({
    ...healthy,
    requests: { total: 1000, failed: 2 },
    process: { ...healthy.process, event_loop_p99_ms: 400 },
    database: { ...healthy.database, round_trip_ms: 250 },
    disk: { ...healthy.disk, free_bytes: 1 },
  });
  expect(findings.map(({ subject }) => subject)).toEqual([
    "disk",
    "requests",
    "database",
    "event-loop",
  ]);
  expect(findings[0]?.detail).toContain("1 B of 93.1 GiB");
});
