// `npm run screenshots -- <directory>`: every page of the dashboard in light, dark and on a phone, to look at.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Job } from "@croft/contract";
import { startServer } from "../test/support/croft-process.ts";
import { launchBrowser, visit } from "../test/support/dashboard.ts";
import { makeRepository } from "../test/support/make-repository.ts";
import { ADMIN, createAdmin, getJson, signInAsAdmin } from "../test/support/sign-in.ts";
import { waitUntil } from "../test/support/wait-until.ts";

const [target = "screenshots"] = process.argv.slice(2);
const directory = resolve(target);
mkdirSync(directory, { recursive: true });

const looks = {
  light: { colorScheme: "light", deviceScaleFactor: 2 },
  dark: { colorScheme: "dark", deviceScaleFactor: 2 },
  phone: {
    colorScheme: "light",
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
    deviceScaleFactor: 2,
  },
} as const;
const openPages = { login: "/login" };
const pages = {
  overview: "/",
  jobs: "/jobs",
  "jobs-none": "/jobs?key=none",
  queue: "/queue",
  workers: "/workers",
  settings: "/settings",
  missing: "/no/such/page",
};

const scratch = mkdtempSync(join(tmpdir(), "croft-screenshots-"));
chmodSync(scratch, 0o755);
const repository = await makeRepository(scratch, "plot", { files: 3 });
const server = await startServer(join(scratch, "data"), {
  env: {
    CROFT_GIT_ALLOW_LOCAL: "true",
    CROFT_SHUTDOWN_DRAIN: "2s",
    CROFT_SHUTDOWN_KILL_GRACE: "1s",
  },
});
const link = /http\S+\/setup#\S+/.exec(server.stdout())?.[0] ?? server.url;
const browser = await launchBrowser();
try {
  for (const [look, options] of Object.entries(looks)) {
    await take(look, options, { setup: link.replace(server.url, "") });
  }
  await createAdmin(server);
  const { headers } = await signInAsAdmin(server);
  const [name = "", value = ""] = (headers["cookie"] ?? "").split("=");
  const cookie = { name, value, url: server.url };
  for (const [look, options] of Object.entries(looks)) {
    await take(look, options, openPages);
    await take(look, options, { "jobs-first": "/jobs" }, cookie);
  }
  const jobPages = await submitJobs();
  for (const [look, options] of Object.entries(looks)) {
    await take(look, options, { ...pages, ...jobPages }, cookie);
  }
} finally {
  await browser.close();
  await server.stop();
  rmSync(scratch, { recursive: true, force: true });
}
console.log(`${directory} (signed in as ${ADMIN.name})`);

/** One job of each kind: failed with colours, running, waiting for its lane, tried several times. */
async function submitJobs(): Promise<Record<string, string>> {
  const colours = "printf '\\033[32mok\\033[0m compile\\n\\033[1;31mFAIL\\033[0m tests\\n'";
  const failed = await submit(`${colours}; echo 'see above' >&2; exit 3`, { key: "deploy" });
  const retried = await submit("echo trying; exit 1", { key: "nightly", attempts: 2 });
  const steps = 'for i in $(seq 60); do echo "step $i of 60"; done; sleep 3600';
  const running = await submit(steps, { key: "deploy" });
  const waiting = await submit("echo later", { key: "deploy", priority: "background" });
  await submit("git log --oneline", { source_task_id: "TASK-42" });
  await submit("echo merry", { key: "nightly", run_at: "2099-12-24T18:00:00Z" });
  await until(failed, "failed");
  await until(retried, "failed");
  await until(running, "running");
  const ids = { failed, retried, running, waiting };
  return Object.fromEntries(
    Object.entries(ids).map(([name, id]) => [`job-${name}`, `/jobs/${id}`]),
  );
}

async function submit(command: string, rest: object): Promise<string> {
  const response = await fetch(`${server.url}/api/jobs`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    body: JSON.stringify({ type: "command", input: { repository, command }, ...rest }),
  });
  return ((await response.json()) as Job).id;
}

async function until(id: string, status: Job["status"]): Promise<void> {
  await waitUntil(`job ${id} to be ${status}`, async () => {
    const job = (await getJson(server, `/api/jobs/${id}`)) as Job;
    return job.status === status ? job : undefined;
  });
}

async function take(
  look: string,
  options: (typeof looks)[keyof typeof looks],
  paths: Record<string, string>,
  cookie?: { name: string; value: string; url: string },
): Promise<void> {
  const { page } = await visit(browser, options);
  if (cookie !== undefined) await page.context().addCookies([cookie]);
  for (const [name, path] of Object.entries(paths)) {
    await page.goto(server.url + path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    // Live pages are never idle: their streams stay open.
    await page.locator("[aria-hidden].animate-pulse").first().waitFor({ state: "detached" });
    await page.screenshot({ path: join(directory, `${name}-${look}.png`) });
  }
  await page.context().close();
}
