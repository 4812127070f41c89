// A server over real HTTP with a worker, two callers, and ways to follow its streams.
import type { AddressInfo } from "node:net";
import { createApp, startWorker } from "@croft/engine";
import { expect, onTestFinished } from "vitest";
import { holdType, noopType } from "./job-scene.ts";
import type { StreamedEvent } from "./read-stream.ts";
import { scratchEngine } from "./scratch-engine.ts";
import { scratchServer } from "./scratch-server.ts";
import { waitUntil } from "./wait-until.ts";

export type StreamScene = Awaited<ReturnType<typeof streamScene>>;

export async function streamScene(flags: Record<string, string> = {}) {
  const { type, held } = holdType();
  const engine = await scratchEngine(flags, [type, noopType]);
  const app = await scratchServer(engine);
  await app.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => app.server.closeAllConnections()); // fetch opens some that it never uses
  const { port } = app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const worker = await startWorker(engine);
  onTestFinished(() => worker.close(0));
  const local = { authorization: `Bearer ${engine.localToken}` };
  const { app: made, token } = await createApp(engine.database, "other");
  const submit = async (job: object = {}, headers: Record<string, string> = local) => {
    const response = await fetch(`${url}/api/jobs`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ type: "hold", ...job }),
    });
    expect(response.status).toBe(202);
    return ((await response.json()) as { id: string }).id;
  };
  const begun = (count: number) => waitUntil("attempts", () => held.length >= count);
  const query = async (text: string, values: unknown[] = []) =>
    (await engine.database.pool.query(text, values)).rows;
  // Other tests' transactions may hold back what has happened so far: a stream would begin before it.
  const [newest] = await query("select max(place)::text as place from croft.event");
  await waitUntil("what has happened so far", async () => {
    const { cursor } = await engine.feed.begin();
    return cursor.place >= BigInt(newest?.place ?? 0);
  });
  /** As the metrics tell. */
  const openStreams = async () => {
    const text = await (await fetch(`${url}/metrics`, { headers: local })).text();
    return Number(/^croft_event_streams (\d+)$/m.exec(text)?.[1]);
  };
  const foreign = { authorization: `Bearer ${token}` };
  const callers = { local, foreign, foreignApp: made };
  return { engine, app, url, port, held, ...callers, submit, begun, query, openStreams };
}

/** All of a stream, or its first events; then it is left. */
export async function collect(
  stream: AsyncIterable<StreamedEvent>,
  count = Number.POSITIVE_INFINITY,
): Promise<StreamedEvent[]> {
  const events: StreamedEvent[] = [];
  for await (const event of stream) {
    events.push(event);
    if (events.length >= count) break;
  }
  return events;
}
