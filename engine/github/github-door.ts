// The one door to GitHub's API: one request with a time and a size, and an answer that is whole and JSON, or a GithubError.
import { readFileSync } from "node:fs";
import { setTimeout as setTimer } from "node:timers/promises";
import { rootCertificates } from "node:tls";
import { redactText } from "@croft/git";
import { Agent, request } from "undici";
import { GithubError } from "./github-error.ts";
import { judgeRefusal } from "./judge-refusal.ts";

export interface Clock {
  now(): number;
  /** Ends early, with its reason, when the signal does. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

export const REAL_CLOCK: Clock = {
  now: Date.now,
  wait: async (ms, signal) => {
    signal?.throwIfAborted();
    await setTimer(ms, undefined, { signal }).catch(() => signal?.throwIfAborted());
  },
};

export interface DoorOptions {
  /** Without a slash at its end; nothing is asked elsewhere, whatever a caller makes of its parameters. */
  readonly apiUrl: string;
  /** Certificates (PEM) that are trusted besides the usual ones. */
  readonly caFile: string | undefined;
  readonly clock: Clock;
  /** For each request, the answer included. */
  readonly timeoutMs?: number | undefined;
}

/** What octokit gives to `fetch`, as far as it does. */
interface Outgoing {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | null | undefined;
}

const TIMEOUT_MS = 30_000;
const CONNECT_MS = 10_000;
const ANSWER_BYTES_MAX = 32 * 1024 * 1024;
/** The Date header has whole seconds, and the answer was on its way. */
const SKEW_MS_MIN = 5000;
const QUOTED_MAX = 300;

export class GithubDoor {
  readonly #agent: Agent;
  readonly #options: DoorOptions;
  #skewMs = 0;

  constructor(options: DoorOptions) {
    this.#options = options;
    const { caFile, timeoutMs = TIMEOUT_MS } = options;
    const ca =
      caFile === undefined ? {} : { ca: [...rootCertificates, readFileSync(caFile, "utf8")] };
    this.#agent = new Agent({
      connect: { ...ca, timeout: Math.min(CONNECT_MS, timeoutMs) },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
  }

  /** How far GitHub's clock is ahead of ours, as its last answer said. */
  get skewMs(): number {
    return this.#skewMs;
  }

  /** By GitHub's clock. */
  now(): number {
    return this.#options.clock.now() + this.#skewMs;
  }

  /** As octokit wants it. Never follows a redirect: what comes with the request is for this host only. */
  readonly fetch = async (url: string, outgoing: Outgoing = {}): Promise<Response> => {
    const { method = "GET", headers = {}, body, signal } = outgoing;
    const what = `${method} ${this.#pathOf(url)}`;
    signal?.throwIfAborted();
    const ending = new AbortController();
    const timer = setTimeout(
      () => ending.abort(new DOMException("no answer in time", "TimeoutError")),
      this.#options.timeoutMs ?? TIMEOUT_MS,
    );
    const onAbort = () => ending.abort(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      const answer = await request(url, {
        ...{ method: method as "GET", headers, body: body ?? null },
        ...{ dispatcher: this.#agent, signal: ending.signal },
      });
      const said = flat(answer.headers);
      this.#noteDate(said["date"]);
      const text = await wholeOf(answer.body, what);
      const { statusCode: status } = answer;
      if (status >= 200 && status < 300) return jsonAnswer(status, text, said, what);
      const message = quotable(messageIn(text), secretsIn(headers));
      throw judgeRefusal({ what, status, headers: said, message, now: this.now() });
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof GithubError ? error : unanswered(what, error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  };

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  #pathOf(url: string): string {
    const base = new URL(`${this.#options.apiUrl}/`);
    const { href, pathname } = new URL(url);
    if (!href.startsWith(base.href)) throw new TypeError("requests to GitHub are for its API only");
    return pathname;
  }

  #noteDate(date: string | undefined): void {
    const theirs = Date.parse(date ?? "");
    if (Number.isNaN(theirs)) return;
    const aheadMs = theirs - this.#options.clock.now();
    this.#skewMs = Math.abs(aheadMs) < SKEW_MS_MIN ? 0 : aheadMs;
  }
}

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}

async function wholeOf(
  body: AsyncIterable<Buffer> & { destroy(): unknown },
  what: string,
): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > ANSWER_BYTES_MAX) {
      body.destroy();
      throw new GithubError(`GitHub's answer to '${what}' is larger than is read`, {
        code: "github-refused",
      });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Octokit takes what it cannot read for an empty text: it is looked at here. */
function jsonAnswer(
  status: number,
  text: string,
  headers: Record<string, string>,
  what: string,
): Response {
  if (status === 204 || status === 205) return new Response(null, { status, headers });
  try {
    JSON.parse(text);
  } catch {
    throw new GithubError(`GitHub's answer to '${what}' is not JSON`, {
      code: "github-unavailable",
    });
  }
  return new Response(text, {
    status,
    headers: { ...headers, "content-type": "application/json" },
  });
}

function messageIn(text: string): string {
  try {
    const { message, errors } = JSON.parse(text) as { message?: unknown; errors?: unknown };
    const more = errors === undefined ? "" : `: ${JSON.stringify(errors)}`;
    return typeof message === "string" ? message + more : "";
  } catch {
    return ""; // a proxy's page says nothing of use
  }
}

/** One line for people; nothing that came with the request, should somebody send it back. */
function quotable(text: string, secrets: readonly string[]): string {
  const blotted = secrets.reduce((rest, secret) => rest.replaceAll(secret, "[redacted]"), text);
  return redactText(blotted.replaceAll(/[\p{Cc}\p{Cs}]+/gu, " ")).slice(0, QUOTED_MAX);
}

function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  const [, secret] = (headers["authorization"] ?? "").split(" ");
  return secret === undefined || secret === "" ? [] : [secret];
}

function unanswered(what: string, error: unknown): GithubError {
  const { code, name } = error as { code?: unknown; name?: string };
  const isLate = name === "TimeoutError" || /TIMEOUT/.test(String(code));
  const reason = isLate ? "no answer in time" : typeof code === "string" ? code : "it broke off";
  return new GithubError(`GitHub was not reached for '${what}': ${reason}`, {
    code: "github-unavailable",
  });
}
