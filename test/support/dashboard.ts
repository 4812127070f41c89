// A real browser on the dashboard, which reports whatever a person would not see.
import { AxeBuilder } from "@axe-core/playwright";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { findBrowser } from "./find-browser.ts";
import { waitUntil } from "./wait-until.ts";

export async function launchBrowser(): Promise<Browser> {
  const { executablePath, args } = await findBrowser();
  return await chromium.launch({ executablePath, args: [...args] });
}

export interface Visit {
  readonly page: Page;
  /** Errors of scripts, refused resources and violations of the security policy, in order. */
  readonly complaints: readonly string[];
}

export async function visit(browser: Browser, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    // An answer of 401 is how a page learns that nobody is signed in; the browser logs it all the same.
    const isExpected = /status of (401|409|410|422|429)/.test(message.text());
    if (message.type() === "error" && !isExpected) complaints.push(message.text());
  });
  return { page, complaints };
}

/**
 * Halfway through a transition colours are none that anybody chose; what moves for ever is not waited for. A page hears of
 * another colour scheme with its next frame: before that nothing moves yet.
 */
const IS_STILL = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() =>
  resolve(document.getAnimations().every(({ playState, effect }) =>
    playState !== "running" || effect.getComputedTiming().iterations === Infinity)))))`;

/** What keeps people out: axe's findings, and sideways scrolling. */
export async function barriers(page: Page, rules?: readonly string[]): Promise<string[]> {
  await waitUntil("the end of all transitions", () => page.evaluate<boolean>(IS_STILL));
  const axe = new AxeBuilder({ page })
    .setLegacyMode() // in the page itself: there are no frames, and no second page has to be opened
    .options({ resultTypes: ["violations"] });
  const { violations } = await (rules === undefined ? axe : axe.withRules([...rules])).analyze();
  const found = violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join()}`,
  );
  const overflow = await page.evaluate(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  return Number(overflow) > 0 ? [...found, `page is ${overflow} px too wide`] : found;
}

const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

/** The same in light, in dark and on a phone. In the dark a page differs by its colours only, so only they are looked at. */
export async function barriersInEveryLook(page: Page): Promise<string[]> {
  const found = (look: string, all: readonly string[]) => all.map((one) => `${look}: ${one}`);
  const light = found("light", await barriers(page));
  await page.setViewportSize(PHONE);
  const phone = found("on a phone", await barriers(page));
  await page.setViewportSize(DESK);
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = found("dark", await barriers(page, ["color-contrast"]));
  await page.emulateMedia({ colorScheme: "light" });
  return [...light, ...phone, ...dark];
}
