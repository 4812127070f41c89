// Content jobs as INFRA-01 to INFRA-04 ask for them, over real HTTP and a real stream, with handlers of a project.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Asset, AssetList, Job, OnboardedApp } from "@croft/contract";
import { expect, onTestFinished, test } from "vitest";
import { callApi } from "./support/call-api.ts";
import { type RunningServer, startServer } from "./support/croft-process.ts";
import { followEventSource, type SourceEvent } from "./support/event-source.ts";
import { scratchDatabase } from "./support/scratch-database.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { steadyAddress } from "./support/steady-address.ts";
import { waitUntil } from "./support/wait-until.ts";

/** A handler that tells how far it is, waits for a word in between when it is asked to, and keeps what it made. */
const CONFIG = `
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { defineConfig, defineHandler, z } from "croft";

export default defineConfig({
  handlers: {
    picture: defineHandler({
      description: "A picture of so many bytes",
      input: z.object({ bytes: z.int().min(0), waitFor: z.string().optional(), fails: z.boolean().optional() }),
      run: async ({ input, progress, assets }) => {
        progress(0.25, "drawing");
        while (input.waitFor !== undefined && !existsSync(input.waitFor)) await delay(20);
        if (input.fails) throw Object.assign(new Error("no ink"), { class: "invalid" });
        async function* pieces() {
          const piece = Buffer.alloc(1 << 20, "x");
          for (let left = input.bytes; left > 0; left -= piece.length) {
            yield left < piece.length ? piece.subarray(0, left) : piece;
          }
        }
        const { Readable } = await import("node:stream");
        const { id } = await assets.put("picture.bin", Readable.from(pieces()));
        progress(0.9, "drawn");
        return { asset: id };
      },
    }),
  },
});
`;

interface Scene {
  readonly servers: readonly RunningServer[];
  readonly word: string;
  start(): Promise<RunningServer>;
}

async function scene(count = 1): Promise<Scene> {
  const root = await scratchDirectory();
  const data = join(root, "data");
  const env = {
    DATABASE_URL: await scratchDatabase(),
    CROFT_SHUTDOWN_DRAIN: "1s",
    CROFT_SHUTDOWN_KILL_GRACE: "500ms",
  };
  await writeFile(join(root, "croft.config.ts"), CONFIG);
  const start = async () => {
    const server = await startServer(data, { env, cwd: root });
    onTestFinished(async () => void (await server.stop()));
    return server;
  };
  const servers: RunningServer[] = [];
  while (servers.length < count) servers.push(await start());
  return { servers, start, word: join(root, "word") };
}

function first({ servers }: Scene): RunningServer {
  const [server] = servers;
  if (server === undefined) throw new Error("no server was started");
  return server;
}

async function submit(
  server: Pick<RunningServer, "url" | "token">,
  input: object,
  source = "conversation-1",
): Promise<{ status: number; id: string }> {
  const response = await fetch(`${server.url}/api/jobs`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    body: JSON.stringify({ type: "picture", input, source_task_id: source }),
  });
  const body = (await response.json()) as { id: string };
  return { status: response.status, id: body.id };
}

/** All its events to the last one, however often the connection has to be made again. */
async function follow(
  server: Pick<RunningServer, "url" | "token">,
  id: string,
  onEvent: (event: SourceEvent) => void = () => {},
): Promise<SourceEvent[]> {
  const seen: SourceEvent[] = [];
  await followEventSource(`${server.url}/api/jobs/${id}/events`, {
    headers: { authorization: `Bearer ${server.token}` },
    signal: AbortSignal.timeout(45_000),
    reconnectMs: 50,
    onEvent: (event) => {
      seen.push(event);
      onEvent(event);
      return /^job\.(done|failed|cancelled)$/.test(event.type) ? "end" : "go on";
    },
  });
  return seen;
}

/** The ids that its end names are to be had at once. */
async function assetsOf(server: RunningServer, events: readonly SourceEvent[]): Promise<Asset[]> {
  const { assets } = JSON.parse(events.at(-1)?.data ?? "{}").data as { assets: string[] };
  return await Promise.all(assets.map((id) => callApi<Asset>(server, "GET", `/api/assets/${id}`)));
}

const typesOf = (events: readonly SourceEvent[]) => events.map(({ type }) => type);

