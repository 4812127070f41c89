// A receiver as a listener of node:http: bodies are bounded in size and time while they are read.
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { type Answer, answerOf, type Receive } from "./create-receiver.ts";

export interface ListenerOptions {
  /** Croft's own are about 1.5 MiB. */
  readonly bodyBytesMax?: number;
  /** From the headers to the last byte. */
  readonly bodyTimeoutMs?: number;
}

const BODY_BYTES_MAX = 4 * 1024 * 1024;
const BODY_TIMEOUT_MS = 30_000;
/** So long somebody may go on sending after a refusal, so that he can read it. */
const LINGER_MS = 1000;

export function nodeListener(receive: Receive, options: ListenerOptions = {}): RequestListener {
  return (request, response) => {
    // Whoever went away needs no answer.
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    answerRequest(receive, request, response, options).catch((error) => {
      process.emitWarning(error); // an answer that cannot be written, e.g. a header of a Refusal
      response.destroy();
    });
  };
}

async function answerRequest(
  receive: Receive,
  request: IncomingMessage,
  response: ServerResponse,
  options: ListenerOptions,
): Promise<void> {
  if (request.method !== "POST") {
    return refuse(request, response, answerOf(405, { error: "only POST" }, { allow: "POST" }));
  }
  const read = await readBody(request, options);
  if (read.kind === "gone") return;
  if (read.kind === "refused") return refuse(request, response, read.answer);
  const { status, headers, body } = await receive(request.headers, read.body);
  response.writeHead(status, headers).end(body);
}

/** Answers before the body was read, and soon ends the connection. */
function refuse(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  response.once("finish", () => {
    request.resume(); // unread bytes would make the end a reset, and take the answer with them
    setTimeout(() => request.destroy(), LINGER_MS).unref();
  });
  response.writeHead(answer.status, { ...answer.headers, connection: "close" }).end(answer.body);
}

type ReadBody =
  | { readonly kind: "body"; readonly body: Buffer }
  | { readonly kind: "refused"; readonly answer: Answer }
  | { readonly kind: "gone" };

function readBody(request: IncomingMessage, options: ListenerOptions): Promise<ReadBody> {
  const { bodyBytesMax = BODY_BYTES_MAX, bodyTimeoutMs = BODY_TIMEOUT_MS } = options;
  const tooLarge = answerOf(413, { error: `a body has at most ${bodyBytesMax} bytes` });
  if (Number(request.headers["content-length"] ?? 0) > bodyBytesMax) {
    return Promise.resolve({ kind: "refused", answer: tooLarge });
  }
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let size = 0;
    const end = (read: ReadBody) => {
      clearTimeout(timer);
      request.off("data", take).off("end", whole).off("close", gone);
      resolve(read);
    };
    const take = (part: Buffer) => {
      size += part.length;
      if (size > bodyBytesMax) end({ kind: "refused", answer: tooLarge });
      else parts.push(part);
    };
    const whole = () => end({ kind: "body", body: Buffer.concat(parts) });
    const gone = () => end({ kind: "gone" });
    const late = answerOf(408, { error: `a body takes at most ${bodyTimeoutMs} ms` });
    const timer = setTimeout(() => end({ kind: "refused", answer: late }), bodyTimeoutMs);
    request.on("data", take).on("end", whole).on("close", gone);
  });
}
