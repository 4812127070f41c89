// Handlers of a project in the product itself: over HTTP, with a worker beside the server, and when one of them is killed.
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Job, JobTypeList } from "@croft/contract";
import { expect, onTestFinished, test } from "vitest";
import { callApi } from "./support/call-api.ts";
import {
  type RunningServer,
  type RunOptions,
  runCroft,
  startServer,
} from "./support/croft-process.ts";
import { followEventSource, type SourceEvent } from "./support/event-source.ts";
import { findProcesses } from "./support/find-processes.ts";
import { configOf, writeProject } from "./support/handler-scene.ts";
import { runInTerminal } from "./support/run-in-terminal.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { waitUntil } from "./support/wait-until.ts";

const PAINT = `import { defineConfig, defineHandler, z } from "croft";
  const Point = z.object({ x: z.number(), get next() { return Point.optional(); } });
  export default defineConfig({ log: { level: "info" }, handlers: {
    fold: defineHandler({ input: Point, run: () => 1 }),
    paint: defineHandler({
      description: "Paints a picture.",
      input: z.object({ colour: z.enum(["red", "blue"]), size: z.int().min(1).max(9).default(3), at: Point.optional() }),
      run: async ({ input, progress, log, assets }) => {
        for (let n = 1; n <= input.size; n++) {
          progress(n / input.size, "stroke " + n);
          await new Promise((done) => setTimeout(done, 300));
        }
        log("painted " + input.colour);
        const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>';
        await assets.put("picture.svg", svg, { mediaType: "image/svg+xml" });
        return { strokes: input.size };
      },
    }),
  } });`;

async function start(config: string, options: RunOptions = {}): Promise<RunningServer> {
  const data = join(await scratchDirectory(), "data");
  onTestFinished(() => expect(findProcesses([data])).toEqual([]));
  const server = await startServer(data, { ...options, cwd: await writeProject(config) });
  onTestFinished(async () => void (await server.stop()));
  return server;
}

async function submit(server: RunningServer, job: object) {
  const response = await fetch(`${server.url}/api/jobs`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    body: JSON.stringify(job),
  });
  return { status: response.status, body: (await response.json()) as Job & { detail?: string } };
}

function jobOf(server: RunningServer, id: string): Promise<Job> {
  return callApi<Job>(server, "GET", `/api/jobs/${id}`);
}

async function eventsOf(server: RunningServer, id: string): Promise<SourceEvent[]> {
  const events: SourceEvent[] = [];
  const giveUp = AbortSignal.timeout(30_000);
  await followEventSource(`${server.url}/api/jobs/${id}/events`, {
    headers: { authorization: `Bearer ${server.token}` },
    signal: giveUp,
    onEvent: (event) => {
      events.push(event);
      return event.type === "job.done" || event.type === "job.failed" ? "end" : "go on";
    },
  });
  giveUp.throwIfAborted();
  return events;
}

