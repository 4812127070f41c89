// The pages about jobs in a real browser, on a real server with real jobs.
import type { Job } from "@croft/contract";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { barriers, barriersInEveryLook } from "./support/dashboard.ts";
import { type JobsDashboard, openJobsDashboard } from "./support/dashboard-jobs.ts";
import { waitUntil } from "./support/wait-until.ts";

const FOR_EVER = "echo begun; sleep 3600";

let scene: JobsDashboard;

beforeAll(async () => {
  scene = await openJobsDashboard("dashboard-jobs");
});

afterAll(async () => {
  await scene.close();
});

async function open(page: Page, path: string, heading: string | RegExp): Promise<void> {
  await page.goto(scene.server.url + path);
  await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
}

async function cancel({ id }: Job): Promise<void> {
  await fetch(`${scene.server.url}/api/jobs/${id}/cancel`, {
    method: "POST",
    headers: { authorization: `Bearer ${scene.server.token}` },
  });
  await scene.ended(id);
}

/** The badge of the job's page. */
function status(page: Page, word: string) {
  return page.getByRole("region", { name: "Summary" }).getByText(word, { exact: true });
}

test("without any job the page teaches how to submit the first, which then appears by itself", async () => {
  const { page, complaints } = await scene.visit();
  await open(page, "/jobs", "Jobs");
  await page.getByRole("heading", { name: "No job yet" }).waitFor();
  const region = page.getByRole("region", { name: "Submit a job" });
  const token = `${scene.server.data}/run/cli-token`;
  await expect.poll(() => region.innerText()).toContain(token); // it asks for it first
  expect(await region.innerText()).toContain(`curl ${scene.server.url}/api/jobs`);
  expect(await barriers(page)).toEqual([]);
  await page.getByText("Live", { exact: true }).waitFor();
  const job = await scene.submit("echo the very first");
  await page.getByRole("link", { name: "echo the very first" }).waitFor();
  await scene.ended(job.id);
  await page.getByRole("cell", { name: "Done" }).waitFor();
  expect(complaints).toEqual([]);
});

