// A running server with a repository, and a browser that is signed in to it, for the pages about jobs.
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Job } from "@croft/contract";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { inject } from "vitest";
import { type RunningServer, type RunOptions, startServer } from "./croft-process.ts";
import { launchBrowser, type Visit, visit } from "./dashboard.ts";
import { makeRepository } from "./make-repository.ts";
import { createAdmin, getJson } from "./sign-in.ts";
import { waitUntil } from "./wait-until.ts";

export interface JobsDashboard {
  readonly server: RunningServer;
  readonly repository: string;
  /** A job of the type `command`, submitted as the local CLI. */
  submit(command: string, rest?: Record<string, unknown>): Promise<Job>;
  job(id: string): Promise<Job>;
  ended(id: string): Promise<Job>;
  /** A new browser profile, signed in as the first admin. */
  visit(options?: BrowserContextOptions): Promise<Visit>;
  /** Another tab beside this one. */
  beside(page: Page): Promise<Page>;
  close(): Promise<void>;
}

export async function openJobsDashboard(
  name: string,
  { cwd, env = {} }: Pick<RunOptions, "cwd" | "env"> = {},
): Promise<JobsDashboard> {
  const root = join(inject("scratch"), name);
  const repository = await makeRepository(root, "plot", { files: 3 });
  const server = await startServer(join(root, "data"), {
    env: {
      CROFT_GIT_ALLOW_LOCAL: "true",
      CROFT_SHUTDOWN_DRAIN: "2s",
      CROFT_SHUTDOWN_KILL_GRACE: "1s",
      ...env,
    },
    ...(cwd === undefined ? {} : { cwd }),
  });
  const browser: Browser = await launchBrowser();
  const { headers } = await createAdmin(server);
  const [cookie = "", value = ""] = (headers["cookie"] ?? "").split("=");
  const job = async (id: string) => (await getJson(server, `/api/jobs/${id}`)) as Job;
  return {
    ...{ server, repository, job },
    submit: async (command, rest = {}) => {
      const response = await fetch(`${server.url}/api/jobs`, {
        method: "POST",
        headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
        body: JSON.stringify({ type: "command", input: { repository, command }, ...rest }),
      });
      if (response.status !== 202) throw new Error(await response.text());
      return (await response.json()) as Job;
    },
    ended: async (id) =>
      await waitUntil(`the end of job ${id}`, async () => {
        const now = await job(id);
        return now.finished_at === null ? undefined : now;
      }),
    visit: async (options) => {
      const made = await visit(browser, options);
      await made.page.context().addCookies([{ name: cookie, value, url: server.url }]);
      return made;
    },
    beside: async (page) => {
      const tab = await page.context().newPage();
      tab.setDefaultTimeout(15_000);
      return tab;
    },
    close: async () => {
      await browser.close();
      await server.stop();
      rmSync(root, { recursive: true });
    },
  };
}
