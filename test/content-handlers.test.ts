// The example project with handlers, started as its README says.
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Job } from "@croft/contract";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { projectRoot } from "../scripts/source-files.ts";
import { callApi } from "./support/call-api.ts";
import { type RunningServer, startServer } from "./support/croft-process.ts";
import { sourceWith } from "./support/source-with.ts";
import { waitUntil } from "./support/wait-until.ts";

const FILES = {
  "README.md": "# Bread & butter\n\nTwo <b>things</b>.\n\n- flour\n- milk\n",
  "docs/a.md": "# A\n",
  "docs/b.txt": "no page",
};
const data = join(inject("scratch"), "content-handlers");
let server: RunningServer;

beforeAll(async () => {
  server = await startServer(data, {
    cwd: join(projectRoot, "examples/content-handlers"),
    env: { CROFT_GIT_ALLOW_LOCAL: "true" },
  });
});

afterAll(async () => {
  await server.stop();
  rmSync(data, { recursive: true });
});

async function run(type: string, input: object): Promise<Job> {
  const { id } = await callApi<Job>(server, "POST", "/api/jobs", { type, input });
  return await waitUntil(`the end of '${type}'`, async () => {
    const job = await callApi<Job>(server, "GET", `/api/jobs/${id}`);
    return job.finished_at === null ? undefined : job;
  });
}

async function contentOf(id: string | undefined): Promise<string> {
  const headers = { authorization: `Bearer ${server.token}` };
  return await (await fetch(`${server.url}/api/assets/${id}/content`, { headers })).text();
}

test("a page is made of a Markdown file, escaped; a missing one is not tried again", async () => {
  const repository = await sourceWith(FILES);
  const job = await run("page", { repository });
  expect(job).toMatchObject({ status: "done", error: null });
  const html = await contentOf(job.result_assets[0]);
  expect(html).toContain("<h1>Bread &amp; butter</h1>");
  expect(html).toContain("&lt;b&gt;");
  expect(html).toContain("<ul><li>flour</li><li>milk</li></ul>");
  const missing = await run("page", { repository, path: "gone.md" });
  expect(missing).toMatchObject({ attempt: 1, error: { class: "invalid" } });
});

test("a book is a page for each Markdown file", async () => {
  const job = await run("book", { repository: await sourceWith(FILES) });
  expect(job.error).toBeNull();
  const { pages } = job.result as { pages: string[] };
  expect(pages).toHaveLength(2);
  for (const id of pages) {
    await waitUntil(
      "a page",
      async () => (await callApi<Job>(server, "GET", `/api/jobs/${id}`)).status === "done",
    );
  }
});

test("a build keeps the files that its command made", async () => {
  const repository = await sourceWith(FILES);
  const input = { repository, command: "wc -l < README.md > lines.txt", files: ["lines.txt"] };
  const job = await run("build", input);
  expect(job.error).toBeNull();
  expect((await contentOf(job.result_assets[0])).trim()).toBe("6");
});
