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

export interface StreamBeginning {
  /** Goes out with the first bytes. */
  readonly first?: SentEvent | undefined;
  /** Where the client stands; told with heartbeats, so that it need not come back from the last event that was its own. */
  readonly place?: (() => string | undefined) | undefined;
}

export interface EventStream {
  /** Aborted when the client has gone, was too slow, or the server ends. */
  readonly signal: AbortSignal;
  /** False when the stream is over. */
  send(event: SentEvent): boolean;
  /** Waits until there is room for more: for what can be read again later, so that nobody is cut for the size of it. */
  sendInStep(event: SentEvent): Promise<boolean>;
  /** Calls it when the stream is over, at once if it is. */
  atEnd(leave: () => void): void;
  end(): void;
}

/** How long a stream may outlive the session or token that opened it. */
const CHECK_EVERY_MS = 5000;
/** A client that does not read is cut here, and resumes by id when it comes back. */
const BUFFERED_BYTES_MAX = 256 * 1024;
/** Who is told in step never gets that far, but is cut when it has taken nothing for so long. */
const UNREAD_HEARTBEATS_MAX = 4;
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

  /** Takes the response over from Fastify. The client may have gone by now: then it is over at once. */
  open(
    request: FastifyRequest,
    reply: FastifyReply,
    { first, place }: StreamBeginning = {},
  ): EventStream {
    const holder = holderOf(request.principal);
    this.#requireRoom(holder, request.principal);
    this.#counts.set(holder, (this.#counts.get(holder) ?? 0) + 1);
    const gone = new AbortController();
    const response = takeOver(reply);
    const { socket } = request.raw;
    const send = (text: string) => !gone.signal.aborted && this.#write(response, text, close);
    let unread = 0;
    response.on("drain", () => {
      unread = 0; // slow, but it reads: at every heartbeat there may be more for it
    });
    const heartbeat = setInterval(() => {
      unread = response.writableNeedDrain ? unread + 1 : 0;
      if (unread > UNREAD_HEARTBEATS_MAX) response.destroy();
      send(heartbeatText(place?.()));
    }, this.#limits.heartbeat);
    const end = () => {
      response.end();
      close();
    };
    const close = () => {
      if (gone.signal.aborted) return;
      clearInterval(heartbeat);
      socket.off("close", close);
      this.#open.delete(end);
      const left = (this.#counts.get(holder) ?? 1) - 1;
      if (left === 0) this.#counts.delete(holder);
      else this.#counts.set(holder, left);
      gone.abort();
    };
    this.#open.set(end, rightOf(request.principal));
    response.on("close", close);
    response.on("error", close);
    socket.on("close", close); // an answer that waits for another on its connection is told nothing of its end
    send(`retry: ${RETRY_MS}\n${first === undefined ? "\n" : textOf(first)}`); // finds out if nobody is there
    return {
      ...{ signal: gone.signal, end },
      send: (event) => send(textOf(event)),
      sendInStep: async (event) => {
        if (gone.signal.aborted) return false;
        if (!response.write(textOf(event))) {
          // Rejects when the client has gone, which the answer tells.
          await once(response, "drain", { signal: gone.signal }).catch(() => undefined);
        }
        return !gone.signal.aborted;
      },
      atEnd: (leave) => {
        if (gone.signal.aborted) leave();
        else gone.signal.addEventListener("abort", leave, { once: true });
      },
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
    const isGone = () => response.destroyed || response.req.socket.destroyed;
    if (!isGone()) response.write(text);
    if (!isGone() && response.writableLength <= BUFFERED_BYTES_MAX) return true;
    response.destroy();
    close(); // who had gone before anybody listened for it would never be missed
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

/** A comment. With an id a client takes that for the last it has seen, and no event comes of it: there is no data. */
function heartbeatText(place: string | undefined): string {
  return place === undefined ? ":\n\n" : `:\nid: ${place}\n\n`;
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
