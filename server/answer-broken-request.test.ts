// Bytes that are no HTTP request get a problem and an end, not silence.
import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { Problem } from "@croft/contract";
import { expect, onTestFinished, test } from "vitest";
import { answerBrokenRequest } from "./answer-broken-request.ts";

/** Sends bytes to a server and returns everything it answers until it closes the connection. */
async function answerTo(bytes: string): Promise<{ head: string; problem: Problem }> {
  const server = createServer({ requestTimeout: 100, connectionsCheckingInterval: 20 });
  server.on("clientError", (error, socket) => answerBrokenRequest(error, socket as never));
  server.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  const socket = connect(typeof address === "object" ? (address?.port ?? 0) : 0, "127.0.0.1");
  socket.write(bytes);
  let answer = "";
  for await (const chunk of socket) answer += chunk;
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  return { head, problem: Problem.parse(JSON.parse(body)) };
}

test.each([
  ["noise", "\x16\x03\x01\x02\x00 hello\r\n\r\n", 400, "bad-request"],
  ["a broken header", "GET / HTTP/1.1\r\nhost: a\r\nbad header\r\n\r\n", 400, "bad-request"],
  [
    "headers of 20 KiB",
    `GET / HTTP/1.1\r\nhost: a\r\nx: ${"y".repeat(20_000)}\r\n\r\n`,
    431,
    "headers-too-large",
  ],
  ["a request that never ends", "GET / HTTP/1.1\r\nhost: a\r\n", 408, "request-timeout"],
])("%s", async (_what, bytes, status, code) => {
  const { head, problem } = await answerTo(bytes);
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(head).toContain("content-type: application/problem+json");
  expect(head).toContain("connection: close");
  expect(problem).toMatchObject({ status, code });
  expect(problem.request_id).not.toBe("");
});

test("the length that is told is the length of the answer", async () => {
  const { head, problem } = await answerTo("noise\r\n\r\n");
  const length = Number(/content-length: (\d+)/.exec(head)?.[1]);
  expect(length).toBe(Buffer.byteLength(JSON.stringify(problem)));
});

test("whoever goes on sending still gets the answer", async () => {
  const { problem } = await answerTo(
    `POST / HTTP/1.1\r\nbad header\r\n\r\n${"x".repeat(8_000_000)}`,
  );
  expect(problem.code).toBe("bad-request");
});
