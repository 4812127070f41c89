// The pages about deliveries in a real browser, with apps that accept, refuse, fail and are gone.
import { join } from "node:path";
import type { App, AppList } from "@croft/contract";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { tellStory } from "./support/app-story.ts";
import { callApi } from "./support/call-api.ts";
import { barriers, barriersInEveryLook } from "./support/dashboard.ts";
import { type AppsDashboard, openAppsDashboard } from "./support/dashboard-apps.ts";

const NOBODY = "01a1e244-5d08-7000-8983-e4b6ddbf7906";

let scene: AppsDashboard;
let pages: Record<string, string>;

beforeAll(async () => {
  scene = await openAppsDashboard(join(inject("scratch"), "dashboard-deliveries"));
});

afterAll(async () => {
  await scene.close();
});

async function open(page: Page, path: string, heading: string | RegExp): Promise<void> {
  await page.goto(scene.server.url + path);
  await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
}

function summary(page: Page) {
  return page.getByRole("region", { name: "Summary", exact: true });
}

/** Rows of the table, without its head. */
function rows(page: Page) {
  return page.getByRole("table").locator("tbody tr");
}

async function appNamed(name: string): Promise<App> {
  const { apps } = await callApi<AppList>(scene.server, "GET", `/api/apps?search=${name}`);
  if (apps[0] === undefined) throw new Error(`no app ${name}`);
  return apps[0];
}

