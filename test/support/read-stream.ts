// Reads server-sent events from a real HTTP response, as text comes.

export interface StreamedEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects in it
  readonly data: any;
}

/** Ends when the server ends the stream; leaving the loop closes the connection. */
export async function* readStream(
  url: string,
  headers: Record<string, string>,
): AsyncGenerator<StreamedEvent> {
  const gone = new AbortController();
  try {
    const response = await fetch(url, { headers, signal: gone.signal });
    if (response.status !== 200 || response.body === null) {
      throw new Error(`${response.status}: ${await response.text()}`);
    }
    let text = "";
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = eventOf(block);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    gone.abort();
  }
}

function eventOf(block: string): StreamedEvent | undefined {
  const fields = new Map(
    block.split("\n").map((line) => {
      const at = line.indexOf(":");
      return [line.slice(0, at), line.slice(at + 1).replace(/^ /, "")] as const;
    }),
  );
  const data = fields.get("data");
  if (data === undefined) return undefined;
  return { id: fields.get("id"), event: fields.get("event"), data: JSON.parse(data) };
}
