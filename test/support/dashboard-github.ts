// A running server, a GitHub of its own with an App, and a signed-in browser, for the pages about GitHub.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { GithubEvent, GithubEventList } from "@croft/contract";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { projectRoot } from "../../scripts/source-files.ts";
import { callApi } from "./call-api.ts";
import { type RunningServer, startServer } from "./croft-process.ts";
import { launchBrowser, type Visit, visit } from "./dashboard.ts";
import { type FakeGithub, serveFakeGithub } from "./fake-github.ts";
import { installationJson, repositoryJson } from "./fake-github-shapes.ts";
import type { FakeInstallation, FakePull, FakeRepository } from "./fake-github-state.ts";
import { createAdmin } from "./sign-in.ts";
import { waitUntil } from "./wait-until.ts";

export interface GithubDashboard {
  readonly github: FakeGithub;
  /** Changes when GitHub is connected. */
  server(): RunningServer;
  /** The same Croft once more, now as the App. */
  connect(): Promise<void>;
  /** One that arrived, when it has this status. */
  settled(deliveryId: string, status: GithubEvent["status"]): Promise<GithubEvent>;
  /** A new browser profile, signed in as the first admin. */
  visit(options?: BrowserContextOptions): Promise<Visit>;
  close(): Promise<void>;
}

/** Pushes to a pull request start a job; its changed files are asked for, so that GitHub has a say in it. */
const TRIGGERS = [
  {
    ...{ name: "notes", on: "pull_request.synchronize", paths: "**" },
    job: {
      type: "command",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of Croft's.
      input: { repository: "${{ event.repository.clone_url }}", command: "ls" },
    },
  },
];

/** Everything is below `root`, and goes with it. */
export async function openGithubDashboard(root: string): Promise<GithubDashboard> {
  mkdirSync(root, { recursive: true });
  const config = join(root, "croft.config.mjs");
  writeFileSync(config, `export default ${JSON.stringify({ triggers: TRIGGERS })};\n`);
  const github = await serveFakeGithub();
  const start = (env: Record<string, string>) =>
    startServer(join(root, "data"), {
      env: {
        ...{ CROFT_CONFIG: config, CROFT_SHUTDOWN_DRAIN: "2s", CROFT_SHUTDOWN_KILL_GRACE: "1s" },
        ...env,
      },
    });
  let server = await start({});
  const browser: Browser = await launchBrowser();
  const { headers } = await createAdmin(server);
  const [cookie = "", value = ""] = (headers["cookie"] ?? "").split("=");
  return {
    github,
    server: () => server,
    connect: async () => {
      await server.stop();
      server = await start({ ...github.environment });
    },
    settled: async (deliveryId, status) =>
      await waitUntil(`delivery ${deliveryId} to be ${status}`, async () => {
        const path = `/api/github/events?limit=200&status=${status}`;
        const { events } = await callApi<GithubEventList>(server, "GET", path);
        return events.find(({ delivery_id }) => delivery_id === deliveryId);
      }),
    visit: async (options) => {
      const made = await visit(browser, options);
      await made.page.context().addCookies([{ name: cookie, value, url: server.url }]);
      return made;
    },
    close: async () => {
      await browser.close();
      await server.stop();
      await github.close();
      rmSync(root, { recursive: true });
    },
  };
}

export interface GithubStory {
  readonly installation: FakeInstallation;
  readonly repository: FakeRepository;
  readonly pull: FakePull;
}

/** An account with a private repository and a pull request, and the example for such; nothing was sent yet. */
export async function prepareStory(scene: GithubDashboard): Promise<GithubStory> {
  const { github } = scene;
  const installation = github.addInstallation({ id: 61_234_567, account: "meadow" });
  const repository = await github.addRepository(installation, "handbook");
  const pull = await github.openPullRequest(repository, {
    head: "clearer-words",
    files: { "words.md": "Plain words.\nTODO: shorter ones\n" },
  });
  const text = readFileSync(join(projectRoot, "examples/review-pull-requests.yaml"), "utf8");
  await callApi(scene.server(), "PUT", "/api/pipelines/review", { text });
  return { installation, repository, pull };
}

/** What GitHub says when an account changes something about the App. */
export async function tellInstallation(
  { github, server }: GithubDashboard,
  installation: FakeInstallation,
  rest: { readonly action?: string; readonly repositories?: readonly FakeRepository[] } = {},
): Promise<void> {
  const { action = "created", repositories = [] } = rest;
  await github.send(server().url, "installation", {
    action,
    installation: installationJson(github.state, installation),
    repositories: repositories.map((each) => repositoryJson(each, github.webUrl)),
    sender: { login: "ada", type: "User" },
  });
}
