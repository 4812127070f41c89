// A server that is killed in the middle of a bulk action, and of a schedule, goes on with both after its restart.
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Bulk, Job, Schedule } from "@croft/contract";
import { expect, inject, onTestFinished, test } from "vitest";
import { type RunningServer, startServer } from "./support/croft-process.ts";
import { waitUntil } from "./support/wait-until.ts";

const JOBS = 1000;
/** Nobody listens there: it fails soon, which is all that is needed of it here. */
const REMOTE = { repository: "https://127.0.0.1:9/nothing.git", command: "true" };
const COMMAND = { type: "command", input: REMOTE, attempts: 1 };

async function ask<T>(server: RunningServer, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${server.url}/api${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${server.token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

test("killed with a bulk action half done, the server ends it after its restart", async () => {
  const data = join(inject("scratch"), "bulk-resume");
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const first = await startServer(data);
  onTestFinished(async () => void (first.child.signalCode ?? (await first.stop())));
  const later = { ...COMMAND, key: "later", run_at: "2999-01-01T00:00:00Z" };
  await Promise.all(Array.from({ length: JOBS }, () => ask<Job>(first, "/jobs", later)));
  const request = { name: "every second", cron: "* * * * * *", job: { ...COMMAND, key: "clock" } };
  const { id: scheduleId } = await ask<Schedule>(first, "/schedules", request);
  const { id } = await ask<Bulk>(first, "/bulk", { action: "cancel", filter: { key: "later" } });
  await waitUntil("progress", async () => (await ask<Bulk>(first, `/bulk/${id}`)).done > 0);
  first.child.kill("SIGKILL");
  expect(await first.exit).toBe("SIGKILL");

  const second = await startServer(data);
  onTestFinished(async () => void (await second.stop()));
  const before = await ask<Schedule>(second, `/schedules/${scheduleId}`);
  const bulk = await waitUntil("the end", async () => {
    const now = await ask<Bulk>(second, `/bulk/${id}`);
    return now.status !== "running" && now;
  });
  expect(bulk).toMatchObject({ status: "done", total: JOBS, done: JOBS, skipped: 0 });
  const left = await ask<{ jobs: Job[] }>(second, "/jobs?key=later&status=queued");
  expect(left.jobs).toEqual([]);
  await waitUntil("the schedule's next job", async () => {
    const { last_job_id } = await ask<Schedule>(second, `/schedules/${scheduleId}`);
    return last_job_id !== null && last_job_id !== before.last_job_id;
  });
});
