// The pages about GitHub in a real browser: how to connect it, events as they arrive, what they start, what fails, and once more.
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { barriers, barriersInEveryLook } from "./support/dashboard.ts";
import {
  type GithubDashboard,
  type GithubStory,
  openGithubDashboard,
  prepareStory,
  tellInstallation,
} from "./support/dashboard-github.ts";

let scene: GithubDashboard;
let story: GithubStory;

beforeAll(async () => {
  scene = await openGithubDashboard(join(inject("scratch"), "dashboard-github"));
});

afterAll(async () => {
  await scene.close();
});

async function open(page: Page, path: string, heading: string | RegExp): Promise<void> {
  await page.goto(scene.server().url + path);
  await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
}

/** Rows of a table, without its head. */
function rows(page: Page, caption: string | RegExp) {
  return page.getByRole("table", { name: caption }).locator("tbody tr");
}

function events(page: Page) {
  return rows(page, "Events, newest first");
}

test("without an App the page teaches how to connect one", async () => {
  const { page, complaints } = await scene.visit({ colorScheme: "light" });
  await open(page, "/", "Overview");
  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await page.getByRole("heading", { name: "Connect a GitHub App" }).waitFor();
  const address = page.getByRole("region", { name: "Webhook URL" });
  await address.getByText(`${scene.server().url}/webhooks/github`, { exact: true }).waitFor();
  await page.getByText("Pull requests", { exact: true }).waitFor();
  expect(await barriersInEveryLook(page)).toEqual([]);
  const answer = await fetch(`${scene.server().url}/webhooks/github`, { method: "POST" });
  expect(answer.status).toBe(404);
  expect(complaints).toEqual([]);
});

test("connected, it waits for the first event, and what arrives appears by itself", async () => {
  await scene.connect();
  story = await prepareStory(scene);
  const { page, complaints } = await scene.visit({ colorScheme: "light" });
  await open(page, "/github", "GitHub");
  await page.getByRole("heading", { name: "No installation yet" }).waitFor();
  await page.getByText("Live", { exact: true }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await tellInstallation(scene, story.installation, { repositories: [story.repository] });
  const installations = rows(page, /^Installations/);
  await installations.getByText("meadow", { exact: true }).waitFor();
  await events(page).getByText("installation.created").waitFor();
  const { github } = scene;
  const { pull, repository } = story;
  await github.send(scene.server().url, "pull_request", github.pullPayload(pull, "opened"), {
    deliveryId: "opened",
  });
  await events(page).getByText("pull_request.opened").waitFor();
  const starred = github.payload(repository, { action: "created" }, "bob");
  await github.send(scene.server().url, "star", starred);
  await events(page).filter({ hasText: "star.created" }).getByText("Ignored").waitFor();
  expect(complaints).toEqual([]);
});

test("events are found by status, installation and name, each choice in the address", async () => {
  const { page, complaints } = await scene.visit();
  await open(page, "/github", "GitHub");
  await expect.poll(() => events(page).count()).toBe(3);
  const statuses = page.getByRole("navigation", { name: "Status" });
  await statuses.getByText("Ignored").click();
  await expect.poll(() => events(page).count()).toBe(1);
  await statuses.getByText("All").click();
  await page.getByRole("combobox", { name: "Installation" }).selectOption("meadow");
  await page.getByRole("combobox", { name: "Event" }).selectOption("pull_request");
  await expect.poll(() => events(page).count()).toBe(1);
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
    ...{ installation: String(story.installation.id), event: "pull_request" },
  });
  await open(page, "/github?status=failed&event=push", "GitHub");
  await page.getByRole("heading", { name: "No event matches" }).waitFor();
  await page.getByRole("link", { name: "Clear" }).click();
  await expect.poll(() => events(page).count()).toBe(3);
  expect(complaints).toEqual([]);
});