test("a job of a handler: 202, progress live, done with result and files", async () => {
  const server = await start(PAINT);
  const { status, body } = await submit(server, { type: "paint", input: { colour: "red" } });
  expect(status).toBe(202);
  const events = await eventsOf(server, body.id);
  const notes = events
    .filter(({ type }) => type === "job.progress")
    .map(({ data }) => JSON.parse(data).data?.note ?? JSON.parse(data).note);
  expect(notes).toEqual(["stroke 1", "stroke 2", "stroke 3"]);
  const job = await jobOf(server, body.id);
  expect(job).toMatchObject({ status: "done", result: { strokes: 3 } });
  expect(job.result_assets).toHaveLength(1);
  expect(events.at(-1)?.data).toContain(job.result_assets[0]);
  const content = await fetch(`${server.url}/api/assets/${job.result_assets[0]}/content`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  expect(await content.text()).toContain("<svg");

  const wrong = await submit(server, { type: "paint", input: { colour: "mud", size: 99 } });
  expect(wrong.status).toBe(422);
  expect(wrong.body.detail).toMatch(/input\.colour: .*; input\.size: /);
});

test("on a terminal the progress of a job is a bar, drawn in place; its last line stays, and nothing else", async () => {
  const server = await start(
    configOf({
      draw: `async ({ input, progress }) => {
        progress(0.25, "drawing \\u001b[2J");
        const { existsSync } = await import("node:fs");
        while (!existsSync(input.word)) await new Promise((done) => setTimeout(done, 20));
        if (input.fails === "yes") throw Object.assign(new Error("no ink"), { class: "invalid" });
      }`,
    }),
  );
  const word = join(await scratchDirectory(), "word");
  const args = ["jobs", "submit", "draw", "--wait", "--input", `word=${word}`];
  const env = { CROFT_DATA: server.data };
  const good = runInTerminal(args, { env });
  const atQuarter = /. draw {2}━{7}─{21} {3}25 % {2}\d+\.\d s {2}running {2}drawing/;
  await waitUntil("the bar", () => atQuarter.test(good.shown()));
  writeFileSync(word, "");
  expect(await good.exit).toBe(0);
  const failed = runInTerminal([...args, "--input", "fails=yes"], { env });
  expect(await failed.exit).toBe(1);
  for (const { shown } of [good, failed]) {
    expect(shown()).toMatch(/^[0-9a-f-]{36}\r\n/);
    expect(shown().split("\x1b[?25l")).toHaveLength(2); // hidden once
    expect(shown().split("\x1b[?25h")).toHaveLength(2); // and shown again
    expect(shown()).not.toContain("\x1b[2J");
  }
  const lastOf = (shown: string) => shown.slice(shown.lastIndexOf("\x1b[J") + "\x1b[J".length);
  const [line, after] = lastOf(good.shown()).split("\x1b[?25h");
  expect(line).toMatch(/^✓ draw {2}━{28} {2}100 % {2}\d+\.\d s {2}done\r\n$/);
  expect(after).toBe("");
  const [fall, reason] = lastOf(failed.shown()).split("\x1b[?25h");
  expect(fall).toMatch(/^✗ draw {2}─{28} {9}\d+\.\d s {2}failed\r\n$/);
  expect(reason).toMatch(/^croft: job [0-9a-f-]{36} failed: .*no ink\r\n$/);
}, 60_000);

test("job types are listed with the shape of their input, and described in OpenAPI", async () => {
  const server = await start(PAINT);
  const { job_types } = await callApi<JobTypeList>(server, "GET", "/api/job-types");
  const names = job_types.map(({ name }) => name);
  expect(names).toEqual([...names].sort());
  expect(names).toContain("command");
  expect(names).not.toContain("step");
  expect(job_types.find(({ name }) => name === "paint")).toMatchObject({
    description: "Paints a picture.",
    source: "project",
    input: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      required: ["colour"],
      properties: { colour: { enum: ["red", "blue"] }, size: { type: "integer", default: 3 } },
    },
  });
  const api = await callApi<{ components: { schemas: Record<string, object> } }>(
    server,
    "GET",
    "/api/openapi.json",
  );
  const schema = api.components.schemas["JobInput.paint"];
  expect(schema).toMatchObject({ description: "Paints a picture.", required: ["colour"] });
  const itself = api.components.schemas["JobInput.fold"]; // one that is a part of itself
  const refs = [...JSON.stringify([schema, itself]).matchAll(/"\$ref":"([^"]+)"/g)].map(
    ([, ref = ""]) => ref,
  );
  expect(refs).toContain("#/components/schemas/JobInput.fold");
  expect(refs.length).toBeGreaterThan(1);
  for (const ref of refs) {
    const steps = ref.split("/").slice(1);
    const found = steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], api);
    expect(found, ref).toBeDefined();
  }
});

