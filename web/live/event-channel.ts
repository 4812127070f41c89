// Everything that happens, over one connection a browser: one visible tab holds it and tells the others.
// A lock chooses the tab. A SharedWorker would need a second bundle, and this beside it where browsers have none.
import type { Event } from "@croft/contract";
import { followStream } from "./follow-stream.ts";

/** `delayed`: connected, but the database holds events back. */
export type LiveState = "connecting" | "live" | "delayed" | "broken";

export interface EventListener {
  onEvents: (events: readonly Event[]) => void;
  /** Events may have been missed: whatever is shown has to be fetched again. */
  onGap: () => void;
}

type Message =
  | { kind: "events"; events: readonly Event[] }
  | { kind: "state"; state: LiveState }
  /** From a tab that has just come: the one with the connection answers with its state. */
  | { kind: "hello" };

const name = "croft-events";

export class EventChannel {
  readonly #onRefused: (error: unknown) => void;
  readonly #listeners = new Set<EventListener>();
  readonly #watchers = new Set<() => void>();
  #channel: BroadcastChannel | undefined;
  #leave: AbortController | undefined;
  #isHolder = false;
  #state: LiveState = "connecting";

  constructor(onRefused: (error: unknown) => void) {
    this.#onRefused = onRefused;
    // A hidden tab gives the connection away: browsers freeze hidden tabs, and allow few connections to one server.
    document.addEventListener("visibilitychange", () => this.#update());
  }

  /** For `useSyncExternalStore`. */
  readonly watchState = (onChange: () => void): (() => void) => {
    this.#watchers.add(onChange);
    return () => void this.#watchers.delete(onChange);
  };

  readonly state = (): LiveState => this.#state;

  subscribe(listener: EventListener): () => void {
    this.#listeners.add(listener);
    this.#update();
    return () => {
      this.#listeners.delete(listener);
      // A change of page leaves and comes back at once; the connection stays.
      setTimeout(() => this.#update());
    };
  }

  #update(): void {
    const isWanted = this.#listeners.size > 0 && document.visibilityState === "visible";
    if (isWanted && this.#leave === undefined) this.#join();
    if (!isWanted && this.#leave !== undefined) this.#part(this.#leave);
  }

  #join(): void {
    const leave = new AbortController();
    const channel = new BroadcastChannel(name);
    this.#leave = leave;
    this.#channel = channel;
    channel.onmessage = ({ data }: MessageEvent<Message>) => this.#hear(data);
    channel.postMessage({ kind: "hello" } satisfies Message);
    void this.#hold(leave.signal);
  }

  #part(leave: AbortController): void {
    leave.abort();
    this.#leave = undefined;
    this.#channel?.close();
    this.#channel = undefined;
    this.#setState("connecting");
  }

  /** Waits for its turn to hold the connection. Without locks (an insecure address) every tab has its own. */
  async #hold(signal: AbortSignal): Promise<void> {
    try {
      if ("locks" in navigator) {
        await navigator.locks.request(name, { signal }, () => this.#follow(signal));
      } else await this.#follow(signal);
    } catch (error) {
      if (!signal.aborted) this.#onRefused(error);
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    this.#isHolder = true;
    try {
      await followStream({
        url: "/api/events",
        signal,
        // Always from now on: after a break everything shown is fetched again anyway.
        place: { lastId: undefined },
        onOpen: () => this.#tell({ kind: "state", state: "live" }),
        onBreak: () => this.#tell({ kind: "state", state: "broken" }),
        onEvents: (received) => {
          // What was shown before may be wrong: as after a break.
          if (received.some(({ type }) => type === "reset")) {
            this.#tell({ kind: "state", state: "broken" });
          }
          const isDelayed = received.some(({ type }) => type === "delayed");
          const events = received
            .filter(({ type }) => type.includes("."))
            .map(({ data }) => JSON.parse(data) as Event);
          if (events.length > 0) this.#tell({ kind: "events", events });
          const state = isDelayed ? "delayed" : "live";
          if (state !== this.#state) this.#tell({ kind: "state", state });
          return true;
        },
      });
    } finally {
      this.#isHolder = false;
    }
  }

  #tell(message: Message): void {
    this.#channel?.postMessage(message);
    this.#hear(message);
  }

  #hear(message: Message): void {
    if (message.kind === "state") this.#setState(message.state);
    else if (message.kind === "events") {
      for (const { onEvents } of this.#listeners) onEvents(message.events);
    } else if (this.#isHolder) {
      this.#channel?.postMessage({ kind: "state", state: this.#state } satisfies Message);
    }
  }

  #setState(state: LiveState): void {
    const before = this.#state;
    if (state === before) return;
    this.#state = state;
    for (const watcher of this.#watchers) watcher();
    if (state !== "live" || before === "delayed") return;
    for (const { onGap } of this.#listeners) onGap();
  }
}
