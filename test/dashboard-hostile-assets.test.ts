// Files whose names or types were made to do harm, in a real browser that is signed in: none does any.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AssetsDashboard, openAssetsDashboard } from "./support/dashboard-assets.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { waitUntil } from "./support/wait-until.ts";

let scene: AssetsDashboard;

beforeAll(async () => {
  scene = await openAssetsDashboard("dashboard-hostile-assets");
});

afterAll(async () => {
  await scene.close();
});

/** Each would be seen: as a request with `leak`, or as a mark on the page. */
const SCRIPT = `globalThis.ran = true; fetch("/api/session?leak=script");`;

/** What was answered to anybody who asked for it. */
function leaks(page: Page): string[] {
  const seen: string[] = [];
  page.context().on("response", (response) => {
    if (response.url().includes("leak=")) seen.push(response.url());
  });
  return seen;
}

/** The trap works: the same request from the dashboard itself is seen, and it is the only one. */
async function expectNoLeak(page: Page, seen: readonly string[]): Promise<void> {
  await page.evaluate("fetch('/api/session?leak=control').then((answer) => answer.status)");
  await waitUntil("the request of our own", () => seen.length > 0);
  expect(seen.map((url) => new URL(url).searchParams.get("leak"))).toEqual(["control"]);
}

async function openAsset(page: Page, id: string): Promise<string> {
  await page.goto(`${scene.server.url}/assets/${id}`);
  const heading = page.getByRole("heading", { level: 1 });
  await heading.waitFor();
  await page.getByRole("link", { name: "Download", exact: true }).waitFor();
  return await heading.innerText();
}

test.each([
  ["../../etc/passwd", "../../etc/passwd"],
  ["..\\..\\windows\\win.ini", "..\\..\\windows\\win.ini"],
  ["/etc/cron.d/job", "/etc/cron.d/job"],
  ["C:\\autoexec.bat", "C:\\autoexec.bat"],
  ["..", ".."],
  [".bashrc", ".bashrc"],
  ["CON", "CON"],
  ["nul.txt", "nul.txt"],
  ["photo\u202egpj.exe", "photo\u{fffd}gpj.exe"],
  ["\u2067abc\u2069.txt", "\u{fffd}abc\u{fffd}.txt"],
  ['a"; filename="b.exe', 'a"; filename="b.exe'],
  [`<img src=x onerror='${SCRIPT}'>`, `<img src=x onerror='${SCRIPT}'>`],
  ["l".repeat(255), "l".repeat(255)],
])(
  "the name %j is shown as what it is, and saved under one that is harmless",
  async (name, shown) => {
    const { page, complaints } = await scene.visit();
    const seen = leaks(page);
    const { id } = await scene.upload(name, "text", "text/plain");
    expect(await openAsset(page, id)).toBe(shown);
    expect(await page.title()).toBe(`${shown} · Croft`);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download", exact: true }).click(),
    ]);
    const suggested = download.suggestedFilename();
    expect(suggested).toMatch(/^[^./\\][^/\\:"<>|?*\p{Cc}\p{Bidi_Control}]*$/u);
    expect(suggested).not.toMatch(/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i);
    expect(Buffer.byteLength(suggested)).toBeLessThanOrEqual(255);
    const directory = join(await scratchDirectory(), "inside");
    await download.saveAs(join(directory, suggested));
    expect(readdirSync(directory)).toEqual([suggested]);
    expect(readFileSync(join(directory, suggested), "utf8")).toBe("text");
    expect(await page.evaluate("globalThis.ran")).toBeUndefined();
    await expectNoLeak(page, seen);
    expect(complaints).toEqual([]);
  },
);

test.each([
  ["of 4 KB", `"x".repeat(4096)`],
  ["with a NUL", `"a\\u0000b.txt"`],
  ["with a line break", `"a\\nset-cookie: b"`],
])(
  "a file with a name %s is refused with the reason, and nothing of it is kept",
  async (_what, name) => {
    const { page } = await scene.visit();
    await page.goto(`${scene.server.url}/assets`);
    await page.getByRole("heading", { name: "Assets", level: 1 }).waitFor();
    const before = await listed(page);
    const dropped = await page.evaluateHandle(`(() => {
    const data = new DataTransfer();
    data.items.add(new File(["dropped"], ${name}, { type: "text/plain" }));
    return data;
  })()`);
    await page.dispatchEvent("main", "drop", { dataTransfer: dropped });
    const uploads = page.getByRole("region", { name: "Uploads" });
    await uploads.getByText("1 file could not be uploaded").waitFor();
    await uploads.getByRole("alert").first().waitFor();
    expect(await listed(page)).toEqual(before);
  },
);

