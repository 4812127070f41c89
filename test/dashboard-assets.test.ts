// The pages about files in a real browser, on a real server that keeps them.
import { readFileSync } from "node:fs";
import type { Asset } from "@croft/contract";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callApi } from "./support/call-api.ts";
import { barriersInEveryLook } from "./support/dashboard.ts";
import { type AssetsDashboard, openAssetsDashboard } from "./support/dashboard-assets.ts";
import { waitUntil } from "./support/wait-until.ts";

const MEBIBYTE = 1024 * 1024;
const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle r="9"/></svg>`;

let scene: AssetsDashboard;

beforeAll(async () => {
  scene = await openAssetsDashboard("dashboard-assets", {
    CROFT_ASSETS_UPLOAD_MAX_BYTES: String(2 * MEBIBYTE),
    CROFT_ASSETS_BUDGET_BYTES: String(4 * MEBIBYTE),
  });
});

afterAll(async () => {
  await scene.close();
});

async function open(page: Page, path: string, heading: string | RegExp): Promise<void> {
  await page.goto(scene.server.url + path);
  await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
}

function cards(page: Page) {
  return page.getByRole("list", { name: "Assets, newest first" }).getByRole("listitem");
}

function file(name: string, contents: string | Buffer, mimeType = "text/plain") {
  return { name, mimeType, buffer: Buffer.from(contents) };
}

async function listed(query: string): Promise<Asset[]> {
  return (await callApi<{ assets: Asset[] }>(scene.server, "GET", `/api/assets?${query}`)).assets;
}

test("without any file the page says how there will be one; chosen and dropped files come in", async () => {
  const { page, complaints } = await scene.visit();
  await open(page, "/assets", "Assets");
  await page.getByRole("heading", { name: "No asset yet" }).waitFor();
  await page
    .getByLabel("Files to upload")
    .setInputFiles([file("notes.txt", "sow, water"), file("a b.svg", PICTURE, "image/svg+xml")]);
  const uploads = page.getByRole("region", { name: "Uploads" });
  await uploads.getByText("2 files uploaded").waitFor();
  await expect.poll(() => cards(page).count()).toBe(2);
  await cards(page).filter({ hasText: "notes.txt" }).getByText("sow, water").waitFor();
  await cards(page).filter({ hasText: "a b.svg" }).locator("img").waitFor();
  await expect
    .poll(() => page.evaluate("document.querySelector('main img').naturalWidth"))
    .toBeGreaterThan(0);

  const dropped = await page.evaluateHandle(`(() => {
    const data = new DataTransfer();
    data.items.add(new File(["dropped"], "../../drop\\u202Egpj.exe", { type: "image/jpeg" }));
    return data;
  })()`);
  await page.dispatchEvent("main", "dragenter", { dataTransfer: dropped });
  await page.getByText("Drop to upload").waitFor();
  await page.dispatchEvent("main", "drop", { dataTransfer: dropped });
  await uploads.getByText("3 files uploaded").waitFor();
  // What turns the direction of writing is shown as what it is: strange.
  await cards(page).getByRole("link", { name: "../../drop\u{fffd}gpj.exe", exact: true }).waitFor();
  const [kept] = await listed("search=gpj");
  expect(kept).toMatchObject({
    media_type: "text/plain; charset=utf-8",
    declared_type: "image/jpeg",
  });
  expect(complaints).toEqual([]);
});

test("filters are in the address; a file is looked at, saved, and deleted for everybody", async () => {
  const { page, complaints } = await scene.visit();
  const { id } = await scene.submitTyped("poster", { title: "Oats" }, { source_task_id: "T-1" });
  await scene.ended(id);
  await open(page, "/assets?source_task_id=T-1", "Assets");
  await expect.poll(() => cards(page).count()).toBe(2);
  await page.getByRole("textbox", { name: "Name" }).fill("POSTER-2");
  await page.keyboard.press("Enter");
  await expect.poll(() => cards(page).count()).toBe(1);
  await page.getByRole("combobox", { name: "Type" }).selectOption("SVG");
  await page.getByRole("navigation", { name: "Kind" }).getByText("Generated").click();
  await expect
    .poll(() => Object.fromEntries(new URL(page.url()).searchParams))
    .toEqual({
      ...{ source_task_id: "T-1", search: "POSTER-2", type: "image/svg+xml" },
      kind: "generated",
    });
  await page.getByRole("navigation", { name: "Kind" }).getByText("Uploads").click();
  await page.getByRole("heading", { name: "No asset matches" }).waitFor();
  await page.goBack();

  await cards(page).getByRole("link", { name: "poster-2.svg", exact: true }).click();
  await page.getByRole("heading", { name: "poster-2.svg" }).waitFor();
  await page.getByRole("region", { name: "Preview" }).getByRole("img").waitFor();
  await page.getByRole("link", { name: `job ${id.slice(-8)}` }).waitFor();
  const [asset] = await listed("source_task_id=T-1&search=poster-2");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy the SHA-256" }).click();
  await expect
    .poll(() => page.evaluate("navigator.clipboard.readText()"))
    .toBe(asset?.sha256 ?? "none");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download", exact: true }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("poster-2.svg");
  expect(readFileSync(await download.path(), "utf8")).toContain("Oats 2");

  const other = await scene.beside(page);
  await open(other, "/assets?source_task_id=T-1", "Assets");
  await expect.poll(() => cards(other).count()).toBe(2);
  await page.bringToFront();
  await page.getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete this file?" });
  await dialog.getByText("poster-2.svg").waitFor();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("heading", { name: "Assets", level: 1 }).waitFor();
  await other.bringToFront();
  await expect.poll(() => cards(other).count()).toBe(1);
  await page.goto(`${scene.server.url}/assets/${asset?.id}`);
  await page.getByRole("alert").getByText("Not found").waitFor();
  expect(complaints.filter((said) => !said.includes("404"))).toEqual([]);
});

/** Tries every way out that there is without a click; each would be seen as a request or as a changed page. */
const SCRIPT = `
  fetch("/api/session?leak=fetch");
  new Image().src = "/api/session?leak=cookie-" + document.cookie;
  try { parent.document.title = "taken"; top.location = "/api/session?leak=top"; } catch {}
  document.documentElement.setAttribute("data-ran", "yes");`;
const EVIL_SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" onload="fetch('/api/session?leak=onload')">
  <script>${SCRIPT.replaceAll("&", "&amp;")}</script>
  <image href="/api/session?leak=image" width="9" height="9"/>
  <foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="/api/session?leak=foreign"/></foreignObject>
  <circle r="9"/></svg>`;
