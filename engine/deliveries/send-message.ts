// One request to an app: to a public address only, no redirects, and no more of the answer than somebody may read later.
import { isIP } from "node:net";
import { resolvePublic } from "@croft/git";
import { Agent, buildConnector, errors, request } from "undici";
import { type Answer, parseRetryAfter } from "./judge-answer.ts";

export interface SenderOptions {
  /** Hosts that may be private: for development. */
  readonly allowPrivate: readonly string[];
  readonly timeoutMs: number;
}

export interface Sent {
  readonly answer: Answer;
  readonly durationMs: number;
  /** As far as it is kept. */
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  } | null;
}

export interface OutgoingMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly signal?: AbortSignal | undefined;
}

const CONNECT_MS_MAX = 10_000;
const KEPT_BODY_BYTES = 2048;
const KEPT_HEADER_CHARS = 200;
const KEPT_HEADERS_MAX = 30;

/** Connections are kept open between messages, each to an address that was checked when it was made. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #agent: Agent;

  constructor(options: SenderOptions) {
    this.#options = options;
    const { timeoutMs, allowPrivate } = options;
    this.#agent = new Agent({
      connect: checkedConnector({ allowPrivate, timeoutMs: Math.min(timeoutMs, CONNECT_MS_MAX) }),
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      // As many as may be on their way: whoever waits for a connection waits in vain for an answer.
      connections: null,
      pipelining: 1,
    });
  }

  async send({ url, headers, body, signal }: OutgoingMessage): Promise<Sent> {
    const startedAt = performance.now();
    const took = () => Math.round(performance.now() - startedAt);
    // One for all causes: signals made of others are dear, and messages are many.
    const ending = new AbortController();
    const late = new DOMException("no answer in time", "TimeoutError");
    const timer = setTimeout(() => ending.abort(late), this.#options.timeoutMs);
    const onAbort = () => ending.abort(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      signal?.throwIfAborted();
      const answer = await request(url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body,
        dispatcher: this.#agent,
        signal: ending.signal,
      });
      const text = await firstOf(answer.body);
      const retryAfterMs = parseRetryAfter(headerOf(answer.headers["retry-after"]), new Date());
      const { statusCode: status } = answer;
      return {
        answer: {
          kind: "answered",
          status,
          ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
        },
        durationMs: took(),
        response: { status, headers: keptHeaders(answer.headers), body: text },
      };
    } catch (error) {
      signal?.throwIfAborted();
      return { answer: unanswered(error), durationMs: took(), response: null };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/** What was checked is what is connected to; literals too, which no lookup would see. */
function checkedConnector({ allowPrivate, timeoutMs }: SenderOptions): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs });
  return (options, done) => {
    const { hostname, protocol, servername } = options;
    const port = options.port || (protocol === "https:" ? "443" : "80");
    resolvePublic(`${hostname}:${port}`, { allowPrivate }).then(
      ({ address }) => {
        const name = servername || hostname.replace(/^\[|\]$/g, "");
        const isName = isIP(name) === 0;
        connect({ ...options, hostname: address, ...(isName ? { servername: name } : {}) }, done);
      },
      (error: Error) => done(error, null),
    );
  };
}

/**
 * The rest is not read: an answer without end must not cost memory. The status was the answer: a body that breaks off or
 * never ends does not take it back, or what was accepted would be sent again.
 */
async function firstOf(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk.subarray(0, KEPT_BODY_BYTES - size));
      size += chunk.length;
      if (size >= KEPT_BODY_BYTES) break;
    }
  } catch {
    // What came of it until then is kept.
  } finally {
    body.destroy();
  }
  return Buffer.concat(chunks).toString("utf8");
}

function headerOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function keptHeaders(headers: Record<string, string | string[] | undefined>) {
  const entries = Object.entries(headers).slice(0, KEPT_HEADERS_MAX);
  return Object.fromEntries(
    entries
      .filter(([name]) => name !== "set-cookie")
      .map(([name, value]) => [name, (headerOf(value) ?? "").slice(0, KEPT_HEADER_CHARS)]),
  );
}

function unanswered(error: unknown): Answer {
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  return { kind: "unanswered", code, message };
}

function codeOf(error: unknown): string {
  if (error instanceof DOMException && error.name === "TimeoutError") return "timeout";
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError)
    return "timeout";
  if (error instanceof errors.ConnectTimeoutError) return "timeout";
  const { code, cause } = error as NodeJS.ErrnoException & { cause?: { code?: string } };
  return code ?? cause?.code ?? "network";
}
