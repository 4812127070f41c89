// How many events are in hand: some that are worked on, and beside them many more that wait for an answer of GitHub's.
import type { AskGithub } from "./github-parts.ts";

interface Held {
  events: number;
  /** Of their payloads as they came; read, they have several times as many. */
  bytes: number;
}

export interface EventPlace {
  /** The same GitHub; whoever waits for its answer has a place among those that do, and gives the other to the next event. */
  asking(github: AskGithub): AskGithub;
  leave(): void;
}

const WORKING_MAX: Held = { events: 16, bytes: 32 * 1024 * 1024 };
/** Beyond that they keep the places of those that ask nothing: something must end. */
const ASKING_MAX: Held = { events: 256, bytes: 32 * 1024 * 1024 };

export class EventPlaces {
  readonly #working: Held = { events: 0, bytes: 0 };
  readonly #asking: Held = { events: 0, bytes: 0 };
  readonly #onRoom: () => void;

  /** `onRoom`: there are places again, after there were none. */
  constructor(onRoom: () => void) {
    this.#onRoom = onRoom;
  }

  /** For how many more there is room; the last of them may have more bytes. */
  get room(): Readonly<Held> {
    const { events, bytes } = this.#working;
    return { events: WORKING_MAX.events - events, bytes: WORKING_MAX.bytes - bytes };
  }

  get hasRoom(): boolean {
    return this.room.events > 0 && this.room.bytes > 0;
  }

  /** Whoever was answered comes back at once, even if there are too many then: until they are fewer, no other begins. */
  enter(bytes: number): EventPlace {
    let among: Held | undefined;
    const goTo = (next: Held | undefined) => {
      const hadRoom = this.hasRoom;
      count(among, -1, bytes);
      count(next, 1, bytes);
      among = next;
      if (!hadRoom && this.hasRoom) this.#onRoom();
    };
    const ask = async <T>(work: () => Promise<T>): Promise<T> => {
      const isFirst = among === this.#working && this.#mayAsk(bytes);
      if (isFirst) goTo(this.#asking);
      try {
        return await work();
      } finally {
        if (isFirst && among === this.#asking) goTo(this.#working);
      }
    };
    goTo(this.#working);
    return {
      asking: (github) => ({
        login: () => ask(() => github.login()),
        ask: (request) => ask(() => github.ask(request)),
      }),
      leave: () => goTo(undefined),
    };
  }

  #mayAsk(bytes: number): boolean {
    const { events, bytes: held } = this.#asking;
    return events < ASKING_MAX.events && held + bytes <= ASKING_MAX.bytes;
  }
}

function count(held: Held | undefined, events: 1 | -1, bytes: number): void {
  if (held === undefined) return;
  held.events += events;
  held.bytes += events * bytes;
}
