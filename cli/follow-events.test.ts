// A stream is followed over every way in which it can be cut, and each event comes once.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { EngineError } from "@croft/engine";
import { expect, onTestFinished, test } from "vitest";
import { followEvents } from "./follow-events.ts";
import { readEvents } from "./read-events.ts";

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
}

function opener(url: string) {
  return async (lastEventId: string | undefined, signal: AbortSignal) => {
    const headers = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
    const response = await fetch(url, { headers, signal }).catch(() => undefined);
    if (response === undefined || response.status === 503) throw new EngineError("unavailable", "");
    if (!response.ok) throw new EngineError("not-found", "gone");
    return response.body ?? undefined;
  };
}

async function parsed(...chunks: string[]) {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });
  const events = [];
  for await (const { type, data, id } of readEvents(body, () => {})) events.push([type, data, id]);
  return events;
}

test.each([
  ["all fields", "id: 7\nevent: log\ndata: x\n\n", [["log", "x", "7"]]],
  ["no space behind the colon", "data:x\n\n", [["message", "x", undefined]]],
  ["several lines of data", "data: a\ndata: b\n\n", [["message", "a\nb", undefined]]],
  ["comments and empty events", ":\n\nretry: 5\n\nevent: x\n\n", []],
  [
    "an id that stays",
    "id: 1\ndata: a\n\ndata: b\n\n",
    [
      ["message", "a", "1"],
      ["message", "b", "1"],
    ],
  ],
  [
    "other ends of line",
    "data: a\r\n\r\ndata: b\r\rx",
    [
      ["message", "a", undefined],
      ["message", "b", undefined],
    ],
  ],
  ["half an event", "data: a\n\ndata: b\n", [["message", "a", undefined]]],
  ["text beyond ASCII", "data: ü🙂\n\n", [["message", "ü🙂", undefined]]],
])("%s", async (_name, text, events) => {
  expect(await parsed(text)).toEqual(events);
  expect(await parsed(...text)).toEqual(events);
});

test("an event without an end is not collected for ever", async () => {
  const piece = "x".repeat(6 * 1024 * 1024);
  await expect(parsed("data: ", piece, piece, piece)).rejects.toMatchObject({
    code: "unavailable",
  });
});

test("cut, refused or ended: it comes back behind the last event", async () => {
  const asked: (string | undefined)[] = [];
  const lost: string[] = [];
  const url = await listen((request, response) => {
    const from = Number(request.headers["last-event-id"] ?? 0);
    asked.push(request.headers["last-event-id"] as string | undefined);
    if (asked.length === 3) return void response.writeHead(503).end();
    response.write("retry: 100\n\n");
    response.write(`id: ${from + 1}\ndata: ${from + 1}\n\nid: ${from + 2}\ndata: ${from + 2}\n\n`);
    if (asked.length === 1) setImmediate(() => response.destroy());
    else response.end("id: 99\ndata: half");
  });
  const seen: string[] = [];
  const events = followEvents({ open: opener(url), onLost: (reason) => void lost.push(reason) });
  for await (const { data } of events) {
    seen.push(data);
    if (data === "8") break;
  }
  expect(seen).toEqual(["1", "2", "3", "4", "5", "6", "7", "8"]);
  expect(asked).toEqual([undefined, "2", "4", "4", "6"]);
  expect(lost).toHaveLength(3); // once, though one attempt to return was in vain
});

test("a first failure is told at once, and so is one that does not pass", async () => {
  const refusing = await listen((_request, response) => void response.writeHead(503).end());
  const onLost = () => {};
  const first = followEvents({ open: opener(refusing), onLost }).next();
  await expect(first).rejects.toMatchObject({ code: "unavailable" });
  let count = 0;
  const url = await listen((_request, response) => {
    if (count++ > 0) return void response.writeHead(404).end();
    response.end("retry: 100\n\ndata: 1\n\n");
  });
  const events = followEvents({ open: opener(url), onLost });
  expect((await events.next()).value).toMatchObject({ data: "1" });
  await expect(events.next()).rejects.toMatchObject({ code: "not-found" });
});

test("it ends when there is nothing more to come, and leaves no connection", async () => {
  const url = await listen((_request, response) => void response.write("data: 1\n\n"));
  const open = opener(url);
  const events = followEvents({ open, lastEventId: "5", onLost: () => {} });
  expect((await events.next()).value).toMatchObject({ data: "1" });
  await events.return(undefined);
  const none = followEvents({ open: async () => undefined, onLost: () => {} });
  expect(await none.next()).toEqual({ done: true, value: undefined });
});
