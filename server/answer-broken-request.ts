// Answers bytes that are no HTTP request, where there is no route and no reply object yet.
import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { problemCodes } from "@croft/contract";
import { PROBLEM_TYPE, type ProblemParts, problemOf } from "./problem-error.ts";

/** How long the rest of what the client sends is read and thrown away: closed at once, it would see a reset and no answer. */
const LINGER_MS = 2000;

export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (socket.writableEnded && !socket.destroyed) return; // more of what was answered already
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const parts = explainBrokenRequest(error.code);
  const body = JSON.stringify(problemOf(parts, randomUUID()));
  const head = [
    `HTTP/1.1 ${problemCodes[parts.code].status} ${problemCodes[parts.code].title}`,
    `content-type: ${PROBLEM_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once("close", () => clearTimeout(timer));
  socket.resume();
}

/** What Node would answer by itself, with a bare status: tunnels, upgrades and expectations. */
export function answerOddRequests(server: Server): void {
  const refuse = (_request: IncomingMessage, socket: Duplex) =>
    answerBrokenRequest(new Error(), socket);
  server.on("connect", refuse);
  server.on("upgrade", refuse);
  server.on("checkExpectation", ({ socket }: IncomingMessage) =>
    answerBrokenRequest(new Error(), socket),
  );
}

function explainBrokenRequest(code: string | undefined): ProblemParts {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return { code: "headers-too-large", detail: "the headers are larger than 16 KiB" };
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { code: "request-timeout", detail: "the request did not arrive in time" };
    default:
      return { code: "bad-request", detail: "the request is not valid HTTP" };
  }
}
