// Server-sent events: one stream is one response that stays open, within limits, with a bounded buffer.
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { type Engine, EngineError, findEnded } from "@croft/engine";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Principal } from "./principal.ts";

export interface SentEvent {
  /** What a client resumes from. */
  readonly id?: string;
  readonly event?: string;
  readonly data: unknown;
}

export interface EventStream {
  /** Aborted when the client has gone, was too slow, or the server ends. */
  readonly signal: AbortSignal;
  /** False when the stream is over. */
  send(event: SentEvent): boolean;
  /** Waits until there is room for more: for what can be read again later, so that nobody is cut for the size of it. */
  sendInStep(event: SentEvent): Promise<boolean>;
  end(): void;
}

const HEARTBEAT_MS = 15_000;
/** How long a stream may outlive the session or token that opened it. */
const CHECK_EVERY_MS = 5000;
/** A client that does not read is cut here, and resumes by id when it comes back. */
const BUFFERED_BYTES_MAX = 256 * 1024;
/** How long browsers wait before they come back. */
const RETRY_MS = 1000;

export class EventStreams {
  readonly #engine: Engine;
  readonly #limits: Engine["config"]["stream"];
  readonly #counts = new Map<string, number>();
  /** How to end each, and by what right it was opened: a session or a token; undefined is the local command. */
  readonly #open = new Map<() => void, string | undefined>();
  readonly #checking: NodeJS.Timeout;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#limits = engine.config.stream;
    this.#checking = setInterval(() => void this.#endStale(), CHECK_EVERY_MS).unref();
  }

  get count(): number {
    return this.#open.size;
  }

  /** Takes the response over from Fastify. */
  open(request: FastifyRequest, reply: FastifyReply): EventStream {
    const holder = holderOf(request.principal);
    this.#requireRoom(holder, request.principal);
    this.#counts.set(holder, (this.#counts.get(holder) ?? 0) + 1);
    const gone = new AbortController();
    const response = takeOver(reply);
    const heartbeat = setInterval(() => this.#write(response, ":\n\n", close), HEARTBEAT_MS);
    const end = () => {
      response.end();
      close();
    };
    const close = () => {
      if (gone.signal.aborted) return;
      clearInterval(heartbeat);
      this.#open.delete(end);
      const left = (this.#counts.get(holder) ?? 1) - 1;
      if (left === 0) this.#counts.delete(holder);
      else this.#counts.set(holder, left);
      gone.abort();
    };
    this.#open.set(end, rightOf(request.principal));
    response.on("close", close);
    response.on("error", close);
    this.#write(response, `retry: ${RETRY_MS}\n\n`, close);
    return {
      signal: gone.signal,
      send: (event) => !gone.signal.aborted && this.#write(response, textOf(event), close),
      sendInStep: async (event) => {
        if (gone.signal.aborted) return false;
        if (!response.write(textOf(event))) {
          // Rejects when the client has gone, which the answer tells.
          await once(response, "drain", { signal: gone.signal }).catch(() => undefined);
        }
        return !gone.signal.aborted;
      },
      end,
    };
  }

  /** They would hold a server that wants to end; clients come back, to another perhaps. */
  endAll(): void {
    clearInterval(this.#checking);
    for (const end of [...this.#open.keys()]) end();
  }

  /** Whoever signed out, or whose token was withdrawn, hears nothing more. */
  async #endStale(): Promise<void> {
    const rights = [...new Set(this.#open.values())].filter((right) => right !== undefined);
    if (rights.length === 0) return;
    const isSession = (right: string) => right.includes("-");
    const sessions = rights.filter(isSession);
    const tokens = rights.filter((right) => !isSession(right));
    try {
      const ended = await findEnded(this.#engine.database, { sessions, tokens });
      for (const [end, right] of this.#open) if (right !== undefined && ended.has(right)) end();
    } catch (error) {
      this.#engine.log.warn({ err: error }, "open streams could not be checked");
    }
  }

  #write(response: ServerResponse, text: string, close: () => void): boolean {
    if (response.destroyed) return false;
    response.write(text);
    if (response.writableLength <= BUFFERED_BYTES_MAX) return true;
    response.destroy();
    close();
    return false;
  }

  #requireRoom(holder: string, principal: Principal | undefined): void {
    const { perApp, perSession, total } = this.#limits;
    const max = principal?.kind === "admin" ? perSession : perApp;
    const isFull = this.#open.size >= total;
    if (!isFull && (this.#counts.get(holder) ?? 0) < max) return;
    const whose = isFull ? `this server has ${total} streams open` : `you have ${max} streams open`;
    throw new EngineError("too-many-streams", `${whose}; close one first`, {
      details: { retryAfterSeconds: 5 },
    });
  }
}

function rightOf(principal: Principal | undefined): string | undefined {
  if (principal?.kind === "admin") return principal.session.id;
  return principal?.kind === "app" ? principal.app.tokenId : undefined;
}

function textOf({ id, event, data }: SentEvent): string {
  const lines = [
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(event === undefined ? [] : [`event: ${event}`]),
    `data: ${JSON.stringify(data)}`,
  ];
  return `${lines.join("\n")}\n\n`;
}

function holderOf(principal: Principal | undefined): string {
  if (principal?.kind === "admin") return `session:${principal.session.id}`;
  return principal?.kind === "app" ? `app:${principal.app.id}` : "local";
}

function takeOver(reply: FastifyReply): ServerResponse {
  reply.hijack();
  const response = reply.raw;
  response.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    connection: "close", // a stream is a connection's last answer: whoever waits for connections to end need not know of it
    "x-accel-buffering": "no", // else a proxy would collect events before it passes them on
  });
  response.socket?.setNoDelay(true);
  response.socket?.setTimeout(0);
  return response;
}
