// Renderers from the command line and in a real browser: what they make is the same everywhere, and can do nothing.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Job } from "@croft/contract";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { callApi } from "./support/call-api.ts";
import { runCroft, startServer } from "./support/croft-process.ts";
import { barriersInEveryLook, launchBrowser, visit } from "./support/dashboard.ts";
import { importHistory } from "./support/import-history.ts";
import { makeRepository } from "./support/make-repository.ts";
import { rendererScene } from "./support/renderer-scene.ts";
import { scratchDatabase } from "./support/scratch-database.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { waitUntil } from "./support/wait-until.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
});

async function scene() {
  const root = await scratchDirectory();
  const data = join(root, "data");
  const repository = await makeRepository(root, "app", { files: 300, commits: 20, odd: true });
  const env = { CROFT_GIT_ALLOW_LOCAL: "true", DATABASE_URL: await scratchDatabase() };
  const server = await startServer(data, { env });
  onTestFinished(async () => void (await server.stop()));
  const croft = async (...args: string[]) => {
    const process = runCroft(args, { env: { CROFT_DATA: data }, cwd: root });
    const code = await process.exit;
    const stdout = process.stdout();
    return { code, stdout, stderr: process.output().replace(stdout, "") };
  };
  return { root, data, env, server, repository, croft };
}

test("submitted and downloaded by the CLI, an archive has the bytes that another process made", async () => {
  const { root, repository, croft } = await scene();
  const output = join(root, "out");
  const submit = (...more: string[]) =>
    croft("jobs", "submit", "archive", "--input", `repository=${repository}`, ...more);
  const told = await submit(
    "--input",
    "format=zip",
    "--input",
    'paths:=["src"]',
    "--output",
    output,
  );
  expect(told.code, told.stderr).toBe(0);
  expect(told.stderr).toMatch(/^started attempt 1$/m);
  const [name = ""] = readdirSync(output);
  expect(told.stderr).toContain(`saved ${join(output, name)}`);
  const { render } = await rendererScene();
  const { files } = await render("archive", { repository, format: "zip", paths: ["src"] });
  expect(name).toBe(files[0]?.name);
  const hash = createHash("sha256")
    .update(readFileSync(join(output, name)))
    .digest("hex");
  expect(hash).toBe(files[0]?.sha256);

  const again = await submit("--input", "format=zip", "--output", output);
  expect(again).toMatchObject({ code: 1 });
  expect(again.stderr).toContain("is there already: --force replaces it");
  expect(readdirSync(output)).toEqual([name]);
  const forced = await submit("--input", "format=zip", "--output", output, "--force");
  expect(forced.code).toBe(0);
  expect(readdirSync(output)).toEqual([name]);
});

test("the exit code is the job's, and input that cannot be read is refused before anything is asked", async () => {
  const { root, croft } = await scene();
  const source = join(root, "source.json");
  await writeFile(source, JSON.stringify({ language: "graphviz", source: "digraph {" }));
  const failed = await croft("jobs", "submit", "diagram", "--input", `@${source}`, "--wait");
  expect(failed).toMatchObject({ code: 1 });
  expect(failed.stderr).toContain("syntax error in line 1");
  const mended = ["--input", `@${source}`, "--input", "source=digraph { a -> b }"];
  const done = await croft("jobs", "submit", "diagram", ...mended, "--wait", "--json");
  expect(done.code, done.stderr).toBe(0);
  expect(JSON.parse(done.stdout)).toMatchObject({
    status: "done",
    result_assets: [/./].map(() => expect.any(String)),
  });
  for (const input of ["{", "@nowhere", "x:=y", "[1]"]) {
    expect((await croft("jobs", "submit", "diagram", "--input", input)).code).not.toBe(0);
  }
});

test("a server that is killed while it packs leaves nothing behind, and the next one makes the archive", async () => {
  const { root, data, env, server, croft } = await scene();
  const repository = await makeRepository(root, "many", { files: 5000, odd: true });
  const args = ["--input", `repository=${repository}`, "--input", "format=zip"];
  const id = (await croft("jobs", "submit", "archive", ...args)).stdout.trim();
  const staging = join(data, "staging");
  await waitUntil("the index of the attributes", () =>
    readdirSync(staging).some((name) => name.startsWith("archive.")),
  );
  server.child.kill("SIGKILL");
  await server.exit;
  const next = await startServer(data, { env });
  onTestFinished(async () => void (await next.stop()));
  const isDone = async () => (await callApi<Job>(next, "GET", `/api/jobs/${id}`)).status === "done";
  await waitUntil("the archive", isDone, 60_000);
  await waitUntil("an empty staging", () => readdirSync(staging).length === 0);
}, 120_000);

