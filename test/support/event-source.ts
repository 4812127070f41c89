// A client that follows server-sent events by the rules of EventSource: it comes back with the id of what it saw last.
import { setTimeout as delay } from "node:timers/promises";

export interface SourceEvent {
  readonly id: string;
  readonly type: string;
  readonly data: string;
}

export interface EventSourceOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** What becomes of the connection after this event; one that is cut loses what is on its way. */
  readonly onEvent: (event: SourceEvent) => "go on" | "cut" | "end";
  /** Instead of what the server says, which is made for browsers. */
  readonly reconnectMs?: number | undefined;
}

const RECONNECT_MS = 3000;

/** Until an event ends it, or the signal; returns how often it came back. */
export async function followEventSource(url: string, options: EventSourceOptions): Promise<number> {
  const { headers, signal, onEvent } = options;
  const state = { lastEventId: "", retryMs: RECONNECT_MS };
  for (let reconnects = 0; ; reconnects++) {
    const connection = new AbortController();
    try {
      const id = state.lastEventId === "" ? {} : { "last-event-id": state.lastEventId };
      const response = await fetch(url, {
        headers: { accept: "text/event-stream", ...headers, ...id },
        signal: AbortSignal.any([connection.signal, signal]),
      });
      requireStream(response);
      for await (const event of eventsOf(response.body, state)) {
        const wish = onEvent(event);
        if (wish === "end") return reconnects;
        if (wish === "cut") break;
      }
    } catch (error) {
      if (signal.aborted) return reconnects;
      if (!(error instanceof TypeError)) throw error; // fetch's name for a broken connection
    } finally {
      connection.abort();
    }
    await delay(options.reconnectMs ?? state.retryMs);
    if (signal.aborted) return reconnects;
  }
}

/** EventSource gives up for good then. */
function requireStream(response: Response): asserts response is Response & {
  body: ReadableStream<Uint8Array>;
} {
  const type = response.headers.get("content-type") ?? "";
  if (response.status === 200 && type.startsWith("text/event-stream") && response.body) return;
  throw new Error(`the stream was answered ${response.status} ${type}`);
}

interface SourceState {
  lastEventId: string;
  retryMs: number;
}

/** What is not complete when the connection ends is dropped, its id too. */
async function* eventsOf(
  body: ReadableStream<Uint8Array>,
  state: SourceState,
): AsyncGenerator<SourceEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  let fields = { id: state.lastEventId, type: "", data: "" };
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line !== "") {
        fields = withField(fields, line, state);
        continue;
      }
      state.lastEventId = fields.id;
      const { data, type } = fields;
      fields = { id: fields.id, type: "", data: "" };
      if (data !== "")
        yield { id: fields.id, type: type === "" ? "message" : type, data: data.slice(0, -1) };
    }
  }
}

function withField(fields: SourceEvent, line: string, state: SourceState): SourceEvent {
  const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line.replace(/\r$/, "")) ?? [];
  if (name === "data") return { ...fields, data: `${fields.data}${value}\n` };
  if (name === "event") return { ...fields, type: value };
  if (name === "id" && !value.includes("\0")) return { ...fields, id: value };
  if (name === "retry" && /^\d+$/.test(value)) state.retryMs = Number(value);
  return fields;
}
