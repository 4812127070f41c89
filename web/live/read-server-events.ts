// Reads server-sent events from an answer, as many at a time as arrived together.

export interface ServerEvent {
  readonly id: string | undefined;
  readonly type: string;
  readonly data: string;
}

/** Ends with the stream. Comments (heartbeats) are left out. */
export async function* readServerEvents(
  chunks: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<readonly ServerEvent[]> {
  let rest = "";
  const reader = chunks.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      // An event is whole when its empty line has come; the server ends lines with \n only.
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop() ?? "";
      const events = blocks.map(eventIn).filter((event) => event !== undefined);
      if (events.length > 0) yield events;
    }
  } finally {
    await reader.cancel();
  }
}

function eventIn(block: string): ServerEvent | undefined {
  let id: string | undefined;
  let type = "message";
  let data: string | undefined;
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue;
    const value = line.slice(colon + 1).replace(/^ /, "");
    const field = line.slice(0, colon);
    if (field === "id") id = value;
    else if (field === "event") type = value;
    else if (field === "data") data = data === undefined ? value : `${data}\n${value}`;
  }
  return data === undefined ? undefined : { id, type, data };
}