/** Opens it as a file of its own, where nothing but itself protects anybody. */
async function openAlone(name: string, content: Buffer) {
  const directory = await scratchDirectory();
  const path = join(directory, name);
  await mkdir(directory, { recursive: true });
  await writeFile(path, content);
  const visited = await visit(browser);
  onTestFinished(() => visited.page.context().close());
  const asked: string[] = [];
  visited.page.on("request", (request) => asked.push(request.url()));
  const said: string[] = [];
  visited.page.on("dialog", (dialog) => {
    said.push(dialog.message());
    void dialog.dismiss();
  });
  const url = pathToFileURL(path).href;
  await visited.page.goto(url, { waitUntil: "load" });
  return { ...visited, said, elsewhere: () => asked.filter((each) => each !== url) };
}

test("a report is readable for everybody in every look, and runs nothing that a repository says", async () => {
  const repository = await makeRepository(await scratchDirectory(), "app", { files: 0 });
  const evil = `"><img src=x onerror=alert(1)><script>alert(2)</script>`;
  await importHistory(
    repository,
    Array.from({ length: 60 }, (_, number) => ({
      author:
        number % 3 === 0
          ? "Ann of the very long name that does not end before the line does"
          : `P${number % 20} "onload=alert(3)`,
      email: `p${number % 20}@example.org`,
      at: 1_700_000_000 + number * 86_400 * 3,
      message: evil,
      files: {
        [`src/${evil}/${number % 7}.ts`]: "x".repeat(number * 50),
        [`docs/d${number % 5}/a.md`]: "# x\n",
      },
    })),
  );
  const { render } = await rendererScene();
  const { files } = await render("report", { repository, title: evil });
  const { page, complaints, said, elsewhere } = await openAlone(
    "report.html",
    files[0]?.content ?? Buffer.alloc(0),
  );
  expect(await page.locator("h1").textContent()).toBe(evil);
  expect(await page.locator("script, img, iframe, object, link").count()).toBe(0);
  await page.locator("details summary").first().click();
  expect(await page.locator("details[open] tbody tr").count()).toBeGreaterThan(5);
  expect(await barriersInEveryLook(page)).toEqual([]);
  expect({ complaints, said, elsewhere: elsewhere() }).toEqual({
    complaints: [],
    said: [],
    elsewhere: [],
  });
});

test("a diagram of a hostile source runs nothing and asks for nothing", async () => {
  const { render } = await rendererScene();
  const hostile = [
    [
      "mermaid",
      'graph TD\n  A["<img src=x onerror=alert(1)>"] --> B["&lt;script&gt;alert(2)&lt;/script&gt;"]\n  click A "javascript:alert(3)"\n  style A fill:url(https://example.org/x),stroke:red" onload="alert(4)\n  classDef x fill:#fff}</style><script>alert(5)</script>\n  class B x',
    ],
    [
      "graphviz",
      'digraph { a [URL="javascript:alert(1)", label="</text><script>alert(2)</script>", tooltip="\\" onload=\\"alert(3)"]; b [image="https://example.org/x.png", fontname="x\\" onload=\\"alert(4)", id="\\"><script>alert(5)</script>", class="x"]; a -> b [href="https://example.org"]; stylesheet="https://example.org/a.css" }',
    ],
  ] as const;
  for (const [language, source] of hostile) {
    const { job, files } = await render("diagram", { language, source });
    expect(job.error).toBeNull();
    const content = files[0]?.content ?? Buffer.alloc(0);
    expect(content.toString()).not.toMatch(/<script|onload="|javascript:|example\.org/);
    const { complaints, said, elsewhere, page } = await openAlone("diagram.svg", content);
    expect(await page.evaluate("document.documentElement.localName")).toBe("svg");
    expect({ complaints, said, elsewhere: elsewhere() }).toEqual({
      complaints: [],
      said: [],
      elsewhere: [],
    });
  }
});
