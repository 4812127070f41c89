// Places and buffers of streams, by clients that go at any moment, and ones that never read.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { readStream } from "../test/support/read-stream.ts";
import { seededRandom } from "../test/support/seeded-random.ts";
import { collect, type StreamScene, streamScene } from "../test/support/stream-scene.ts";
import { waitUntil } from "../test/support/wait-until.ts";

type Headers = Record<string, string>;

/** Asks for a stream, or several on one connection without waiting, and leaves what is answered to the caller. */
async function ask({ port }: StreamScene, headers: Headers, ...paths: string[]): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {}); // cut by the server, as is wished here
  await once(socket, "connect");
  const fields = Object.entries({ host: `127.0.0.1:${port}`, ...headers });
  const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  for (const path of paths) socket.write(`GET ${path} HTTP/1.1\r\n${head}\r\n`);
  return socket;
}

/** As text, while it comes. */
function textOf(socket: Socket): () => string {
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

/** Events of one owner that fill buffers. */
async function writeLarge({ query }: StreamScene, owner: string, count: number): Promise<void> {
  await query(
    `with made as (insert into croft.event (subject, seq, owner, type, data)
       select gen_random_uuid(), 1, $1, 'job.progress', jsonb_build_object('note', repeat(md5(n::text), 2000))
       from generate_series(1, $2::integer) n returning subject)
     select croft.announce(array_agg(subject)) from made`,
    [owner, count],
  );
}

test("whenever a client goes, its place is given back", async () => {
  const scene = await streamScene({ "stream.perApp": "20" });
  const { url, foreign, submit, openStreams } = scene;
  const id = await submit({}, foreign);
  const paths = ["/api/events", `/api/jobs/${id}/events`, `/api/jobs/${id}/log/events`];
  const random = seededRandom(4);
  for (let nth = 0; nth < 150; nth++) {
    const [path = ""] = paths.slice(nth % paths.length);
    const socket = await ask(scene, foreign, ...(nth % 4 === 0 ? [path, path] : [path]));
    const until = performance.now() + random.below(50) / 10;
    while (performance.now() < until) await new Promise(setImmediate);
    socket.destroy();
  }
  await waitUntil("no open stream", async () => (await openStreams()) === 0);
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  for (let nth = 0; nth < 20; nth++) {
    const response = await fetch(`${url}/api/events`, { headers: foreign, signal: gone.signal });
    expect(response.status).toBe(200);
  }
  expect(await openStreams()).toBe(20);
});

test("streams that were asked for on one connection without waiting all end with it", async () => {
  const scene = await streamScene();
  const { foreign, openStreams } = scene;
  const socket = await ask(scene, foreign, "/api/events", "/api/events", "/api/events");
  await waitUntil("three streams", async () => (await openStreams()) === 3);
  socket.destroy();
  await waitUntil("no open stream", async () => (await openStreams()) === 0);
});

test("a heartbeat tells a client how far others' events are: it need not pass them by when it comes back", async () => {
  const scene = await streamScene({ "stream.heartbeat": "100ms" });
  const { url, foreign, submit } = scene;
  const text = textOf(await ask(scene, foreign, "/api/events"));
  const start = await waitUntil("the start", () => /id: (\S+)\nevent: start\n/.exec(text())?.[1]);
  await submit({ type: "noop" }); // not its own
  const place = await waitUntil("a heartbeat from further on", () => {
    const [, last] = [...text().matchAll(/\n:\nid: (\S+)\n\n/g)].at(-1) ?? [];
    return last !== start && last;
  });
  const own = await submit({ type: "noop" }, foreign);
  const back = readStream(`${url}/api/events`, { ...foreign, "last-event-id": place });
  expect(await collect(back, 2)).toMatchObject([
    { event: "start", id: place },
    { event: "job.queued", data: { subject: own } },
  ]);
});

test("a job's stream beats too, without an id", async () => {
  const scene = await streamScene({ "stream.heartbeat": "100ms" });
  const { local, submit, begun } = scene;
  const id = await submit();
  await begun(1);
  const text = textOf(await ask(scene, local, `/api/jobs/${id}/events`));
  await waitUntil("two heartbeats", () => text().split("\n:\n").length > 2);
  expect(text()).toMatch(/id: 1\nevent: job\.queued\n/);
  expect(text()).not.toMatch(/:\nid: /);
});

test("a client that never reads is cut, whether it is told news or the past, and misses nothing when it comes back", async () => {
  const scene = await streamScene({ "stream.heartbeat": "100ms" });
  const { url, foreign, foreignApp, openStreams } = scene;
  const owner = `app:${foreignApp.id}`;
  const gone = async () => (await openStreams()) === 0;
  const [start] = await collect(readStream(`${url}/api/events`, foreign), 1);
  await waitUntil("no open stream", gone);

  const live = await ask(scene, foreign, "/api/events");
  live.pause();
  await waitUntil("the stream", async () => (await openStreams()) === 1);
  for (let part = 0; part < 10; part++) await writeLarge(scene, owner, 50); // 32 MB: more than kernels keep
  await waitUntil("the end of the live stream", gone);

  const from = { ...foreign, "last-event-id": start?.id ?? "" };
  const past = await ask(scene, from, "/api/events");
  past.pause();
  await waitUntil("the stream", async () => (await openStreams()) === 1);
  await waitUntil("the end of the stream that is told the past", gone);

  const [first, ...seen] = await collect(readStream(`${url}/api/events`, from), 501);
  expect(first).toMatchObject({ event: "start", id: start?.id });
  const places = await scene.query(
    "select place::text from croft.event where owner = $1 order by xid, event.place",
    [owner],
  );
  expect(seen.map(({ id }) => id?.split("-")[2])).toEqual(places.map(({ place }) => place));
});
