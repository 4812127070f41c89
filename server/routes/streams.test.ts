// Streams over real HTTP: everything from the start, what comes, resumption by id, the end, and the limits.
import { expect, test } from "vitest";
import { readStream, type StreamedEvent } from "../../test/support/read-stream.ts";
import { collect, streamScene } from "../../test/support/stream-scene.ts";
import { waitUntil } from "../../test/support/wait-until.ts";

test("a job's stream tells everything and ends with it; resumed, it tells the rest", async () => {
  const { url, local, submit, begun, held } = await streamScene();
  const id = await submit();
  await begun(1);
  const whole = collect(readStream(`${url}/api/jobs/${id}/events`, local));
  held[0]?.attempt.progress(0.5, "half");
  const rest = collect(
    readStream(`${url}/api/jobs/${id}/events`, { ...local, "last-event-id": "2" }),
  );
  const done = collect(
    readStream(`${url}/api/jobs/${id}/events`, { ...local, "last-event-id": "2" }),
    1,
  );
  expect((await done)[0]?.data).toMatchObject({
    type: "job.progress",
    data: { fraction: 0.5, note: "half" },
  });
  held[0]?.succeed();
  const types = ["job.queued", "job.started", "job.progress", "job.done"];
  expect((await whole).map(({ event }) => event)).toEqual(types);
  expect((await whole).map(({ id }) => id)).toEqual(["1", "2", "3", "4"]);
  expect((await rest).map(({ event }) => event)).toEqual(types.slice(2));
});

/** As a browser's EventSource sees it: 204 tells it not to come back. */
async function statusFor(path: string, headers: Record<string, string>): Promise<number> {
  const response = await fetch(path, { headers });
  await response.body?.cancel();
  return response.status;
}

test("a job that has ended is told once more, and whoever knows it already need not come back", async () => {
  const { url, local, submit } = await streamScene();
  const id = await submit({ type: "noop" });
  const first = await collect(readStream(`${url}/api/jobs/${id}/events`, local));
  expect(first.at(-1)).toMatchObject({ event: "job.done" });
  expect(await collect(readStream(`${url}/api/jobs/${id}/events`, local))).toEqual(first);
  const resumed = { ...local, "last-event-id": first.at(-1)?.id ?? "" };
  expect(await statusFor(`${url}/api/jobs/${id}/events`, resumed)).toBe(204);
  const log = await collect(readStream(`${url}/api/jobs/${id}/log/events`, local));
  expect(log.map(({ id: at, event }) => [at, event])).toEqual([["0", "end"]]);
  const heard = { ...local, "last-event-id": "0" };
  expect(await statusFor(`${url}/api/jobs/${id}/log/events`, heard)).toBe(204);
});

test("the stream of everything: an app sees its own, admins all, and it goes on where it was left", async () => {
  const { url, local, foreign, foreignApp, submit } = await streamScene();
  const mine = readStream(`${url}/api/events`, foreign);
  const all = readStream(`${url}/api/events`, local);
  for (const stream of [mine, all]) {
    expect((await stream.next()).value).toMatchObject({ event: "start" });
  }
  const own = await submit({ type: "noop" });
  const other = await submit({ type: "noop" }, foreign);
  const seen = new Set<string>();
  for await (const { data } of all) if (seen.add(data.subject).has(own) && seen.has(other)) break;
  const first = (await mine.next()).value as StreamedEvent;
  const next = (await mine.next()).value as StreamedEvent;
  await mine.return(undefined);
  expect([first, next].map(({ data }) => data)).toMatchObject([
    { subject: other, seq: 1, owner: `app:${foreignApp.id}` },
    { subject: other, seq: 2 },
  ]);
  const resumed = { ...foreign, "last-event-id": next.id ?? "" };
  expect(await collect(readStream(`${url}/api/events`, resumed), 2)).toMatchObject([
    { event: "start", id: next.id },
    { event: "job.done", data: { subject: other, seq: 3 } },
  ]);
});