test("INFRA-01: a job is taken with 202 and its id, and goes queued, running, done or failed", async () => {
  const parts = await scene();
  const server = first(parts);
  const good = await submit(server, { bytes: 10 });
  expect(good).toEqual({ status: 202, id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  const bad = await submit(server, { bytes: 10, fails: true });
  const [goodEvents, badEvents] = await Promise.all([
    follow(server, good.id),
    follow(server, bad.id),
  ]);
  expect(typesOf(goodEvents).filter((type) => type !== "job.progress")).toEqual([
    ...["job.queued", "job.started", "job.done"],
  ]);
  expect(typesOf(badEvents).filter((type) => type !== "job.progress")).toEqual([
    ...["job.queued", "job.started", "job.failed"],
  ]);
  expect(await callApi<Job>(server, "GET", `/api/jobs/${bad.id}`)).toMatchObject({
    ...{ status: "failed", error: { message: "no ink", class: "invalid" }, result_assets: [] },
  });
  const refused = await fetch(`${server.url}/api/jobs`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    body: JSON.stringify({ type: "picture", input: { bytes: -1 } }),
  });
  expect(refused.status).toBe(422);
  expect(await refused.text()).toContain("input.bytes");
});

test("INFRA-02: progress comes before the end, whenever the stream is opened", async () => {
  const parts = await scene();
  const server = first(parts);
  const { id } = await submit(server, { bytes: 100, waitFor: parts.word });
  const early = follow(server, id);
  await waitUntil("the progress", async () => {
    const { progress } = await callApi<Job>(server, "GET", `/api/jobs/${id}`);
    return progress?.fraction === 0.25;
  });
  await writeFile(parts.word, "");
  const events = await early;
  const late = await follow(server, id); // the job is done before its stream is opened
  for (const seen of [events, late]) {
    expect(typesOf(seen)).toEqual(
      expect.arrayContaining(["job.queued", "job.started", "job.progress"]),
    );
    expect(seen.at(-1)?.type).toBe("job.done");
    expect(await assetsOf(server, seen)).toMatchObject([{ bytes: 100, job_id: id }]);
  }
  expect(late).toEqual(events);
});

test.each(["SIGKILL", "SIGTERM"] as const)(
  "INFRA-02: a stream goes on by its Last-Event-ID when the server is restarted by %s, with nothing missed or repeated",
  async (signal) => {
    const parts = await scene();
    let server = first(parts);
    const front = await steadyAddress(server.url);
    const { id } = await submit(server, { bytes: 100, waitFor: parts.word });
    const seen: SourceEvent[] = [];
    const following = followEventSource(`${front.url}/api/jobs/${id}/events`, {
      headers: { authorization: `Bearer ${server.token}` },
      signal: AbortSignal.timeout(45_000),
      reconnectMs: 50,
      onEvent: (event) => {
        seen.push(event);
        return event.type === "job.done" ? "end" : "go on";
      },
    });
    await waitUntil("its progress", () => typesOf(seen).includes("job.progress"));
    server.child.kill(signal);
    await server.exit;
    const before = seen.length;
    server = await parts.start();
    front.leadTo(server.url);
    await writeFile(parts.word, "");
    expect(await following).toBeGreaterThan(0); // the same stream came back
    expect(seen.length).toBeGreaterThan(before);
    expect(seen.map((event) => Number(event.id))).toEqual(seen.map((_, index) => index + 1));
    expect(typesOf(seen).filter((type) => type === "job.started")).toHaveLength(2);
    expect(await follow(server, id)).toEqual(seen);
    expect(await assetsOf(server, seen)).toMatchObject([{ bytes: 100, job_id: id }]);
  },
  60_000,
);

test("INFRA-02: two server processes tell the same, whichever runs the job", async () => {
  const parts = await scene(2);
  const server = first(parts);
  const { id } = await submit(server, { bytes: 100, waitFor: parts.word });
  const streams = parts.servers.map((each) => follow(each, id));
  await writeFile(parts.word, "");
  const [one, other] = await Promise.all(streams);
  expect(other).toEqual(one);
  for (const each of parts.servers) {
    expect(await assetsOf(each, one ?? [])).toMatchObject([{ job_id: id }]);
  }
});

test("INFRA-03: what is generated is not bound by the limit of uploads", async () => {
  const server = first(await scene());
  const bytes = 30 * 1024 * 1024;
  const { id } = await submit(server, { bytes });
  const [asset] = await assetsOf(server, await follow(server, id));
  expect(asset).toMatchObject({ kind: "generated", bytes, name: "picture.bin" });
  const content = await fetch(`${server.url}/api/assets/${asset?.id}/content`, {
    headers: { authorization: `Bearer ${server.token}`, range: "bytes=0-9" },
  });
  expect(content.status).toBe(206);
  expect(await content.text()).toBe("xxxxxxxxxx");
  const upload = await fetch(`${server.url}/api/assets?name=large.bin`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${server.token}`,
      "content-type": "application/octet-stream",
    },
    body: Buffer.alloc(11 * 1024 * 1024),
  });
  expect(upload.status).toBe(413);
});

test("INFRA-04: everything generated is found by its source, and by nobody else's", async () => {
  const server = first(await scene());
  const apps = await Promise.all(
    ["one", "two"].map((name) => {
      const app = { name, email: "app@example.org" };
      return callApi<OnboardedApp>(server, "POST", "/api/apps/onboard", app);
    }),
  );
  const ids: string[] = [];
  for (const { token } of apps) {
    const own = { url: server.url, token };
    const { id } = await submit(own, { bytes: 10 }, "conversation-7");
    await follow(own, id);
    ids.push(id);
  }
  for (const [index, { token }] of apps.entries()) {
    const own = { url: server.url, token };
    const list = (query: string) => callApi<AssetList>(own, "GET", `/api/assets?${query}`);
    const { assets } = await list("source_task_id=conversation-7");
    expect(assets).toMatchObject([{ job_id: ids[index], source_task_id: "conversation-7" }]);
    const foreign = ids[1 - index] ?? "";
    expect((await list(`job=${foreign}`)).assets).toEqual([]);
    await expect(callApi(own, "GET", `/api/jobs/${foreign}`)).rejects.toThrow(/404/);
  }
});
