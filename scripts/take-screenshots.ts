// `npm run screenshots -- <directory>`: every page of the dashboard in light, dark and on a phone, to look at.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startServer } from "../test/support/croft-process.ts";
import { launchBrowser, visit } from "../test/support/dashboard.ts";
import { ADMIN, createAdmin, signInAsAdmin } from "../test/support/sign-in.ts";

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
const pages = { overview: "/", settings: "/settings", missing: "/no/such/page" };

const scratch = mkdtempSync(join(tmpdir(), "croft-screenshots-"));
chmodSync(scratch, 0o755);
const server = await startServer(join(scratch, "data"));
const link = /http\S+\/setup#\S+/.exec(server.stdout())?.[0] ?? server.url;
const browser = await launchBrowser();
try {
  for (const [look, options] of Object.entries(looks)) {
    await take(look, options, { setup: link.replace(server.url, "") });
  }
  await createAdmin(server);
  const { headers } = await signInAsAdmin(server);
  const [name = "", value = ""] = (headers["cookie"] ?? "").split("=");
  for (const [look, options] of Object.entries(looks)) {
    await take(look, options, openPages);
    await take(look, options, pages, { name, value, url: server.url });
  }
} finally {
  await browser.close();
  await server.stop();
  rmSync(scratch, { recursive: true, force: true });
}
console.log(`${directory} (signed in as ${ADMIN.name})`);

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
    await page.waitForLoadState("networkidle");
    await page.screenshot({ path: join(directory, `${name}-${look}.png`) });
  }
  await page.context().close();
}