test("a foreign job's streams are as missing as one that never was", async () => {
  const { url, foreign, submit } = await streamScene();
  const id = await submit({ type: "noop" });
  const missing = "01890000-0000-7000-8000-000000000000";
  for (const path of ["", "/events", "/log", "/log/events", "/history"]) {
    const answers = await Promise.all(
      [id, missing].map(async (which) => {
        const response = await fetch(`${url}/api/jobs/${which}${path}`, { headers: foreign });
        const body = (await response.json()) as Record<string, unknown>;
        return { status: response.status, body: { ...body, request_id: "" } };
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.status).toBe(404);
  }
});

test("streams are limited, and a closed one makes room", async () => {
  const { url, foreign } = await streamScene({ "stream.perApp": "2" });
  const gone = new AbortController();
  const open = () => fetch(`${url}/api/events`, { headers: foreign, signal: gone.signal });
  expect([await open(), await open()].map(({ status }) => status)).toEqual([200, 200]);
  const third = await open();
  expect(third.status).toBe(429);
  expect(await third.json()).toMatchObject({ code: "too-many-streams" });
  gone.abort();
  await waitUntil("room", async () => {
    const response = await fetch(`${url}/api/events`, { headers: foreign });
    await response.body?.cancel();
    return response.status === 200;
  });
});

test("a wrong Last-Event-ID is refused", async () => {
  const { url, local, submit } = await streamScene();
  const id = await submit();
  const wrong = [
    ["/api/events", "x'"],
    [`/api/jobs/${id}/events`, "x'"],
    [`/api/jobs/${id}/log/events`, "x'"],
    [`/api/jobs/${id}/log/events`, "999"], // it has not been written yet
  ];
  for (const [path = "", lastEventId = ""] of wrong) {
    const headers = { ...local, "last-event-id": lastEventId };
    const response = await fetch(url + path, { headers });
    expect(response.status).toBe(422);
    await response.body?.cancel();
  }
});

test("a log is text: whole, by range, since, and live until the job ends", async () => {
  const { url, local, submit, begun, held } = await streamScene();
  const id = await submit();
  await begun(1);
  const live = collect(readStream(`${url}/api/jobs/${id}/log/events`, local));
  held[0]?.attempt.log("first line\n", "stdout");
  held[0]?.attempt.log("zweite Zeile: ä\n", "stderr");
  held[0]?.attempt.log("token ghp_0123456789abcdefghijABCDEFGHIJ012345 end\n");
  held[0]?.succeed();
  const pieces = await live;
  expect(pieces.at(-1)).toMatchObject({ event: "end" });
  const text = pieces
    .slice(0, -1)
    .map(({ data }) => data.text)
    .join("");
  expect(text).toContain("first line\nzweite Zeile: ä\n");
  expect(text).not.toContain("ghp_0123456789");
  const get = async (headers: Record<string, string>, query = "") => {
    const response = await fetch(`${url}/api/jobs/${id}/log${query}`, {
      headers: { ...local, ...headers },
    });
    return {
      status: response.status,
      range: response.headers.get("content-range"),
      text: await response.text(),
    };
  };
  const size = Buffer.byteLength(text);
  expect(await get({})).toEqual({ status: 200, range: null, text });
  expect(await get({}, "?since=6")).toMatchObject({ status: 200, text: text.slice(6) });
  expect(await get({ range: "bytes=0-4" })).toEqual({
    status: 206,
    range: `bytes 0-4/${size}`,
    text: "first",
  });
  expect(await get({ range: "bytes=-4" })).toMatchObject({ status: 206, text: text.slice(-4) });
  expect(await get({ range: `bytes=${size}-` })).toMatchObject({ status: 416 });
  const tail = { ...local, "last-event-id": pieces[0]?.id ?? "" };
  const resumed = await collect(readStream(`${url}/api/jobs/${id}/log/events`, tail));
  expect(resumed).toEqual(pieces.slice(1));
});

test("a stream ends soon after the token that opened it", async () => {
  const { url, foreign, engine } = await streamScene();
  const stream = readStream(`${url}/api/events`, foreign);
  expect((await stream.next()).value).toMatchObject({ event: "start" });
  const next = stream.next();
  await engine.database.pool.query("update croft.app_token set expires_at = croft.now()");
  expect(await next).toEqual({ done: true, value: undefined });
});

test("a job that has ended and whose events are forgotten is told as a whole, and the stream ends", async () => {
  const { url, local, submit, engine } = await streamScene();
  const id = await submit({ type: "noop" });
  const path = `${url}/api/jobs/${id}/events`;
  await collect(readStream(path, local));
  await engine.database.pool.query("delete from croft.event where type <> 'job.queued'");
  const whole = { id: "3", event: "reset", data: { id, status: "done" } };
  const from = (lastEventId: string) =>
    collect(readStream(path, { ...local, "last-event-id": lastEventId }));
  expect(await collect(readStream(path, local))).toMatchObject([{ event: "job.queued" }, whole]);
  expect(await from("1")).toMatchObject([whole]);
  expect(await from("999")).toMatchObject([whole]); // from before the database was restored
  expect(await statusFor(path, { ...local, "last-event-id": "3" })).toBe(204);
});

test("reset of a job with a large result reaches the client, without it", async () => {
  const { url, local, submit, engine } = await streamScene();
  const id = await submit({ type: "noop", input: { a: "x".repeat(900_000) } });
  const path = `${url}/api/jobs/${id}/events`;
  expect((await collect(readStream(path, local))).at(-1)).toMatchObject({ event: "job.done" });
  await engine.database.pool.query("delete from croft.event");
  expect(await collect(readStream(path, local))).toMatchObject([
    {
      ...{ id: "3", event: "reset" },
      data: { id, status: "done", input: null, result: null, omitted: ["input", "result"] },
    },
  ]);
});

test("of a log whose beginning is forgotten the rest is told, and what is asked for before it is refused", async () => {
  const { url, local, submit, begun, held, engine } = await streamScene();
  const id = await submit();
  await begun(1);
  for (const [stream, text] of [["stdout", "first\n"] as const, ["stderr", "rest\n"] as const]) {
    held[0]?.attempt.log(text, stream);
  }
  held[0]?.succeed();
  const path = `${url}/api/jobs/${id}/log`;
  await collect(readStream(`${path}/events`, local));
  await engine.database.pool.query("delete from croft.job_log where seq = 1");
  const get = async (headers: object = {}) => {
    const response = await fetch(path, { headers: { ...local, ...headers } });
    return { status: response.status, text: await response.text() };
  };
  expect(await get()).toEqual({ status: 200, text: "rest\n" });
  expect(await get({ range: "bytes=7-8" })).toEqual({ status: 206, text: "es" });
  expect(await get({ range: "bytes=-3" })).toEqual({ status: 206, text: "st\n" });
  const refused = await get({ range: "bytes=2-8" });
  expect(refused).toMatchObject({ status: 416 });
  expect(refused.text).toContain("the first 6 bytes of the log are forgotten");
  const pieces = await collect(readStream(`${path}/events`, local));
  expect(pieces.map(({ id: at, data }) => [at, data.text])).toEqual([
    ["11", "rest\n"],
    ["11", undefined],
  ]);
});

test("asked for its head only, a stream answers and takes no place", async () => {
  const { url, foreign, submit, openStreams } = await streamScene({ "stream.perApp": "1" });
  const id = await submit({ type: "hold" }, foreign);
  for (const path of ["/api/events", `/api/jobs/${id}/events`, `/api/jobs/${id}/log/events`]) {
    const response = await fetch(url + path, { method: "HEAD", headers: foreign });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toContain("text/event-stream");
  }
  expect(await openStreams()).toBe(0);
});
