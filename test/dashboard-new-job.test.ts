// The form for a new job in a real browser: from the schema of a handler to what the handler made.
import { writeFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { barriersInEveryLook } from "./support/dashboard.ts";
import { type AssetsDashboard, openAssetsDashboard } from "./support/dashboard-assets.ts";
import { waitUntil } from "./support/wait-until.ts";

let scene: AssetsDashboard;

beforeAll(async () => {
  scene = await openAssetsDashboard("dashboard-new-job");
});

afterAll(async () => {
  await scene.close();
});

async function open(page: Page, path: string, heading: string | RegExp): Promise<void> {
  await page.goto(scene.server.url + path);
  await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
}

/** What a screen reader says of a field that is wrong. */
async function mistakeOf(field: Locator): Promise<string> {
  expect(await field.getAttribute("aria-invalid")).toBe("true");
  const [, id = ""] = (await field.getAttribute("aria-describedby"))?.split(" ") ?? [];
  return await field.page().locator(`[id="${id}"]`).innerText();
}

test("a type is chosen, its form filled in, mistakes are told at their fields; the job runs in sight and shows its files", async () => {
  const { page, complaints } = await scene.visit();
  await open(page, "/jobs", "Jobs");
  await page.getByRole("link", { name: "New job" }).click();
  const types = page.getByRole("list", { name: "Job types" });
  for (const name of ["archive", "command", "diagram", "poster", "report"]) {
    await types.getByRole("link", { name, exact: true }).waitFor();
  }
  await types.getByRole("link", { name: "poster", exact: true }).click();
  await page.getByRole("heading", { name: "New poster job" }).waitFor();
  await page.getByText("Posters of your words.").waitFor();
  const submit = page.getByRole("button", { name: "Submit job" });
  await submit.click();
  const title = page.getByLabel("title", { exact: true });
  expect(await mistakeOf(title)).toBe("It is needed.");
  expect(await page.evaluate("document.activeElement.labels[0].innerText")).toBe("title");
  await title.fill("Rye");
  await page.getByLabel("copies (optional)").fill("3");
  await page.getByRole("button", { name: "Add to tags" }).click();
  const tag = page.getByLabel("tags 1", { exact: true });
  await tag.fill("ab"); // the handler wants three letters, which only the server knows
  await page.getByText("Advanced").click();
  await page.getByLabel("Task id (optional)").fill("T-7");
  await submit.click();
  await waitUntil("the server's answer", async () => {
    return (await tag.getAttribute("aria-invalid")) === "true";
  });
  expect(await mistakeOf(tag)).toContain("3");
  await tag.fill("abc");
  await page.getByLabel("wait_for (optional)").fill(scene.signal);
  await submit.click();

  await page.getByRole("heading", { name: /^poster / }).waitFor();
  const bar = page.getByRole("progressbar", { name: "Progress of the job" });
  await expect.poll(() => bar.getAttribute("aria-valuenow")).toBe("75");
  await page.getByText("drew 3 of 3").waitFor();
  const list = await scene.beside(page);
  await open(list, "/jobs?source_task_id=T-7", "Jobs");
  await list.getByRole("progressbar", { name: "Progress" }).waitFor();
  await list.getByText("drew 3 of 3").waitFor();
  await list.close();
  expect(await page.getByRole("region", { name: "Assets" }).count()).toBe(0);
  writeFileSync(scene.signal, "");
  const assets = page.getByRole("region", { name: "Assets" });
  await assets.getByText("3 files").waitFor();
  await expect.poll(() => assets.getByRole("listitem").count()).toBe(3);
  const id = page.url().split("/").at(-1) ?? "";
  expect(await scene.job(id)).toMatchObject({
    ...{ status: "done", type: "poster", source_task_id: "T-7" },
    input: { title: "Rye", copies: 3, tone: "calm", tags: ["abc"], wait_for: scene.signal },
  });
  await assets.getByRole("link", { name: "poster-3.svg", exact: true }).click();
  await page.getByRole("heading", { name: "poster-3.svg" }).waitFor();
  expect(complaints).toEqual([]);
});

test("fields and JSON say the same, in both directions; what has no field stays JSON", async () => {
  const { page, complaints } = await scene.visit();
  await open(page, "/jobs/new?type=poster", "New poster job");
  await page.getByLabel("title", { exact: true }).fill("Barley");
  await page.getByRole("button", { name: "Set frame" }).click();
  await page.getByLabel("width", { exact: true }).fill("1.5");
  await page.getByLabel("rounded", { exact: true }).selectOption("Yes");
  await page.getByRole("button", { name: "Add to colours" }).click();
  await page.getByLabel("Name 1 of colours").fill("sky");
  await page.getByLabel("Value 1 of colours").fill("blue");
  await page.getByLabel("place (optional)").selectOption("wall");
  await page.getByLabel("height_cm").fill("180");
  await page.getByLabel("due (optional)").fill("2026-12-24");
  await page.getByLabel("extra (optional)").fill("[1, null]");
  expect(await barriersInEveryLook(page)).toEqual([]);
  const mode = page.getByRole("group", { name: "Write the input as" });
  await mode.getByText("JSON").click();
  const text = page.getByLabel("Input as JSON");
  const whole = {
    ...{ title: "Barley", copies: 2, tone: "calm", colours: { sky: "blue" } },
    ...{ frame: { width: 1.5, rounded: true }, place: { to: "wall", height_cm: 180 } },
    ...{ due: "2026-12-24", extra: [1, null] },
  };
  expect(JSON.parse(await text.inputValue())).toEqual(whole);
  await text.fill(JSON.stringify({ ...whole, title: "Wheat", unknown: 1 }));
  await mode.getByText("Fields").click();
  await page.getByText("The fields cannot show this").waitFor();
  await page.getByRole("button", { name: "Submit job" }).click();
  await expect.poll(() => mistakeOf(text)).toContain("unknown");
  await text.fill(JSON.stringify({ ...whole, title: "Wheat" }));
  await mode.getByText("Fields").click();
  expect(await page.getByLabel("title", { exact: true }).inputValue()).toBe("Wheat");
  expect(await page.getByLabel("height_cm").inputValue()).toBe("180");
  await page.getByRole("button", { name: "Submit job" }).click();
  await page.getByRole("heading", { name: /^poster / }).waitFor();
  const { input } = await scene.job(page.url().split("/").at(-1) ?? "");
  expect(input).toEqual({ ...whole, title: "Wheat" });
  expect(complaints).toEqual([]);
});

test("a built-in type tells what is wrong with the whole of its input; an unknown one is said", async () => {
  const { page } = await scene.visit();
  await open(page, "/jobs/new?type=diagram", "New diagram job");
  await page.getByLabel("language", { exact: true }).selectOption("mermaid");
  await page.getByRole("button", { name: "Submit job" }).click();
  await page.getByRole("alert").getByText("Needs either 'source'").waitFor();
  await open(page, "/jobs/new?type=nothing", "New nothing job");
  await page.getByText("There is no job type nothing").waitFor();
  await page.getByRole("link", { name: "Choose another one" }).click();
  await page.getByRole("heading", { name: "New job", exact: true }).waitFor();
  expect(await barriersInEveryLook(page)).toEqual([]);
});
