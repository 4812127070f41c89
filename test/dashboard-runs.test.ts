// The pages about runs of pipelines in a real browser, on a real server that really runs them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { barriers, barriersInEveryLook } from "./support/dashboard.ts";
import { openRunsDashboard, type RunsDashboard } from "./support/dashboard-runs.ts";

const examples = join(import.meta.dirname, "../examples");

let scene: RunsDashboard;

beforeAll(async () => {
  scene = await openRunsDashboard("dashboard-runs");
});

afterAll(async () => {
  await scene.close();
});

async function open(page: Page, path: string, heading: string | RegExp): Promise<void> {
  await page.goto(scene.server.url + path);
  await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
}

/** The badge of the run's page. */
function status(page: Page, word: string) {
  return page
    .getByRole("region", { name: "Summary", exact: true })
    .getByText(word, { exact: true });
}

/** In the list of steps with their bars, by status and name. */
function step(page: Page, name: string | RegExp) {
  return page.getByRole("list", { name: "Steps" }).getByRole("link", { name });
}

function detail(page: Page, name: string) {
  return page.getByRole("region", { name, exact: true });
}

test("without any run the page teaches how to start the first, which then appears by itself", async () => {
  const { page, complaints } = await scene.visit();
  await open(page, "/runs", "Runs");
  await page.getByRole("heading", { name: "No run yet" }).waitFor();
  const region = page.getByRole("region", { name: "Start a run" });
  const wanted = `CROFT_DATA='${scene.server.data}' croft run first.yaml`;
  await expect.poll(() => region.innerText()).toContain(wanted); // it asks for it first
  const command = await region.innerText();
  expect(await barriers(page)).toEqual([]);
  await page.getByText("Live", { exact: true }).waitFor();
  const [, text = ""] = /<<'END'\n([\s\S]*)\nEND/.exec(command) ?? [];
  const run = await scene.start(`name: first\n${text}`);
  await page.getByRole("link", { name: /^first #1/ }).waitFor();
  await scene.until(run.id, "done");
  await page.getByRole("cell", { name: "Done" }).waitFor();
  await page.getByRole("link", { name: /^first #1/ }).click();
  await page.getByRole("heading", { name: "first #1" }).waitFor();
  expect(complaints).toEqual([]);
});

test("a run is followed live: its steps end, one asks for approval, then it goes on", async () => {
  const { page, complaints } = await scene.visit();
  const run = await scene.start(`
name: live
inputs: { who: { type: string, default: Ada } }
steps:
  make:
    run: |
      mkdir out; echo made > out/it.txt; echo "it=a thing" >> "$CROFT_OUTPUT"
      echo "- **made** a thing" >> "$CROFT_SUMMARY"; echo made it
    outputs: [it]
    artifacts: { thing: out/it.txt }
    checks: [{ no-diff-outside: ["docs/**"], on-failure: warn }]
  ask: { needs: [make], approval: { timeout: 1h, message: "Ship \${{ needs.make.outputs.it }}?" } }
  last: { needs: [ask], run: echo the end }
`);
  await open(page, `/runs/${run.id}`, "live #1");
  await step(page, /^Pending last/).waitFor();
  await page.getByText("ask waits for an approval").waitFor();
  const summary = page.getByRole("region", { name: "Summary", exact: true });
  await summary.getByText("Ship a thing?").waitFor();
  await status(page, "Waiting").waitFor();
  await step(page, /^Done make/).click();
  const make = detail(page, "make");
  await make.getByText("a thing", { exact: true }).waitFor();
  await make.getByText("A check warns").waitFor();
  await make.getByText("- **made** a thing").waitFor();
  await page.getByRole("region", { name: "Lines of the log" }).getByText("made it").waitFor();
  expect(new URL(page.url()).searchParams.get("step")).toBe("make");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    make.getByRole("link", { name: "Download thing" }).click(),
  ]);
  expect(readFileSync(await download.path(), "utf8")).toBe("made\n");

  await page.getByRole("button", { name: "Approve" }).click();
  const dialog = page.getByRole("dialog", { name: "Approve ask?" });
  await dialog.getByText("Ship a thing?").waitFor();
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Approve" }).click();
  await step(page, /^Done last/).click();
  await page.getByRole("region", { name: "Lines of the log" }).getByText("the end").waitFor();
  await status(page, "Done").waitFor();
  await step(page, /^Done ask/).click();
  await detail(page, "ask").getByText("Decided by").waitFor();
  const pipeline = page.getByRole("region", { name: "Text of the pipeline" });
  expect(await pipeline.innerText()).toContain("approval: { timeout: 1h, message:");
  expect(complaints).toEqual([]);
});

test("a failed run says why, is retried, and done again from a step; a refusal fails it", async () => {
  const { page, complaints } = await scene.visit();
  const run = await scene.start(`
name: again
steps:
  good: { run: echo fine }
  bad: { needs: [good], run: "echo trouble; exit 3" }
  never: { needs: [bad], run: "true" }
`);
  await scene.until(run.id, "failed");
  await open(page, `/runs/${run.id}`, "again #1");
  await page
    .getByRole("region", { name: "Summary", exact: true })
    .getByText("Step 'bad': the command ended with exit code 3.")
    .waitFor();
  // Without a choice the step that failed is shown.
  await page.getByRole("region", { name: "Lines of the log" }).getByText("trouble").waitFor();
  await step(page, /^Skipped never/).waitFor();
  const workspaces = page.getByRole("list", { name: "Workspaces of the run" });
  await expect.poll(() => workspaces.getByRole("listitem").count()).toBe(2);
  expect(await workspaces.getByText("Removed", { exact: true }).count()).toBe(2);
  await workspaces.getByText(/\/workspaces\/again-bad-/).waitFor();
  await page.getByRole("button", { name: "Retry", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Retry" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await scene.until(run.id, "failed");
  const retried = await scene.run(run.id);
  expect(retried.attempt).toBe(2);
  const jobOf = (name: string, of = retried) => of.steps.find((each) => each.step === name)?.job_id;
  await status(page, "Failed").waitFor();

  await step(page, /^Done good/).click();
  await page.getByRole("button", { name: "Retry from this step" }).click();
  await page.getByRole("dialog", { name: "Retry from good?" }).getByText("Retry").last().click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  const third = await scene.until(run.id, "failed");
  expect(third.attempt).toBe(3);
  expect(jobOf("good", third)).not.toBe(jobOf("good"));
  expect(complaints).toEqual([]);

  const asked = await scene.start("name: no\nsteps: { ask: { approval: { timeout: 1h } } }");
  await open(page, `/runs/${asked.id}`, "no #1");
  await page.getByRole("button", { name: "Refuse" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Refuse" }).click();
  await status(page, "Failed").waitFor();
  await detail(page, "ask")
    .getByText(/did not approve it/)
    .waitFor();
});

test("a run is cancelled; the list shows it, narrowed down by status and name", async () => {
  const { page, complaints } = await scene.visit();
  const run = await scene.start("name: long\nsteps: { wait: { run: sleep 3600 } }");
  await open(page, `/runs/${run.id}`, "long #1");
  await step(page, /^Running wait/).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  const dialog = page.getByRole("dialog", { name: "Cancel this run?" });
  await dialog.getByRole("button", { name: "Cancel the run" }).click();
  await status(page, "Cancelled").waitFor();
  await step(page, /^Cancelled wait/).waitFor();
  await page.getByRole("link", { name: "Runs" }).last().click();
  await page.getByRole("cell", { name: "Cancelled" }).first().waitFor();
  await page.getByRole("navigation", { name: "Status" }).getByText("Failed").click();
  await page.getByRole("textbox", { name: "Pipeline" }).fill("long");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "No run matches" }).waitFor();
  await page.goBack();
  await page.getByRole("link", { name: /^again #1/ }).waitFor();
  expect(complaints).toEqual([]);
});

test("a run inside of another leads to it, and back", async () => {
  const { page, complaints } = await scene.visit();
  await scene.store("inner", "steps: { deep: { run: echo from inside } }");
  const run = await scene.start("name: outer\nsteps: { use: { uses: inner } }");
  await scene.until(run.id, "done");
  await open(page, `/runs/${run.id}`, "outer #1");
  await detail(page, "use").getByRole("link", { name: /^run / }).click();
  await page.getByRole("heading", { name: "inner #1", level: 1 }).waitFor();
  await page.getByRole("region", { name: "Lines of the log" }).getByText("from inside").waitFor();
  expect(await page.getByRole("button", { name: "Retry from this step" }).count()).toBe(0);
  await detail(page, "deep").getByText("Job").waitFor();
  await detail(page, "deep").getByRole("link").first().click();
  await page.getByRole("link", { name: /^run .*, deep$/ }).click();
  await page
    .getByRole("region", { name: "Summary", exact: true })
    .getByRole("link", { name: /^run / })
    .click();
  await page.getByRole("heading", { name: "outer #1", level: 1 }).waitFor();
  expect(complaints).toEqual([]);
});

test("items of a matrix are in a table, each with its own log", async () => {
  const { page, complaints } = await scene.visit();
  const run = await scene.start(readFileSync(join(examples, "matrix-packages.yaml"), "utf8"));
  await scene.until(run.id, "done");
  await open(page, `/runs/${run.id}`, "matrix-packages #1");
  await step(page, /^Done test/).click();
  const rows = page.getByRole("table", { name: "Items of the matrix" }).getByRole("row");
  await expect.poll(() => rows.count()).toBe(4);
  await rows.getByRole("link", { name: /engine/ }).click();
  const log = page.getByRole("region", { name: "Lines of the log" });
  await log.getByText("tested engine (the slow tests too)").waitFor();
  expect(await page.evaluate("document.activeElement.tagName")).toBe("H2");
  const artifacts = page.getByRole("region", { name: "Artifacts" });
  expect(await artifacts.getByRole("listitem").count()).toBe(4);
  expect(complaints).toEqual([]);
});

test("200 steps and 256 items stay in sight and in reach", async () => {
  const { page, complaints } = await scene.visit();
  const items = Array.from({ length: 256 }, (_, index) => `i${index}`);
  const steps = Array.from({ length: 199 }, (_, index) => {
    const needs = index < 4 ? "gate" : `s${index - 4}`;
    return `  s${index}: { needs: [${needs}], run: "true" }`;
  });
  const run = await scene.start(
    [
      "name: wide",
      "steps:",
      "  gate: { run: exit 1, matrix: { n: [" +
        items.join(", ") +
        "], max-parallel: 1, fail-fast: true } }",
      ...steps,
    ].join("\n"),
  );
  await scene.until(run.id, "failed");
  await open(page, `/runs/${run.id}?step=gate`, "wide #1");
  const rows = page.getByRole("table", { name: "Items of the matrix" }).getByRole("row");
  await expect.poll(() => rows.count()).toBe(257);
  const graph = page.getByRole("navigation", { name: "Graph of the steps" });
  await graph.getByRole("link", { name: /s198/ }).click();
  await detail(page, "s198").waitFor();
  expect(await barriers(page)).toEqual([]);
  const height = await page.evaluate("document.documentElement.scrollHeight");
  expect(Number(height)).toBeLessThan(4_000);
  expect(complaints).toEqual([]);
});

test("a run or a step that does not exist is said", async () => {
  const { page } = await scene.visit();
  await open(page, "/runs/01a1e244-5d08-7000-8983-e4b6ddbf7906", /^Run /);
  await page.getByRole("alert").getByText("Not found").waitFor();
  const run = await scene.start("name: small\nsteps: { one: { run: echo } }");
  await open(page, `/runs/${run.id}?step=two`, "small #1");
  await page.getByText("There is no step two in this run").waitFor();
  await scene.until(run.id, "done");
});

test("every page about runs is free of barriers and fits", async () => {
  const { page, complaints } = await scene.visit({ colorScheme: "light" });
  const run = await scene.start(
    `
name: looks
inputs: { text: { type: string, default: x } }
steps:
  some: { matrix: { n: [one, "${"long".repeat(20)}"] }, run: echo $RANDOM > same.txt }
  merge: { needs: [some], integrate: { from: some, on-conflict: warn } }
  ${"long-name-".repeat(6)}step: { needs: [merge], run: "exit 1" }
  ask: { needs: [some], approval: { timeout: 1h } }
  after: { needs: [merge, ask], run: "true" }
`,
    { inputs: { text: "long text ".repeat(60) } },
  );
  await scene.until(run.id, "waiting");
  const shots = ["", "?step=some", "?step=merge", "?step=ask", "?step=none"];
  for (const [path, heading] of [
    ["/runs", "Runs"],
    ["/runs?name=none", "Runs"],
    ...shots.map((search) => [`/runs/${run.id}${search}`, /^looks/] as const),
  ] as const) {
    await open(page, path, heading);
    await page.locator(".animate-pulse").first().waitFor({ state: "detached" });
    expect({ path, barriers: await barriersInEveryLook(page) }).toEqual({ path, barriers: [] });
  }
  expect(complaints).toEqual([]);
}, 180_000);
