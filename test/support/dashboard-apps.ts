// A running server, a git remote, an app that receives, and a signed-in browser, for the pages about apps.
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Delivery, DeliveryList, OnboardedApp, Watch } from "@croft/contract";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { callApi } from "./call-api.ts";
import { type RunningServer, startServer } from "./croft-process.ts";
import { launchBrowser, type Visit, visit } from "./dashboard.ts";
import { makeAuthority } from "./make-authority.ts";
import { git, makeRepository } from "./make-repository.ts";
import { type GitServer, serveGit } from "./serve-git.ts";
import { type ServedWebhooks, serveWebhooks } from "./serve-webhooks.ts";
import { createAdmin } from "./sign-in.ts";
import { waitUntil } from "./wait-until.ts";

export interface AppsDashboard {
  readonly server: RunningServer;
  readonly browser: Browser;
  readonly remote: GitServer;
  readonly receiver: ServedWebhooks;
  /** The address of a repository that is there from the start. */
  readonly url: string;
  /** Runs a script in a checkout, commits and pushes; returns the commit. */
  push(script: string): Promise<string>;
  onboard(name: string, rest?: object): Promise<OnboardedApp>;
  watch(app: string, rest?: object): Promise<Watch>;
  deliveries(query: string): Promise<readonly Delivery[]>;
  /** Until its app was told of everything. */
  told(watch: string, commit?: string): Promise<Watch>;
  /** A new browser profile, signed in as the first admin. */
  visit(options?: BrowserContextOptions): Promise<Visit>;
  close(): Promise<void>;
}

/** Everything is below `root`, and goes with it. */
export async function openAppsDashboard(root: string): Promise<AppsDashboard> {
  const bare = await makeRepository(root, "docs", { files: 6 });
  const { caFile, identity } = makeAuthority(root);
  const [remote, receiver] = [await serveGit(root, identity), await serveWebhooks()];
  const server = await startServer(join(root, "data"), {
    env: {
      CROFT_GIT_CA_FILE: caFile,
      CROFT_ALLOW_PRIVATE: `${remote.host},${receiver.host}`,
      CROFT_WATCHES_POLL: "1s",
      CROFT_DELIVERIES_RETRIES: "300ms,300ms,600ms",
      CROFT_SHUTDOWN_DRAIN: "2s",
      CROFT_SHUTDOWN_KILL_GRACE: "1s",
    },
  });
  const browser: Browser = await launchBrowser();
  const { headers } = await createAdmin(server);
  const [cookie = "", value = ""] = (headers["cookie"] ?? "").split("=");
  const url = remote.url("docs");
  return {
    ...{ server, remote, receiver, browser, url, push: await checkoutOf(bare, root) },
    onboard: async (name, rest = {}) => {
      const body = { name, email: "team@example.org", base_url: receiver.url, ...rest };
      return await callApi<OnboardedApp>(server, "POST", "/api/apps/onboard", body);
    },
    watch: async (app, rest = {}) =>
      await callApi<Watch>(server, "POST", "/api/repositories", { app, url, ...rest }),
    deliveries: async (query) => {
      const path = `/api/deliveries?${query}`;
      return (await callApi<DeliveryList>(server, "GET", path)).deliveries;
    },
    told: async (id, commit) =>
      await waitUntil(`watch ${id} to be told`, async () => {
        const now = await callApi<Watch>(server, "GET", `/api/repositories/${id}`);
        const isTold = commit === undefined ? now.commit !== null : now.commit === commit;
        return isTold && now.undelivered === 0 ? now : undefined;
      }),
    visit: async (options) => {
      const made = await visit(browser, options);
      await made.page.context().addCookies([{ name: cookie, value, url: server.url }]);
      return made;
    },
    close: async () => {
      await browser.close();
      await server.stop();
      receiver.close();
      await remote.close();
      rmSync(root, { recursive: true });
    },
  };
}

async function checkoutOf(bare: string, root: string): Promise<AppsDashboard["push"]> {
  const run = promisify(execFile);
  const checkout = join(root, "checkout");
  await git(["clone", "--quiet", bare, checkout]);
  await git(["-C", checkout, "config", "user.name", "Test"]);
  await git(["-C", checkout, "config", "user.email", "test@example.org"]);
  return async (script) => {
    const steps = `${script}\ngit add -A && git commit -q -m change && git push -q origin HEAD:main`;
    await run("/bin/sh", ["-ec", steps], { cwd: checkout });
    return await git(["-C", checkout, "rev-parse", "HEAD"]);
  };
}