const EVIL_PAGE = `<!doctype html><html><head><title>page</title>
  <meta http-equiv="refresh" content="0;url=/api/session?leak=refresh">
  <link rel="stylesheet" href="/api/session?leak=style"><base href="/api/">
  <script>${SCRIPT}</script></head><body onload="fetch('/api/session?leak=body')">
  <h1>harmless</h1><img src="/api/session?leak=img" onerror="${"fetch('/api/session?leak=onerror')"}">
  <iframe src="/api/session?leak=frame"></iframe><object data="/api/session?leak=object"></object>
  <form action="/api/session?leak=form"><input autofocus onfocus="this.form.submit()"></form></body></html>`;

/** What was answered; a browser also tells of requests that it never made. */
function leaks(context: BrowserContext): string[] {
  const seen: string[] = [];
  context.on("response", (response) => {
    if (response.url().includes("leak=")) seen.push(response.url());
  });
  return seen;
}

test("a picture or a page with scripts reaches neither the session nor the API, however it is opened", async () => {
  const { page, complaints } = await scene.visit();
  const context = page.context();
  const seen = leaks(context);
  const evil = [
    await scene.upload("evil.svg", EVIL_SVG, "image/svg+xml"),
    await scene.upload("evil.html", EVIL_PAGE, "text/html"),
  ];
  expect(evil.map(({ media_type }) => media_type.split(";")[0])).toEqual([
    ...["image/svg+xml", "text/html"],
  ]);
  await open(page, "/assets?search=evil", "Assets");
  await expect.poll(() => cards(page).count()).toBe(2);
  await page.frameLocator("iframe").getByText("harmless").waitFor();
  for (const { id, name } of evil) {
    await open(page, `/assets/${id}`, name);
    if (name.endsWith(".html")) {
      await page.frameLocator("iframe").getByText("harmless").waitFor();
    } else await page.getByRole("region", { name: "Preview" }).getByRole("img").waitFor();
    expect(await page.title()).toBe(`${name} · Croft`);

    const [alone] = await Promise.all([
      context.waitForEvent("page"),
      page.getByRole("link", { name: "Open" }).click(),
    ]);
    await alone.waitForLoadState("load");
    const marks = await alone.evaluate(
      "[document.documentElement.getAttribute('data-ran'), self.origin]",
    );
    expect(marks).toEqual([null, "null"]);
    await alone.close();
  }
  // The same request from the dashboard itself is seen: the trap works.
  await page.evaluate("fetch('/api/session?leak=control').then((answer) => answer.status)");
  await waitUntil("the request of our own", () => seen.length > 0);
  expect(seen.map((url) => new URL(url).searchParams.get("leak"))).toEqual(["control"]);
  const isBlocked = /Content Security Policy|sandboxed|Blocked|Unsafe attempt/;
  expect(complaints.filter((said) => !isBlocked.test(said))).toEqual([]);
  for (const { id } of evil) await callApi(scene.server, "DELETE", `/api/assets/${id}`);
});

test("every page about files is free of barriers and fits", async () => {
  const { page, complaints } = await scene.visit({ colorScheme: "light" });
  const long = "w".repeat(200);
  const text = await scene.upload(`${long}.txt`, "some words\n".repeat(50), "text/plain");
  const blob = await scene.upload("blob", Buffer.from([0, 1, 2]));
  for (const [path, heading] of [
    ["/assets?kind=upload", "Assets"],
    [`/assets/${text.id}`, /^www/],
    [`/assets/${blob.id}`, "blob"],
  ] as const) {
    await open(page, path, heading);
    await page.locator("[aria-hidden].animate-pulse").first().waitFor({ state: "detached" });
    expect({ path, barriers: await barriersInEveryLook(page) }).toEqual({ path, barriers: [] });
  }
  expect(complaints).toEqual([]);
});

test("a file that is too large, or for which there is no room, is refused with the reason", async () => {
  const { page } = await scene.visit();
  await open(page, "/assets", "Assets");
  const input = page.getByLabel("Files to upload");
  await input.setInputFiles(file("large.bin", Buffer.alloc(2 * MEBIBYTE + 1, 1)));
  const uploads = page.getByRole("region", { name: "Uploads" });
  await uploads.getByText("1 file could not be uploaded").waitFor();
  await uploads.getByRole("alert").getByText("The body is too large.").waitFor();
  await uploads.getByRole("button", { name: "Hide large.bin" }).click();
  await uploads.waitFor({ state: "detached" });
  const fill = (letter: string) => file(`fill-${letter}`, Buffer.alloc(1_900_000, letter));
  await input.setInputFiles([fill("a"), fill("b"), fill("c")]);
  await uploads.getByRole("alert").getByText("There is no room for it.").first().waitFor();
  await uploads.getByText(/^2 files uploaded, 1 could not be$/).waitFor();
});
