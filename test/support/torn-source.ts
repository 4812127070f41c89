// The EventSource of Node programs (npm `eventsource`), by a network that tears its connections at any byte.
import { EventSource } from "eventsource";
import { seededRandom } from "./seeded-random.ts";
import { tearingProxy } from "./tearing-proxy.ts";

export interface SourceEvent {
  readonly id: string;
  readonly type: string;
}

export interface TornSource {
  /** Everything that the client was told, `start` too. */
  readonly seen: readonly SourceEvent[];
  reconnects(): number;
  /** The server has told it not to come back. */
  isOver(): boolean;
  close(): Promise<void>;
}

export interface TornSourceOptions {
  readonly token: string;
  readonly seed: number;
  /** A connection lets anything between none and this much pass. */
  readonly bytesMax: number;
}

/** What the server says is made for browsers, which need not come back five hundred times. */
const RETRY = ["retry: 1000\n", "retry: 0005\n"] as const;

export async function tornSource(
  { url, path }: { readonly url: string; readonly path: string },
  { token, seed, bytesMax }: TornSourceOptions,
): Promise<TornSource> {
  const random = seededRandom(seed);
  const proxy = await tearingProxy(url, { nextLimit: () => random.below(bytesMax), retry: RETRY });
  const seen: SourceEvent[] = [];
  let asked = 0;
  /** An EventSource has no listener for all types. */
  class ListeningSource extends EventSource {
    override dispatchEvent(event: Event): boolean {
      if (event instanceof MessageEvent) seen.push({ id: event.lastEventId, type: event.type });
      return super.dispatchEvent(event);
    }
  }
  const source = new ListeningSource(proxy.url + path, {
    fetch: (input, init) => {
      asked++;
      const headers = { ...init.headers, authorization: `Bearer ${token}` };
      return fetch(input, { ...init, headers });
    },
  });
  return {
    seen,
    reconnects: () => asked - 1,
    isOver: () => source.readyState === source.CLOSED,
    close: async () => {
      source.close();
      await proxy.close();
    },
  };
}