test("an event leads to what it started, and that back to its installation", async () => {
  const { page, complaints } = await scene.visit();
  const { id } = await scene.settled("opened", "handled");
  await open(page, `/github/events/${id}`, /^pull_request\.opened/);
  const summary = page.getByRole("region", { name: "Summary", exact: true });
  await summary.getByRole("link", { name: "meadow/handbook#1" }).waitFor();
  const effects = page.getByRole("list", { name: "What it started" });
  await effects.getByText("Done", { exact: true }).waitFor(); // cloned from GitHub, by the installation's token
  const [comment] = story.repository.comments;
  expect(comment?.body).toContain("1 changed files and found 1 places");
  const payload = page.getByRole("region", { name: "Payload", exact: true });
  await payload.locator("summary", { hasText: "pull_request" }).press("Enter");
  await payload.getByText(`"${story.pull.title}"`).waitFor();
  expect(await barriers(page)).toEqual([]);
  await effects.getByRole("link", { name: "review #1" }).click();
  await page.getByRole("heading", { name: "review #1", level: 1 }).waitFor();
  await summary.getByRole("link", { name: "meadow", exact: true }).click();
  await page.getByRole("heading", { name: "meadow", level: 1 }).waitFor();
  const repositories = page.getByRole("region", { name: "Repositories of the installation" });
  await repositories.getByText("meadow/handbook").waitFor();
  expect(complaints).toEqual([]);
});

test("what was given up is shown first, and works once more when it is replayed", async () => {
  const { github } = scene;
  github.faults = [{ kind: "status", status: 400, of: /\/pulls\/\d+\/files/ }];
  const payload = github.pullPayload(story.pull, "synchronize");
  await github.send(scene.server().url, "pull_request", payload, { deliveryId: "broken" });
  const { page, complaints } = await scene.visit({ colorScheme: "light" });
  await open(page, `/github/installations/${story.installation.id}`, "meadow");
  const failed = rows(page, "Failed events, newest first");
  await failed.getByText("pull_request.synchronize").waitFor();
  expect(await barriersInEveryLook(page)).toEqual([]);
  await page.getByRole("link", { name: "pull_request.synchronize" }).first().click();
  const summary = page.getByRole("region", { name: "Summary", exact: true });
  await summary.getByText(/It was given up/).waitFor();
  expect(await barriersInEveryLook(page)).toEqual([]);
  github.faults = [];
  await page.getByRole("button", { name: "Replay" }).click();
  await page.getByRole("dialog").getByText("It is tried again now").waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("dialog").getByRole("button", { name: "Replay" }).click();
  await summary.getByText("Handled", { exact: true }).waitFor();
  await summary.getByText("once", { exact: true }).waitFor();
  const effects = page.getByRole("list", { name: "What it started" });
  await effects.getByText("by trigger notes").waitFor();
  await effects.getByRole("link", { name: /^command / }).click();
  await page.getByRole("heading", { name: /^command/, level: 1 }).waitFor();
  expect(complaints).toEqual([]);
});

test("an account that suspends the App and grants less is told so", async () => {
  const less = { metadata: "read", contents: "read" } as const;
  const other = scene.github.addInstallation({ account: "orchard", permissions: less });
  await tellInstallation(scene, other);
  await tellInstallation(scene, other, { action: "suspend" });
  const { page, complaints } = await scene.visit({ colorScheme: "light" });
  await open(page, "/github", "GitHub");
  await rows(page, /^Installations/)
    .getByText("Suspended")
    .waitFor();
  expect(await barriersInEveryLook(page)).toEqual([]);
  await page.getByRole("link", { name: "orchard" }).first().click();
  const summary = page.getByRole("region", { name: "Summary", exact: true });
  await summary.getByText("It is suspended").waitFor();
  await summary.getByText(/^Contents \(read and write\), Pull requests/).waitFor();
  for (const [path, title] of [
    ["/github/installations/1", "Installation 1"],
    ["/github/events/01a1e244-5d08-7000-8983-e4b6ddbf7906", /^Event /],
  ] as const) {
    await open(page, path, title);
    await page.getByRole("alert").getByText("Not found").waitFor();
  }
  expect(complaints.filter((complaint) => !complaint.includes("404"))).toEqual([]);
});
