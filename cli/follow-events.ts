// Follows a stream of server-sent events over lost connections: nothing is missed, nothing comes twice.
import { setTimeout as delay } from "node:timers/promises";
import { EngineError } from "@croft/engine";
import { readEvents, type ServerEvent } from "./read-events.ts";

export interface FollowOptions {
  /** Opens the stream behind this event; undefined when nothing more is to come. */
  readonly open: (
    lastEventId: string | undefined,
    signal: AbortSignal,
  ) => Promise<ReadableStream<Uint8Array> | undefined>;
  readonly lastEventId?: string | undefined;
  /** Once for each time that the connection is lost. */
  readonly onLost: (reason: string) => void;
}

/** The server says something every 15 seconds; a connection without a sign for this long is dead. */
const SILENCE_LIMIT_MS = 45_000;
/** Long enough for a server that is being replaced. */
const RETURN_LIMIT_MS = 5 * 60_000;
const RETRY_MS = { default: 1000, min: 100, max: 10_000 } as const;
/** These get better by themselves. */
const PASSING = ["unavailable", "too-many-streams", "internal", "request-timeout"];

/** Ends only by its reader, a failure that does not pass, or a server that does not return. */
export async function* followEvents(options: FollowOptions): AsyncGenerator<ServerEvent> {
  let last = options.lastEventId;
  let retryMs: number = RETRY_MS.default;
  let lostAt: number | undefined;
  for (let isFirst = true; ; isFirst = false) {
    const connection = new Connection();
    let reason = "the server ended the stream";
    try {
      const body = await options.open(last, connection.signal);
      if (body === undefined) return;
      connection.sign();
      lostAt = undefined;
      for await (const event of readEvents(body, () => connection.sign())) {
        last = event.id ?? last;
        retryMs = event.retryMs ?? retryMs;
        yield event;
      }
    } catch (error) {
      const isOver = lostAt !== undefined && Date.now() - lostAt > RETURN_LIMIT_MS;
      if (isFirst && !connection.wasOpen) throw error;
      if (isOver || !(error instanceof EngineError) || !PASSING.includes(error.code)) throw error;
      reason = error.message;
    } finally {
      connection.close();
    }
    if (lostAt === undefined) options.onLost(reason);
    lostAt ??= Date.now();
    await delay(Math.min(Math.max(retryMs, RETRY_MS.min), RETRY_MS.max));
  }
}

/** One request, given up when nothing has come for too long. */
class Connection {
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  wasOpen = false;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  sign(): void {
    this.wasOpen = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(), SILENCE_LIMIT_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#controller.abort();
  }
}
