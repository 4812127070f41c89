// Reads server-sent events out of the bytes of a response.
import { EngineError } from "@croft/engine";

export interface ServerEvent {
  readonly type: string;
  readonly data: string;
  /** The last id that was sent, with this event or before. */
  readonly id: string | undefined;
  /** How long to wait before coming back, where the server said so. */
  readonly retryMs: number | undefined;
}

/** Croft's own are far below; something else may answer at the address. */
const EVENT_LENGTH_MAX = 16 * 1024 * 1024;

/** Until the stream ends; half an event at its end does not count. `onSign` is called for everything that comes. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onSign: () => void,
): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  const draft = new EventDraft();
  let rest = "";
  for await (const bytes of chunksOf(body)) {
    onSign();
    const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const event = draft.take(line);
      if (event !== undefined) yield event;
    }
    if (rest.length + draft.length > EVENT_LENGTH_MAX) {
      throw new EngineError("unavailable", "the server sends an event that has no end");
    }
  }
}

/** The lines of one event, until the empty one that ends it. */
class EventDraft {
  #type = "message";
  #data: string[] = [];
  #id: string | undefined;
  #retryMs: number | undefined;
  length = 0;

  take(line: string): ServerEvent | undefined {
    if (line === "") return this.#end();
    const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    this.length += line.length;
    if (name === "data") this.#data.push(value);
    else if (name === "event") this.#type = value;
    else if (name === "id") this.#id = value;
    else if (name === "retry" && /^\d{1,6}$/.test(value)) this.#retryMs = Number(value);
    return undefined; // a line without a name is a comment
  }

  #end(): ServerEvent | undefined {
    const event = {
      type: this.#type,
      data: this.#data.join("\n"),
      id: this.#id,
      retryMs: this.#retryMs,
    };
    const isEvent = this.#data.length > 0;
    this.#type = "message";
    this.#data = [];
    this.length = 0;
    return isEvent ? event : undefined;
  }
}

/** A connection that breaks fails in words of ours. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    for await (const bytes of body) yield bytes;
  } catch (error) {
    throw new EngineError("unavailable", "the connection to the server broke", { cause: error });
  }
}