test("empty lists say what will be there, and how", async () => {
  const { page, complaints } = await scene.visit();
  await open(page, "/deliveries", "Deliveries");
  await page.getByRole("heading", { name: "No delivery yet" }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("link", { name: "See what is watched" }).click();
  await page.getByRole("heading", { name: "Nothing is watched yet" }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("link", { name: "Onboard an app first" }).click();
  await page.getByRole("heading", { name: "Onboard an app" }).waitFor();
  for (const [path, title] of [
    [`/apps/${NOBODY}`, /^App /],
    [`/repositories/${NOBODY}`, /^Repository /],
    [`/deliveries/${NOBODY}`, /^Delivery /],
  ] as const) {
    await open(page, path, title);
    await page.getByRole("alert").getByText("Not found").waitFor();
  }
  expect(complaints.filter((complaint) => !complaint.includes("404"))).toEqual([]);
});

test("deliveries appear by themselves, and are found by state, app and type", async () => {
  const { page, complaints } = await scene.visit();
  await open(page, "/deliveries", "Deliveries");
  await page.getByText("Live", { exact: true }).waitFor();
  pages = await tellStory(scene);
  await page
    .getByRole("link", { name: /poison\.md/ })
    .first()
    .waitFor();
  const states = page.getByRole("navigation", { name: "State" });
  await states.getByText("Quarantined").click();
  await expect.poll(() => rows(page).count()).toBe(1);
  await rows(page).getByText("422").last().waitFor();
  await states.getByText("All").click();
  await page.getByRole("combobox", { name: "Type" }).selectOption("sync.failed");
  await expect.poll(() => rows(page).count()).toBe(1);
  await page.getByRole("link", { name: /The watch fails/ }).waitFor();
  await page.getByRole("combobox", { name: "App" }).selectOption("search-index");
  await page.getByRole("heading", { name: "No delivery matches" }).waitFor();
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({
    ...{ type: "sync.failed", app: (await appNamed("search-index")).id },
  });
  await page.getByRole("link", { name: "Clear" }).click();
  await expect.poll(() => rows(page).count()).toBeGreaterThan(10);
  expect(complaints).toEqual([]);
});

test("a file that is refused is found by halves, set aside and explained", async () => {
  const { page, complaints } = await scene.visit();
  await open(page, pages["delivery-quarantined"] ?? "", /^files\.changed/);
  await summary(page).getByText("poison.md", { exact: true }).waitFor();
  await summary(page)
    .getByText(/the file is set aside so that the rest goes on/)
    .waitFor();
  const answer = page.getByRole("region", { name: "Answer with its headers" });
  await answer.getByText("poison.md: not a page").waitFor();
  const parts = page.getByRole("list", { name: "Halves and replays" });
  await parts.getByText("Split").first().waitFor();
  await parts.getByRole("listitem").filter({ hasText: "Split" }).first().getByRole("link").click();
  await summary(page)
    .getByText(/two halves took its place/)
    .waitFor();
  expect(await page.getByRole("button", { name: "Replay" }).count()).toBe(0);
  expect(complaints).toEqual([]);
});

test("why a delivery waits is told by what stands in its way", async () => {
  const { page, complaints } = await scene.visit();
  await open(page, pages["delivery-pending"] ?? "", /^files\.changed/);
  await summary(page)
    .getByText(/asked for a pause and is left alone/)
    .waitFor();
  await summary(page)
    .getByText(/in 5\d minutes/)
    .waitFor();
  const busy = await appNamed("link-checker");
  await callApi(scene.server, "PATCH", `/api/apps/${busy.id}`, { paused: true });
  await summary(page)
    .getByText(/Its app is paused/)
    .waitFor();
  const gone = await scene.deliveries(`app=${(await appNamed("old-mirror")).id}&state=pending`);
  await open(page, `/deliveries/${gone[0]?.id}`, /^files\.changed/);
  await summary(page)
    .getByText(/answered 410, so nothing is sent until/)
    .waitFor();
  expect(complaints).toEqual([]);
});

test("what was accepted is sent again under a new id, which leads back", async () => {
  const { page, complaints } = await scene.visit();
  const path = pages["delivery-delivered"] ?? "";
  await open(page, path, /^(files|sync|ping)/);
  const id = path.split("/").at(-1) ?? "";
  await page.getByRole("button", { name: "Replay" }).click();
  await page.getByRole("dialog").getByText("under a new id").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Replay" }).click();
  await summary(page).getByText("Replay of").waitFor();
  expect(page.url()).not.toContain(id);
  await summary(page).getByText("Delivered", { exact: true }).waitFor();
  await summary(page)
    .getByRole("link", { name: id.slice(-8) })
    .click();
  await expect.poll(() => page.url()).toContain(id);
  expect(complaints).toEqual([]);
});

test("all that failed is replayed, and all repositories are synced again, with progress", async () => {
  const { page, complaints } = await scene.visit();
  const app = await appNamed("search-index");
  const base_url = scene.receiver.url;
  await callApi(scene.server, "PATCH", `/api/apps/${app.id}`, { base_url });
  await open(page, `/apps/${app.id}`, "search-index");
  await page.getByRole("button", { name: "Replay failed" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Replay failed" }).click();
  const bulk = page.getByRole("region", { name: "Bulk action" });
  await bulk.getByText(/^Replayed \d+ of \d+ deliver/).waitFor();
  await page.getByRole("button", { name: "Re-sync all" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Re-sync all" }).click();
  await bulk.getByText("Re-sync asked of 1 of 1 repository").waitFor();
  await bulk.getByRole("link", { name: "Hide the bulk action" }).click();
  await bulk.waitFor({ state: "detached" });
  await open(page, "/deliveries?state=quarantined", "Deliveries");
  await page.getByRole("button", { name: "Replay all" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Replay all" }).click();
  await bulk.getByText(/^Replayed /).waitFor();
  await rows(page).getByText("Quarantined").first().waitFor(); // refused once more
  expect(complaints).toEqual([]);
});

test("the overview says what fails, and leads there", async () => {
  const { page, complaints } = await scene.visit();
  await open(page, "/", "Overview");
  const findings = page.getByRole("list", { name: "Needs attention" });
  await findings.getByText(/not reached$/).waitFor();
  await findings.getByText(/in quarantine$/).waitFor();
  await findings.getByRole("link", { name: "See what fails" }).click();
  await page.getByRole("heading", { name: "Repositories", level: 1 }).waitFor();
  await rows(page).getByText("The remote has no branch or tag 'release'.").waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("d");
  await page.getByRole("heading", { name: "Deliveries", level: 1 }).waitFor();
  expect(complaints).toEqual([]);
});

/** One of each kind: those of the same kind differ in what they say only. */
const KINDS =
  /^(apps|app-(new|good|resting)|repositories|repository-failing|deliver(ies|y-pending))$/;

test("every page about apps, repositories and deliveries is free of barriers and fits", async () => {
  const { page, complaints } = await scene.visit({ colorScheme: "light" });
  for (const [name, path] of Object.entries(pages)) {
    await page.goto(scene.server.url + path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.locator("[aria-hidden].animate-pulse").first().waitFor({ state: "detached" });
    const found = await (KINDS.test(name) ? barriersInEveryLook(page) : barriers(page));
    expect({ path, found }).toEqual({ path, found: [] });
  }
  await open(page, pages["app-good"] ?? "", "docs-site");
  for (const button of ["Edit", "Watch a repository", "Rotate", "Add", "Delete the app"]) {
    await page.getByRole("button", { name: button, exact: true }).first().click();
    await page.getByRole("dialog").waitFor();
    expect({ button, barriers: await barriersInEveryLook(page) }).toEqual({ button, barriers: [] });
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
  expect(complaints).toEqual([]);
}, 180_000);