describe("one job", () => {
  test("is followed live: log, cancel, retry, each shown without a reload", async () => {
    const { page, complaints } = await scene.visit();
    const job = await scene.submit(FOR_EVER, { key: "live" });
    await open(page, `/jobs/${job.id}`, /^command /);
    await status(page, "Running").waitFor();
    await page.getByRole("region", { name: "Lines of the log" }).getByText("begun").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    const dialog = page.getByRole("dialog", { name: "Cancel this job?" });
    expect(await barriers(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Cancel the job" }).click();
    await status(page, "Cancelled").waitFor();
    await page.getByRole("region", { name: "Timeline" }).getByText("Cancelled").waitFor();
    await page
      .getByRole("region", { name: "Attempts" })
      .getByText("cancelled", { exact: true })
      .waitFor();

    await page.getByRole("button", { name: "Retry" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Retry" }).click();
    await page.getByText("Retry of").waitFor();
    const made = page.url().split("/").at(-1) ?? "";
    expect(made).not.toBe(job.id);
    expect((await scene.job(made)).retry_of).toBe(job.id);
    await status(page, "Running").waitFor();
    await cancel(await scene.job(made));
    await status(page, "Cancelled").waitFor();
    expect(complaints).toEqual([]);
  });

  test("that failed says why; colours are shown and markup is text", async () => {
    const { page, complaints } = await scene.visit();
    const evil = "<img src=x onerror=document.title=1>";
    const job = await scene.submit(`printf '\\033[31mred\\033[0m %s\\n' '${evil}'; exit 7`);
    await scene.ended(job.id);
    await open(page, `/jobs/${job.id}`, /^command /);
    await page.getByText("The command ended with exit code 7.").first().waitFor();
    const log = page.getByRole("region", { name: "Lines of the log" });
    await log.getByText(evil).waitFor();
    expect(await log.locator("img").count()).toBe(0);
    expect(await log.getByText("red", { exact: true }).getAttribute("class")).toContain("ansi-red");
    expect(complaints).toEqual([]);
  });

  test("that waits says for what, and its place", async () => {
    const { page } = await scene.visit();
    const first = await scene.submit(FOR_EVER, { key: "narrow" });
    const second = await scene.submit("echo second", { key: "narrow" });
    await waitUntil(
      "the first to run",
      async () => (await scene.job(first.id)).status === "running",
    );
    await open(page, `/jobs/${second.id}`, /^command /);
    await page.getByText("Why it waits").waitFor();
    await page.getByText("It is the next.").waitFor();
    await cancel(first);
    await status(page, "Done").waitFor();
  });

  test("that does not exist is said, like a foreign one", async () => {
    const { page } = await scene.visit();
    await open(page, "/jobs/01a1e244-5d08-7000-8983-e4b6ddbf7906", /^Job /);
    await page.getByRole("alert").getByText("Not found").waitFor();
  });
});

test("a log of 100,000 lines: few are in the page, any is found by link, words or the end", async () => {
  const { page, complaints } = await scene.visit();
  const job = await scene.submit("seq 1 99999 | sed 's/^/line number /'; echo a needle");
  expect((await scene.ended(job.id)).status).toBe("done");
  const log = page.getByRole("region", { name: "Lines of the log" });
  await open(page, `/jobs/${job.id}#L50001`, /^command /); // the first line is Croft's own
  await log.getByText("line number 50000", { exact: true }).waitFor();
  expect(await log.getByRole("link").count()).toBeLessThan(200);
  await page.getByRole("button", { name: "Copy the link to line 50001" }).waitFor();
  await page.getByRole("searchbox", { name: "Find in the log" }).fill("NUMBER 777");
  await page.keyboard.press("Enter");
  await log.getByText("line number 777", { exact: true }).waitFor();
  await page.getByText(/^1 of \d+$/).waitFor();
  await page.getByRole("button", { name: "Follow the end" }).click();
  await log.getByText("a needle", { exact: true }).waitFor();
  await log.getByRole("link", { name: "Line 100001", exact: true }).click();
  expect(new URL(page.url()).hash).toBe("#L100001");
  expect(complaints).toEqual([]);
});

test("filters are in the address, and a key that looks like a number is a key", async () => {
  const { page } = await scene.visit();
  const failed = await scene.submit("exit 1", { key: "007" });
  const done = await scene.submit("echo done", { key: "007" });
  await Promise.all([scene.ended(failed.id), scene.ended(done.id)]);
  await open(page, "/jobs?key=007", "Jobs");
  const rows = page.getByRole("row").filter({ has: page.getByRole("link") });
  await expect.poll(() => rows.count()).toBe(2);
  await page.getByRole("navigation", { name: "Status" }).getByText("Failed").click();
  await expect.poll(() => rows.count()).toBe(1);
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
    key: "007",
    status: "failed",
  });
  await page.getByRole("textbox", { name: "Key" }).fill("nothing");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "No job matches" }).waitFor();
  await page.goBack();
  await expect.poll(() => rows.count()).toBe(1);
});

