// The dashboard's files are cached for ever, its page never, and nothing else of the disk is served.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fastify, { type FastifyInstance } from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { serveDashboard } from "./serve-dashboard.ts";

const PAGE = "<!doctype html><title>Croft</title>";
const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

/** A small built dashboard; `place` is where it lies below a scratch directory. */
async function dashboard(place = "dist"): Promise<FastifyInstance> {
  const parent = await scratchDirectory();
  const root = join(parent, place);
  await mkdir(join(root, "assets"), { recursive: true });
  await writeFile(join(parent, "secret.txt"), "hunter2");
  await writeFile(join(root, "index.html"), PAGE);
  await writeFile(join(root, "favicon.svg"), "<svg/>");
  await writeFile(join(root, "assets/index-abc.js"), "let plain;");
  await writeFile(join(root, "assets/index-abc.js.br"), "brotli");
  const app = fastify();
  onTestFinished(() => app.close());
  await serveDashboard(app, root);
  return app;
}

test("a hashed file is kept for a year", async () => {
  const response = await (await dashboard()).inject("/assets/index-abc.js");
  expect(response.body).toBe("let plain;");
  expect(response.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  expect(response.headers["content-type"]).toMatch(/javascript/);
});

test.each(["/", "/index.html", "/favicon.svg"])("%s is asked for each time", async (url) => {
  const response = await (await dashboard()).inject(url);
  expect(response.statusCode).toBe(200);
  expect(response.headers["cache-control"]).toBe("no-cache");
  expect(response.headers.etag).toBeDefined();
});

test("the page is asked for each time also where the path to the dashboard has a folder 'assets'", async () => {
  const response = await (await dashboard("assets/dist")).inject("/");
  expect(response.headers["cache-control"]).toBe("no-cache");
});

test("a compressed file is sent to who can read it, and caches are told of the difference", async () => {
  const app = await dashboard();
  const headers = { "accept-encoding": "gzip, br" };
  const compressed = await app.inject({ url: "/assets/index-abc.js", headers });
  expect(compressed.body).toBe("brotli");
  expect(compressed.headers["content-encoding"]).toBe("br");
  expect(compressed.headers["content-type"]).toMatch(/javascript/);
  expect(compressed.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  expect(compressed.headers["vary"]).toMatch(/accept-encoding/i);
  const plain = await app.inject({ url: "/assets/index-abc.js" });
  expect(plain.headers["content-encoding"]).toBeUndefined();
});

test.each(["/login", "/settings", "/jobs/42?tab=log", "/no/such/page"])(
  "%s is the page, which has addresses of its own",
  async (url) => {
    const response = await (await dashboard()).inject({ url, headers: html });
    expect(response.statusCode).toBe(200);
    expect(response.body).toBe(PAGE);
    expect(response.headers["cache-control"]).toBe("no-cache");
  },
);

test.each(["/api/nothing", "/admin/api/nothing", "/webhooks/github", "/metrics/x", "/readyz/x"])(
  "%s is a problem also for a browser",
  async (url) => {
    const response = await (await dashboard()).inject({ url, headers: html });
    expect(response.statusCode).toBe(404);
    expect(response.json()).toMatchObject({
      code: "not-found",
      detail: `there is no route GET ${url}`,
    });
  },
);

test.each([
  ["no page wanted", { url: "/nothing" }],
  ["a file that is not there", { url: "/assets/old-hash.js", headers: { accept: "*/*" } }],
  ["another method", { url: "/login", method: "POST" as const, headers: html }],
])("%s is a problem", async (_what, request) => {
  const response = await (await dashboard()).inject(request);
  expect(response.statusCode).toBe(404);
  expect(response.headers["content-type"]).toBe("application/problem+json");
});

test.each([
  "/../secret.txt",
  "/..%2fsecret.txt",
  "/%2e%2e/secret.txt",
  "/assets/..%2f..%2fsecret.txt",
  "/assets/../../secret.txt",
  "/..%5csecret.txt",
  "/%00",
  "//secret.txt",
])("%s leads nowhere", async (url) => {
  const response = await (await dashboard()).inject({ url });
  expect(response.statusCode).toBe(404);
  expect(response.json()).toMatchObject({ code: "not-found" });
  expect(response.body).not.toContain("hunter2");
});

test("a very long path is not thrown back whole", async () => {
  const response = await (await dashboard()).inject(`/${"x".repeat(5000)}?token=hunter2`);
  expect(response.statusCode).toBe(404);
  expect(response.body.length).toBeLessThan(600);
  expect(response.body).not.toContain("hunter2");
});

test("without a built dashboard the API still answers, and a page is a problem", async () => {
  const app = fastify();
  onTestFinished(() => app.close());
  await serveDashboard(app, "/nowhere");
  const response = await app.inject({ url: "/login", headers: html });
  expect(response.json()).toMatchObject({ status: 404, code: "not-found" });
});