test("names that a project gives to its schemas do not meet those of the API", async () => {
  const server = await start(`import { defineConfig, defineHandler, z } from "croft";
    const Tree = z.object({ asset: z.string().meta({ id: "Asset" }), get kids() { return z.array(Tree); } });
    const When = z.date().meta({ id: "When", title: "When it was" });
    export default defineConfig({ handlers: {
      plant: defineHandler({ input: z.object({ tree: Tree, when: When.optional() }).meta({ id: "Job" }), run: () => 1 }),
    } });`);
  const { components } = await callApi<{ components: { schemas: Record<string, object> } }>(
    server,
    "GET",
    "/api/openapi.json",
  );
  expect(components.schemas["Job"]).toMatchObject({ properties: { result_assets: {} } });
  expect(components.schemas["Asset"]).toMatchObject({ properties: { sha256: {} } });
  expect(components.schemas["JobInput.plant"]).toMatchObject({
    properties: { tree: {}, when: { title: "When it was" } },
  });
});

test("only a worker that has the handler takes its jobs", async () => {
  const server = await start(configOf({ here: "() => 'server'" }));
  const there = await submit(server, { type: "there" });
  expect(there.status).toBe(422);
  const cwd = await writeProject(configOf({ there: "() => process.ppid" }));
  const worker = runCroft(["worker", "--data", server.data], { cwd });
  onTestFinished(async () => {
    worker.child.kill("SIGTERM");
    await worker.exit;
  });
  await waitUntil("the worker", () => worker.output().includes("is ready"));
  const { job_types } = await callApi<JobTypeList>(server, "GET", "/api/job-types");
  expect(job_types.find(({ name }) => name === "there")).toMatchObject({ input: null });
  for (const [type, result] of [
    ["there", worker.pid],
    ["here", "server"],
  ] as const) {
    const { status, body } = await submit(server, { type });
    expect(status).toBe(202);
    const job = await waitUntil("its end", async () => {
      const found = await jobOf(server, body.id);
      return found.finished_at === null ? undefined : found;
    });
    expect(job.result).toBe(result);
  }
});

test.each(["async () => new Promise(() => {})", "() => { for (;;); }"])(
  "a server that is killed takes its handlers with it, and what they started: %s",
  async (hang) => {
    const handler = `(ctx) => {
      if (ctx.attempt > 1) return 'again';
      const { spawn } = require("node:child_process");
      spawn("sleep", ["1000"], { detached: true, stdio: "ignore" }).unref();
      ctx.log("begun");
      return (${hang})();
    }`;
    const data = join(await scratchDirectory(), "data");
    const cwd = await writeProject(configOf({ hang: handler }));
    const server = await startServer(data, { cwd });
    const { body } = await submit(server, { type: "hang" });
    const sleeps = () =>
      findProcesses([join(data, "run/handlers")]).filter((line) => line.includes("sleep"));
    await waitUntil("its start", () => sleeps().length > 0);
    server.child.kill("SIGKILL");
    await server.exit;
    await waitUntil("their end", () => findProcesses([join(data, "run/handlers")]).length === 0);
    const next = await startServer(data, { cwd });
    onTestFinished(async () => void (await next.stop()));
    await waitUntil(
      "the job, done again",
      async () => (await jobOf(next, body.id)).result === "again",
    );
    expect(readdirSync(join(data, "run/handlers"))).toHaveLength(1); // what the first left is swept
  },
);

test("a server that is stopped ends its handlers, and nothing of them stays", async () => {
  const server = await start(configOf({ pid: "() => process.pid" }));
  const { body } = await submit(server, { type: "pid" });
  await waitUntil("its end", async () => (await jobOf(server, body.id)).finished_at !== null);
  expect(await server.stop()).toBe(0);
  expect(readdirSync(join(server.data, "run"))).toEqual(["cli-token"]);
});

test("a configuration with a handler that has the name of a built-in type is refused at the start", async () => {
  const text = configOf({ command: "() => 1" });
  const data = join(await scratchDirectory(), "data");
  const args = ["serve", "--data", data, "--http-port", "0"];
  const server = runCroft(args, { cwd: await writeProject(text) });
  expect(await server.exit).not.toBe(0);
  expect(server.output()).toContain("handlers.command has the name of a built-in job type");
  expect(findProcesses([data])).toEqual([]);
});
