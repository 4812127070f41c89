// The pages about apps and their repositories in a real browser, with a real remote and a real receiver.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { barriers } from "./support/dashboard.ts";
import { type AppsDashboard, openAppsDashboard } from "./support/dashboard-apps.ts";

let scene: AppsDashboard;

beforeAll(async () => {
  scene = await openAppsDashboard(join(inject("scratch"), "dashboard-apps"));
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

/** Rows of the table of deliveries, without its head. */
function deliveries(page: Page) {
  return page.getByRole("table", { name: "Deliveries, newest first" }).locator("tbody tr");
}

test("an app's whole life: onboarded, watching, told live, broken, mended, replayed, deleted", async () => {
  const { page, complaints } = await scene.visit();
  await open(page, "/apps", "Apps");
  await page.getByRole("heading", { name: "No app yet" }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("link", { name: "Onboard the first app" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("docs-site");
  await page.getByRole("textbox", { name: "Address" }).fill(scene.receiver.url);
  await page.getByRole("textbox", { name: "E-mail" }).fill("docs@example.org");
  await page.getByRole("button", { name: "Onboard" }).click();
  await page.getByRole("heading", { name: "docs-site is onboarded" }).waitFor();
  await page.getByText(/^croft_[a-z0-9]{16}_/).waitFor();
  await page.getByText(/^whsec_/).waitFor();
  await page.getByRole("checkbox").check();
  await page.getByRole("button", { name: "Go to the app" }).click();
  await page.getByRole("heading", { name: "docs-site", level: 1 }).waitFor();
  const appPath = new URL(page.url()).pathname;

  await page.getByRole("button", { name: "Watch a repository" }).click();
  const dialog = page.getByRole("dialog", { name: "Watch a repository" });
  await dialog.getByRole("textbox", { name: "Repository" }).fill(scene.url);
  await dialog.getByRole("button", { name: "Watch" }).click();
  await page.getByRole("heading", { name: /docs$/, level: 1 }).waitFor();
  await summary(page).getByText("Synced", { exact: true }).waitFor();
  await deliveries(page).getByText("Delivered").waitFor();
  const files = page.getByRole("list", { name: "Files" });
  await files.getByText("src/d0/e0/file-0.txt").click();
  await page.getByRole("dialog").getByText("lorem ipsum dolor").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();

  // Seen without a reload: the page is left open while the commit is pushed.
  await page.evaluate("window.wasNotReloaded = true");
  const commit = await scene.push("echo hello > live.md");
  await deliveries(page).getByText("live.md").waitFor();
  await summary(page).getByText(commit.slice(0, 12)).waitFor();
  await files.getByText("live.md").waitFor();
  expect(await page.evaluate("window.wasNotReloaded")).toBe(true);

  scene.receiver.answer = () => ({ status: 500, body: "the disk is full" });
  await scene.push("echo broken > broken.md");
  await deliveries(page).getByText("broken.md").click();
  await page.getByRole("heading", { name: /^files\.changed/, level: 1 }).waitFor();
  await page.getByText("Try 2", { exact: true }).waitFor();
  await summary(page).getByText("The app answered 500.").waitFor();
  const answer = page.getByRole("region", { name: "Answer with its headers" }).first();
  await answer.getByText("the disk is full").waitFor();
  await summary(page).getByText("Failed", { exact: true }).waitFor();
  await page.getByText("Try 4", { exact: true }).waitFor();

  scene.receiver.answer = () => ({ status: 204 });
  await page.getByRole("button", { name: "Replay" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Replay" }).click();
  await summary(page).getByText("Delivered", { exact: true }).waitFor();
  await page.getByText("Try 5", { exact: true }).waitFor();
  expect(scene.receiver.received.at(-1)?.body.data.files?.[0]?.path).toBe("broken.md");
  expect(await page.evaluate("window.wasNotReloaded")).toBe(true);

  await summary(page).getByRole("link", { name: "docs-site" }).click();
  await page.getByRole("heading", { name: "docs-site", level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe(appPath);
  await page.getByRole("button", { name: "Delete the app" }).click();
  const danger = page.getByRole("dialog", { name: "Delete docs-site?" });
  await danger
    .getByRole("list", { name: "What goes" })
    .getByText("1 watch", { exact: true })
    .waitFor();
  await danger.getByRole("button", { name: "Delete for good" }).click();
  await danger.getByText("This is not the name of the app.").waitFor();
  await danger.getByRole("textbox", { name: "Type docs-site to confirm" }).fill("docs-site");
  await danger.getByRole("button", { name: "Delete for good" }).click();
  await page.getByRole("heading", { name: "No app yet" }).waitFor();
  expect(complaints).toEqual([]);
});

test("what is wrong with the form is told at the field", async () => {
  const { page, complaints } = await scene.visit();
  await open(page, "/apps/new", "Onboard an app");
  await page.getByRole("button", { name: "Onboard" }).click();
  await page.getByText("Give it a name.").waitFor();
  await page.getByText("Enter an address like name@host.").waitFor();
  expect(await page.evaluate("document.activeElement.name")).toBe("name");
  await page.getByRole("textbox", { name: "Name" }).fill("wrong");
  await page.getByRole("textbox", { name: "E-mail" }).fill("a@example.org");
  const address = page.getByRole("textbox", { name: "Address" });
  for (const [url, reason] of [
    ["http://example.com/", "Must begin with https://."],
    ["https://169.254.169.254/latest", /^Cannot be used: /],
    ["https://user:secret@example.com/", /^Must have no credentials in it/],
  ] as const) {
    await address.fill(url);
    await page.getByRole("button", { name: "Onboard" }).click();
    await page.getByText(reason).waitFor();
    expect(await page.evaluate("document.activeElement.name")).toBe("base_url");
  }
  expect(await barriers(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test("secrets are shown once, can be kept, and stay nowhere else", async () => {
  const { page, complaints } = await scene.visit({
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await open(page, "/apps/new", "Onboard an app");
  await page.getByRole("textbox", { name: "Name" }).fill("keeper");
  await page.getByRole("textbox", { name: "E-mail" }).fill("a@example.org");
  await page.getByRole("button", { name: "Onboard" }).click();
  const token = await page.getByText(/^croft_[a-z0-9]{16}_/).innerText();
  const secret = await page.getByText(/^whsec_/).innerText();
  expect(await page.getByRole("button", { name: "Go to the app" }).isDisabled()).toBe(true);
  await page.getByRole("button", { name: "Copy: Token" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(token);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download as .env" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("keeper.env");
  const lines = readFileSync(await download.path(), "utf8").split("\n");
  expect(lines).toContain(`CROFT_TOKEN=${token}`);
  expect(lines).toContain(`CROFT_SIGNING_SECRET=${secret}`);
  const response = await fetch(`${scene.server.url}/api/apps/me`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(response.status).toBe(200);
  expect(await barriers(page)).toEqual([]);
  const places = `JSON.stringify([localStorage, sessionStorage, history.state, location.href,
    performance.getEntries().map(({ name }) => name)])`;
  expect(await page.evaluate(places)).not.toContain(token.slice(-20));

  await page.getByRole("link", { name: "Overview" }).click();
  const asked = page.getByRole("dialog", { name: "Leave without storing them?" });
  await asked.getByRole("button", { name: "Stay" }).click();
  await page.getByText(token).waitFor();
  await page.getByRole("link", { name: "Overview" }).click();
  await asked.getByRole("button", { name: "Leave" }).click();
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Onboard an app" }).waitFor();
  const left = String(await page.evaluate("document.documentElement.outerHTML"));
  for (const kept of [token, secret]) expect(left).not.toContain(kept);
  await page.getByRole("link", { name: "Apps" }).first().click();
  const row = page.getByRole("row", { name: /keeper/ });
  await row.getByText("No address").waitFor();
  await row.getByText("just now").last().waitFor(); // it has asked
  expect(complaints).toEqual([]);
});

test("an app is changed, paused, resumed, and gets other keys", async () => {
  const { page, complaints } = await scene.visit();
  const app = await scene.onboard("changing");
  await open(page, `/apps/${app.id}`, "changing");
  await page.getByRole("button", { name: "Edit" }).click();
  const edit = page.getByRole("dialog", { name: "Edit changing" });
  await edit.getByRole("textbox", { name: "Name" }).fill("changed");
  await edit.getByRole("spinbutton", { name: "Requests at a time" }).fill("9");
  await edit.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "changed", level: 1 }).waitFor();
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
  await summary(page).getByText("It is paused").waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await summary(page).getByText("OK", { exact: true }).waitFor();

  const tokens = page.getByRole("region", { name: "Tokens" });
  await tokens.getByRole("button", { name: "Rotate" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
  const made = page.getByRole("dialog", { name: "New token" });
  const token = await made.getByText(/^croft_/).innerText();
  await page.keyboard.press("Escape"); // would lose it
  await made.getByRole("checkbox").check();
  await made.getByRole("button", { name: "Done" }).click();
  await tokens.getByText(/ends in 23 hours|ends in 1 day|ends tomorrow/).waitFor();
  expect(await tokens.getByRole("listitem").count()).toBe(2);
  await tokens
    .getByRole("button", { name: /^Revoke token/ })
    .last()
    .click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await expect.poll(() => tokens.getByRole("listitem").count()).toBe(1);
  const ask = async (bearer: string) => {
    const headers = { authorization: `Bearer ${bearer}` };
    return (await fetch(`${scene.server.url}/api/apps/me`, { headers })).status;
  };
  expect([await ask(token), await ask(app.token)]).toEqual([200, 401]);
  const secrets = page.getByRole("region", { name: "Signing secrets" });
  expect(await secrets.getByRole("button", { name: /^Revoke/ }).count()).toBe(0);
  expect(complaints).toEqual([]);
});

test("a private repository is watched with a credential, which is replaced and removed", async () => {
  const { page, complaints } = await scene.visit();
  const app = await scene.onboard("private");
  scene.remote.tokens = new Set(["good"]);
  await open(page, `/apps/${app.id}`, "private");
  const watch = async () => {
    await page.getByRole("button", { name: "Watch a repository" }).click();
    const dialog = page.getByRole("dialog", { name: "Watch a repository" });
    await dialog.getByRole("textbox", { name: "Repository" }).fill(scene.url);
    await dialog.getByRole("textbox", { name: "Only these files" }).fill("src/**\n*.md");
    await dialog.getByRole("button", { name: "Watch" }).click();
    return dialog;
  };
  const refused = await watch();
  await refused.getByRole("alert").waitFor();
  await refused.getByRole("button", { name: "Cancel" }).click();
  const credentials = page.getByRole("region", { name: "Credentials" });
  await credentials.getByRole("button", { name: "Add" }).click();
  const add = page.getByRole("dialog", { name: "Add a credential" });
  await add.getByRole("textbox", { name: "For the address" }).fill("nonsense");
  await add.getByRole("textbox", { name: "Token" }).fill("good");
  await add.getByRole("button", { name: "Add" }).click();
  await add.locator("[aria-invalid=true], [role=alert] p").first().waitFor();
  await add.getByRole("textbox", { name: "For the address" }).fill(`https://${scene.remote.host}`);
  await add.getByRole("button", { name: "Add" }).click();
  await credentials.getByText("not used yet").waitFor();
  await watch();
  await page.getByRole("heading", { name: /docs$/, level: 1 }).waitFor();
  await summary(page).getByText("Synced", { exact: true }).waitFor();
  await summary(page).getByText("src/**").waitFor();

  scene.remote.tokens = new Set(["better"]);
  await scene.push("echo secret > secret.md");
  await summary(page).getByText("Failing", { exact: true }).waitFor();
  await summary(page)
    .getByText(/does not accept the credential any more/)
    .waitFor();
  await summary(page).getByText("Until then nothing of it is sent.").waitFor();
  await summary(page).getByRole("link", { name: "private" }).click();
  await credentials.getByRole("button", { name: /^Replace/ }).click();
  const replace = page.getByRole("dialog", { name: "Replace the credential" });
  await replace.getByRole("textbox", { name: "Token" }).fill("better");
  await replace.getByRole("button", { name: "Replace" }).click();
  await page.getByRole("row", { name: /Synced/ }).waitFor();
  await page.getByRole("link", { name: "secret.md" }).waitFor();
  await credentials.getByRole("button", { name: /^Remove/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await credentials.getByText(/^None\./).waitFor();
  scene.remote.tokens = undefined;
  expect(complaints).toEqual([]);
});

test("a watch is found, changed, synced again and removed", async () => {
  const { page, complaints } = await scene.visit();
  const app = await scene.onboard("watcher");
  const watch = await scene.watch(app.id);
  await scene.told(watch.id);
  await open(page, "/repositories", "Repositories");
  await page.getByRole("combobox", { name: "App" }).selectOption("watcher");
  const rows = page.getByRole("table").locator("tbody tr");
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByRole("textbox", { name: "Part of the address" }).fill("elsewhere");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "No repository matches" }).waitFor();
  await page.goBack();
  await rows.getByRole("link", { name: /docs/ }).click();
  await page.getByRole("button", { name: "Edit" }).click();
  const edit = page.getByRole("dialog", { name: "Change the watch" });
  await edit.getByRole("textbox", { name: "Branch or tag" }).fill("nowhere");
  await edit.getByRole("button", { name: "Save" }).click();
  await edit.getByText("The repository has no branch or tag 'nowhere'.").waitFor();
  await edit.getByRole("textbox", { name: "Branch or tag" }).fill("");
  await edit.getByRole("textbox", { name: "Only these files" }).fill("src/**/file-1.txt");
  await edit.getByRole("button", { name: "Save" }).click();
  await summary(page).getByText("src/**/file-1.txt").waitFor();
  await expect
    .poll(() => page.getByRole("list", { name: "Files" }).getByRole("listitem").count())
    .toBe(1);
  const sent = scene.receiver.received.length;
  await scene.told(watch.id);
  await page.getByRole("button", { name: "Re-sync" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Re-sync" }).click();
  await expect.poll(() => scene.receiver.received.length).toBeGreaterThan(sent);
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove the watch" }).click();
  await page.getByRole("heading", { name: "Repositories", level: 1 }).waitFor();
  await page.goto(`${scene.server.url}/repositories/${watch.id}`);
  await page.getByRole("alert").getByText("Not found").waitFor();
  expect(complaints.filter((complaint) => !complaint.includes("404"))).toEqual([]);
});

test("a test of the endpoint tells its answer; an address that is gone is taken up again", async () => {
  const { page, complaints } = await scene.visit();
  const app = await scene.onboard("pinged");
  await open(page, `/apps/${app.id}`, "pinged");
  await page.getByRole("button", { name: "Test endpoint" }).click();
  const result = page.getByRole("region", { name: "Test of the endpoint" });
  await result.getByText(/^It answered 204 in /).waitFor();
  scene.receiver.answer = () => ({ status: 410 });
  await page.getByRole("button", { name: "Test endpoint" }).click();
  await summary(page).getByText("Its address says that it is gone").waitFor();
  await result.getByText("The app answered 410.").waitFor();
  scene.receiver.answer = () => ({ status: 204 });
  await page.getByRole("button", { name: "Try now" }).click();
  await result.getByText(/^It answered 204 in /).waitFor();
  await summary(page).getByText("OK", { exact: true }).waitFor();
  expect(complaints).toEqual([]);
});
