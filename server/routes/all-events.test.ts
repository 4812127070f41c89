// The stream of all events, by its contract with whoever comes back to it.
import { EventSource } from "eventsource";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { readStream } from "../../test/support/read-stream.ts";
import { collect, streamScene } from "../../test/support/stream-scene.ts";
import { waitUntil } from "../../test/support/wait-until.ts";

test("a client whose connection broke before its first event misses nothing when it comes back", async () => {
  const { url, local, submit } = await streamScene();
  const [start] = await collect(readStream(`${url}/api/events`, local), 1);
  expect(start).toMatchObject({ event: "start", data: {} });
  const id = await submit();
  const back = { ...local, "last-event-id": start?.id ?? "" };
  expect(await collect(readStream(`${url}/api/events`, back), 2)).toMatchObject([
    { event: "start", id: start?.id },
    { event: "job.queued", data: { subject: id, seq: 1 } },
  ]);
});

test("a Last-Event-ID that this database has never given is told so, and what happens next is told", async () => {
  const { url, local, submit } = await streamScene();
  const [start] = await collect(readStream(`${url}/api/events`, local), 1);
  const era = start?.id?.split("-")[0];
  const foreign = ["900000000-5", "0badcafe-1-1", `${era}-9000000000000-5`]; // an older form, another database, a restored one
  for (const lastEventId of foreign) {
    const stream = readStream(`${url}/api/events`, { ...local, "last-event-id": lastEventId });
    const first = (await stream.next()).value;
    expect(first).toMatchObject({ event: "reset", data: {} });
    expect(first?.id).toMatch(new RegExp(`^${era}-\\d+-\\d+$`));
    const id = await submit();
    for await (const { data } of stream) if (data.subject === id) break;
  }
});

test("while somebody's older transaction holds events back, the stream says so; then they come", async () => {
  const { url, local, submit, engine } = await streamScene();
  const stream = readStream(`${url}/api/events`, local);
  expect((await stream.next()).value).toMatchObject({ event: "start" });
  const older = new pg.Client(engine.database.target);
  await older.connect();
  onTestFinished(() => older.end());
  await older.query("set idle_in_transaction_session_timeout = 0"); // ours are ended before they are that old
  await older.query("begin");
  await older.query("select pg_current_xact_id()");
  const id = await submit();
  expect((await stream.next()).value).toMatchObject({ event: "delayed", data: {} });
  await older.query("commit");
  for await (const { event, data } of stream) {
    if (event === "delayed") continue; // said again meanwhile
    expect({ event, subject: data.subject }).toEqual({ event: "job.queued", subject: id });
    break;
  }
});

test("an EventSource of a job that has ended hears everything once, and does not ask for ever", async () => {
  const { url, local, submit } = await streamScene();
  const id = await submit({ type: "noop" });
  await collect(readStream(`${url}/api/jobs/${id}/events`, local));
  const asked: (string | undefined)[] = [];
  const source = new EventSource(`${url}/api/jobs/${id}/events`, {
    fetch: (input, init) => {
      asked.push(init.headers["Last-Event-ID"]);
      return fetch(input, { ...init, headers: { ...init.headers, ...local } });
    },
  });
  onTestFinished(() => source.close());
  const heard: string[] = [];
  for (const type of ["job.queued", "job.started", "job.done", "reset"]) {
    source.addEventListener(type, () => heard.push(type));
  }
  await waitUntil("its end", () => source.readyState === source.CLOSED);
  expect(heard).toEqual(["job.queued", "job.started", "job.done"]);
  expect(asked).toEqual([undefined, "3"]);
});
