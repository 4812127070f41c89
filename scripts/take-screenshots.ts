// `npm run screenshots -- <directory>`: every page of the dashboard in light, dark and on a phone, to look at.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Job, RunDetail } from "@croft/contract";
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
  runs: "/runs",
  assets: "/assets",
  "new-job": "/jobs/new",
  "new-archive": "/jobs/new?type=archive",
  queue: "/queue",
  workers: "/workers",
  github: "/github",
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
    await take(look, options, { "jobs-first": "/jobs", "runs-first": "/runs" }, cookie);
  }
  const made = { ...(await submitJobs()), ...(await startRuns()) };
  for (const [look, options] of Object.entries(looks)) {
    await take(look, options, { ...pages, ...made }, cookie);
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

/** One run of each kind: waiting for an approval with a conflict, failed, running. */
async function startRuns(): Promise<Record<string, string>> {
  const agents = `
name: agents
inputs: { issue: { type: string, default: "42" } }
steps:
  plan: { run: "echo 3 tasks; echo {} > t.json", artifacts: { tasks: t.json } }
  lint: { run: echo nothing to say }
  build:
    needs: plan
    matrix: { task: [docs, parser, tests, retry-queue] }
    workspace: { branch: "fix/\${{ matrix.task }}" }
    env: { TASK: "\${{ matrix.task }}" }
    run: |
      case $TASK in docs|tests) echo $TASK > shared.txt;; *) echo $TASK > $TASK.txt;; esac
      seq 20 | sed "s/^/$TASK: line /"; echo "lines=20" >> "$CROFT_OUTPUT"
    outputs: [lines]
    checks: [{ no-diff-outside: ["*.md"], on-failure: warn }]
  merge: { needs: build, integrate: { from: build, on-conflict: warn } }
  approve: { needs: [merge, lint], approval: { timeout: 24h } }
  push: { needs: [approve, merge], publish: { from: merge, branch: agents } }
`;
  const waiting = await start(agents, "waiting");
  const failing = `
name: check
steps:
  types: { run: "echo types are fine" }
  tests: { needs: types, run: "echo '1 failed'; exit 1" }
  release: { needs: tests, run: "true" }
`;
  const failed = await start(failing, "failed");
  const running = await start("name: nightly\nsteps: { all: { run: sleep 3600 } }", "running");
  return {
    "run-waiting": `/runs/${waiting}`,
    "run-matrix": `/runs/${waiting}?step=build`,
    "run-item": `/runs/${waiting}?step=build&item=docs`,
    "run-merge": `/runs/${waiting}?step=merge`,
    "run-failed": `/runs/${failed}`,
    "run-running": `/runs/${running}`,
  };
}

async function start(text: string, status: RunDetail["status"]): Promise<string> {
  const { id } = (await post("/api/runs", { text, repository })) as RunDetail;
  await waitUntil(`run ${id} to be ${status}`, async () => {
    const run = (await getJson(server, `/api/runs/${id}`)) as RunDetail;
    return run.status === status;
  });
  return id;
}

async function submit(command: string, rest: object): Promise<string> {
  const input = { repository, command };
  return ((await post("/api/jobs", { type: "command", input, ...rest })) as Job).id;
}

async function post(path: string, body: object): Promise<unknown> {
  const response = await fetch(server.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return await response.json();
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
    await page.screenshot({
      path: join(directory, `${name}-${look}.png`),
      fullPage: name.startsWith("run"),
    });
  }
  await page.context().close();
}
