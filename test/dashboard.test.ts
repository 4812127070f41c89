// The dashboard in a real browser, as its first user meets it.
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { type RunningServer, startServer } from "./support/croft-process.ts";
import {
  barriers,
  barriersInEveryLook,
  launchBrowser,
  type Visit,
  visit,
} from "./support/dashboard.ts";
import { ADMIN, signInAsAdmin } from "./support/sign-in.ts";

let browser: Browser;
let server: RunningServer;
const data = join(inject("scratch"), "dashboard");

beforeAll(async () => {
  server = await startServer(data);
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser.close();
  await server.stop();
  rmSync(data, { recursive: true });
});

async function signIn(page: Page): Promise<void> {
  await page.goto(`${server.url}/login`);
  await page.getByLabel("E-mail").fill(ADMIN.email);
  await page.getByLabel("Password", { exact: true }).fill(ADMIN.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
}

async function isDark(page: Page): Promise<boolean> {
  return await page.evaluate<boolean>("document.documentElement.classList.contains('dark')");
}

describe("the first admin", () => {
  test("without the link, set-up and sign-in tell where to find it", async () => {
    const { page, complaints } = await visit(browser);
    await page.goto(`${server.url}/setup`);
    await page.getByRole("heading", { name: "Open the set-up link" }).waitFor();
    await page.goto(server.url);
    await page.getByRole("heading", { name: "Croft has no admin yet" }).waitFor();
    expect(await barriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("is created with the link, sees Overview, switches theme, signs out and in again", async () => {
    const link = /http\S+\/setup#\S+/.exec(server.stdout())?.[0] ?? "";
    const { page, complaints } = await visit(browser, { colorScheme: "light" });
    await page.goto(link);
    await page.getByRole("heading", { name: "Create the first admin" }).waitFor();
    expect(page.url()).toBe(`${server.url}/setup`); // the secret is gone from the address bar
    expect(await barriers(page)).toEqual([]);
    await page.getByLabel("Name").fill(ADMIN.name);
    await page.getByLabel("E-mail").fill(ADMIN.email);
    await page.getByLabel("Password", { exact: true }).fill("short");
    await page.getByRole("button", { name: /create/i }).click();
    expect(page.url()).toBe(`${server.url}/setup`);
    await page.getByLabel("Password", { exact: true }).fill(ADMIN.password);
    await page.getByRole("button", { name: /create/i }).click();

    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByText("PostgreSQL").first().waitFor();
    await page.getByText(data).waitFor();

    expect(await isDark(page)).toBe(false);
    await page.getByRole("button", { name: `Account of ${ADMIN.name}` }).click();
    await page.getByRole("radio", { name: "Dark" }).check({ force: true });
    await expect.poll(() => isDark(page)).toBe(true);
    await page.reload();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(await isDark(page)).toBe(true);

    await page.getByRole("button", { name: `Account of ${ADMIN.name}` }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.goto(server.url);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await signIn(page);
    expect(complaints).toEqual([]);
  });

  test("a used link says so", async () => {
    const link = /http\S+\/setup#\S+/.exec(server.stdout())?.[0] ?? "";
    const { page } = await visit(browser);
    await page.goto(link);
    await page.getByRole("heading", { name: "Croft is set up already" }).waitFor();
  });
});

describe("signing in", () => {
  test("a wrong password is said, at the right place for a screen reader", async () => {
    const { page } = await visit(browser);
    await page.goto(`${server.url}/login`);
    await page.getByLabel("E-mail").fill(ADMIN.email);
    await page.getByLabel("Password", { exact: true }).fill("not the password");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").getByText(/wrong/i).first().waitFor();
    expect(await barriers(page)).toEqual([]);
  });

  test("leads back to the page that was asked for, but never to another site", async () => {
    const { page } = await visit(browser);
    await page.goto(`${server.url}/settings`);
    await page.getByLabel("E-mail").fill(ADMIN.email);
    await page.getByLabel("Password", { exact: true }).fill(ADMIN.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Settings" }).waitFor();

    const other = await visit(browser);
    await other.page.goto(`${server.url}/login?redirect=//evil.example/`);
    await other.page.getByLabel("E-mail").fill(ADMIN.email);
    await other.page.getByLabel("Password", { exact: true }).fill(ADMIN.password);
    await other.page.getByRole("button", { name: "Sign in" }).click();
    await other.page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(new URL(other.page.url()).origin).toBe(server.url);
  });
});

describe("settings", () => {
  test("another place is signed out from here, at the server too", async () => {
    const elsewhere = await signInAsAdmin(server);
    const { page, complaints } = await visit(browser);
    await signIn(page);
    await page.getByRole("link", { name: "Settings" }).click();
    const places = page.getByRole("list", { name: "Signed-in places" });
    await places.getByText("This browser").waitFor();
    const buttons = places.getByRole("button", { name: /sign out/i });
    const before = await buttons.count();
    for (let left = before; left > 0; left--) {
      await buttons.first().click();
      await page
        .getByRole("dialog")
        .getByRole("button", { name: /sign out/i })
        .click();
      await expect.poll(() => buttons.count()).toBe(left - 1);
    }
    const { status } = await fetch(`${server.url}/api/session`, { headers: elsewhere.headers });
    expect(status).toBe(401);
    expect(complaints).toEqual([]);
  });
});

test("every page is free of barriers and fits", async () => {
  const { page, complaints }: Visit = await visit(browser, { colorScheme: "light" });
  await signIn(page);
  for (const [path, heading] of [
    ["/", "Overview"],
    ["/settings", "Settings"],
    ["/no/such/page", "No page here"],
  ] as const) {
    await page.goto(server.url + path);
    await page.getByRole("heading", { name: heading }).first().waitFor();
    await page.waitForLoadState("networkidle");
    expect({ path, barriers: await barriersInEveryLook(page) }).toEqual({ path, barriers: [] });
  }
  expect(complaints).toEqual([]);
});

test("the page that describes the API works under its security policy", async () => {
  const { page, complaints } = await visit(browser);
  await page.goto(`${server.url}/api/docs`);
  await page.getByText("/api/overview").first().waitFor();
  expect(await page.title()).toBe("Croft API");
  expect(complaints).toEqual([]);
});

test("a failing server is said, with a way to try again", async () => {
  const { page } = await visit(browser);
  await signIn(page);
  await page.route("**/api/overview", (route) => route.abort());
  await page.getByRole("button", { name: "Refresh" }).click();
  await page.getByRole("alert").getByText(/reach/i).first().waitFor();
  await page.unroute("**/api/overview");
  await page.getByRole("button", { name: "Refresh" }).click();
  await page.getByText("Unknown since").waitFor({ state: "detached" });
});