test("all jobs of a filter are cancelled, and then retried, with progress in sight", async () => {
  const { page, complaints } = await scene.visit();
  const many = await Promise.all([1, 2, 3, 4].map(() => scene.submit(FOR_EVER, { key: "many" })));
  await open(page, "/jobs?key=many", "Jobs");
  await page.getByRole("button", { name: "Cancel all" }).click();
  const dialog = page.getByRole("dialog", { name: "Cancel all these jobs?" });
  await dialog.getByText("many").waitFor();
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Cancel all" }).click();
  await page.getByText("Cancelled 4 of 4 jobs").waitFor();
  for (const { id } of many) expect((await scene.ended(id)).status).toBe("cancelled");
  await page.getByRole("cell", { name: "Cancelled" }).nth(3).waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("link", { name: "Hide the bulk action" }).click();
  await page.getByRole("navigation", { name: "Status" }).getByText("Cancelled").click();
  await page.getByRole("button", { name: "Retry all" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Retry all" }).click();
  await page.getByText("Retried 4 of 4 jobs").waitFor();
  await page.goto(`${scene.server.url}/jobs?key=many&status=queued`);
  await page.getByRole("cell", { name: "Queued" }).nth(2).waitFor();
  await page.goto(`${scene.server.url}/jobs?key=many`);
  await page.getByRole("button", { name: "Cancel all" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel all" }).click();
  await page.getByText("Cancelled 4 of 4 jobs").waitFor();
  expect(complaints).toEqual([]);
});

test("the queue shows why things wait; an admin pauses, resumes and widens a lane", async () => {
  const { page, complaints } = await scene.visit();
  const jobs = await Promise.all([1, 2, 3].map(() => scene.submit(FOR_EVER, { key: "wide" })));
  await open(page, "/queue", "Queue");
  const lane = page
    .getByRole("list", { name: "Lanes" })
    .getByRole("listitem")
    .filter({ hasText: "wide" });
  await lane.getByText("Full: waits for its own jobs").waitFor();
  await lane.getByText("2 waiting").first().waitFor();
  await lane.getByRole("button", { name: "Pause wide" }).click();
  await lane.getByText("Paused").waitFor();
  await page.getByText("A paused lane holds 2 jobs back.").waitFor();
  await lane.getByRole("button", { name: "Set the limit of wide" }).click();
  await page.getByLabel("Jobs at a time").fill("3");
  await page.getByRole("button", { name: "Set limit" }).click();
  await lane.getByText("1 of 3 run").waitFor();
  await lane.getByRole("button", { name: "Resume wide" }).click();
  await lane.getByText("3 of 3 run").waitFor();
  await page.getByRole("link", { name: "Workers" }).click();
  await page.getByText(/^3 of \d+ slots$/).waitFor();
  for (const job of jobs) await cancel(job);
  await page.getByText(/^0 of \d+ slots$/).waitFor();
  expect(complaints).toEqual([]);
});

test("two tabs share one connection, and the one that is left goes on", async () => {
  const { page } = await scene.visit();
  const other = await scene.beside(page);
  const connections: string[] = [];
  page.context().on("request", (request) => {
    if (new URL(request.url()).pathname === "/api/events") connections.push(request.url());
  });
  await open(page, "/jobs", "Jobs");
  await page.getByText("Live", { exact: true }).waitFor();
  await open(other, "/jobs?key=tabs", "Jobs");
  await other.getByText("Live", { exact: true }).waitFor();
  const first = await scene.submit("echo tab one", { key: "tabs" });
  for (const tab of [page, other]) await tab.getByRole("link", { name: "echo tab one" }).waitFor();
  expect(connections).toHaveLength(1);
  await page.close();
  await scene.submit("echo tab two", { key: "tabs" });
  await other.getByRole("link", { name: "echo tab two" }).waitFor();
  await scene.ended(first.id);
});

test("every page about jobs is free of barriers and fits", async () => {
  const { page, complaints } = await scene.visit({ colorScheme: "light" });
  const failed = await scene.submit("printf '\\033[33mhm\\033[0m '; seq -s ' ' 500; exit 1", {
    key: "long".repeat(40),
  });
  await scene.ended(failed.id);
  for (const [path, heading] of [
    ["/jobs", "Jobs"],
    ["/jobs?status=queued&key=none", "Jobs"],
    [`/jobs/${failed.id}#L2`, /^command /],
    ["/queue", "Queue"],
    ["/queue?owner=nobody", "Queue"],
    ["/workers", "Workers"],
  ] as const) {
    await open(page, path, heading);
    await page.locator(".animate-pulse").first().waitFor({ state: "detached" });
    expect({ path, barriers: await barriersInEveryLook(page) }).toEqual({ path, barriers: [] });
  }
  expect(complaints).toEqual([]);
}, 180_000);