async function listed(page: Page): Promise<unknown> {
  return await page.evaluate("fetch('/api/assets').then((answer) => answer.json())");
}

const PAGE = `<!doctype html><title>taken</title><body onload='${SCRIPT}'><script>${SCRIPT}</script>`;
const DRAWING = `<svg xmlns="http://www.w3.org/2000/svg" onload='${SCRIPT}'><script>${SCRIPT}</script></svg>`;

test.each([
  ["a page as a picture", PAGE, "image/png", "text/html"],
  ["a page as a text", PAGE, "text/plain", "text/html"],
  ["a page as a PDF", PAGE, "application/pdf", "text/html"],
  ["a page as XHTML", PAGE, "application/xhtml+xml", "application/xhtml+xml"],
  ["a page as something unheard of", PAGE, "made/up", "text/html"],
  ["a drawing as a text", DRAWING, "text/plain", "image/svg+xml"],
  ["a drawing as XML", `<?xml version="1.0"?>${DRAWING}`, "text/xml", "image/svg+xml"],
  ["a drawing as a page", DRAWING, "text/html", "image/svg+xml"],
  ["a text as a page", `GIF89a/*<script>${SCRIPT}</script>*/`, "text/html", "text/plain"],
  ["a script", SCRIPT, "text/javascript", "text/plain"],
  [
    "XML with a style sheet",
    `<?xml version="1.0"?><?xml-stylesheet href="/api/session?leak=style"?><a/>`,
    "text/xml",
    "text/xml",
  ],
])(
  "%s runs nowhere: not on its page, in its frame, alone, nor as a part of the dashboard",
  async (_what, bytes, declared, served) => {
    const { page } = await scene.visit();
    const seen = leaks(page);
    const { id, media_type } = await scene.upload("a", bytes, declared);
    expect(media_type.split(";")[0]).toBe(served);
    await openAsset(page, id);
    await page.locator("[aria-hidden].animate-pulse").first().waitFor({ state: "detached" });
    expect(await page.title()).toBe("a · Croft");

    const content = `/api/assets/${id}/content`;
    const alone = await scene.beside(page);
    const answer = await alone
      .goto(`${scene.server.url}${content}?inline=true`)
      .catch((error: Error) => error.message);
    if (typeof answer !== "string") {
      expect(await alone.evaluate("globalThis.ran")).toBeUndefined();
      expect(await alone.evaluate("self.origin")).toBe("null");
    } else expect(answer).toMatch(/Download is starting|ERR_ABORTED/);
    await alone.close();

    expect(await page.evaluate(`(${PARTS})("${content}")`)).toEqual(PARTS_REFUSED);
    expect(await page.evaluate("globalThis.ran")).toBeUndefined();
    await expectNoLeak(page, seen);
  },
);

/** In the dashboard's own page, as if somebody had brought it to use the file as a part of itself. */
const PARTS = `async (address) => {
  const load = (name, more) => new Promise((resolve) => {
    const element = Object.assign(document.createElement(name), more);
    element.onload = () => resolve("loaded");
    element.onerror = () => resolve("refused");
    document.head.append(element);
  });
  const begin = (work) => Promise.resolve().then(work).then(() => "loaded", () => "refused");
  return {
    script: await load("script", { src: address }),
    module: await begin(() => import(address)),
    styles: await load("link", { rel: "stylesheet", href: address }),
    worker: await begin(() => new Promise((resolve, reject) => {
      const worker = new Worker(address);
      worker.onerror = reject;
      worker.onmessage = resolve;
    })),
    service: await begin(() => navigator.serviceWorker.register(address)),
  };
}`;
const PARTS_REFUSED = {
  ...{ script: "refused", module: "refused", styles: "refused" },
  ...{ worker: "refused", service: "refused" },
};

test("a PDF is not shown, and saved as a file", async () => {
  const { page, complaints } = await scene.visit();
  const { id } = await scene.upload("a.pdf", "%PDF-1.4\n%%EOF", "application/pdf");
  await openAsset(page, id);
  const preview = page.getByRole("region", { name: "Preview" });
  await preview.getByText("Browsers do not show a PDF").waitFor();
  expect(await page.getByRole("link", { name: "Open" }).count()).toBe(0);
  const alone = await scene.beside(page);
  const [download] = await Promise.all([
    alone.waitForEvent("download"),
    alone.goto(`${scene.server.url}/api/assets/${id}/content?inline=true`).catch(() => {}),
  ]);
  expect(download.suggestedFilename()).toBe("a.pdf");
  expect(complaints).toEqual([]);
});
