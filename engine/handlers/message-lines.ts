// Messages over a socket: JSON, a line each.
import type { Duplex } from "node:stream";

export interface LineOptions {
  /** Longer ones are nobody's message; whoever sends one is not read any further. */
  readonly lengthMax: number;
  /** A promise: nothing more is read until then. */
  readonly onMessage: (message: unknown) => Promise<void> | undefined;
  readonly onJunk: (what: string) => void;
}

const NEWLINE = 10;

export class MessageLines {
  readonly #socket: Duplex;
  readonly #options: LineOptions;
  #parts: Buffer[] = [];
  #length = 0;
  #isOver = false;
  /** Everything that came was read, and nothing comes any more. */
  readonly ended: Promise<void>;

  constructor(socket: Duplex, options: LineOptions) {
    this.#socket = socket;
    this.#options = options;
    this.ended = new Promise((resolve) => {
      socket.once("end", resolve);
      socket.once("close", resolve);
    });
    socket.on("error", () => {}); // that the other has gone is told by its end
    socket.on("data", (chunk: Buffer) => this.#read(chunk));
  }

  /** Resolves when it is on its way, or nobody is there to hear it. Throws for what is no JSON. */
  async send(message: unknown): Promise<void> {
    await this.sendText(JSON.stringify(message));
  }

  async sendText(text: string): Promise<void> {
    if (this.#socket.writableEnded || this.#socket.destroyed) return;
    await new Promise<void>((resolve) => this.#socket.write(`${text}\n`, () => resolve()));
  }

  /** A pause between two messages leaves the rest of what was read for later. */
  #read(chunk: Buffer): void {
    let from = 0;
    while (!this.#isOver) {
      const at = chunk.indexOf(NEWLINE, from);
      const line = chunk.subarray(from, at === -1 ? chunk.length : at);
      this.#parts.push(line);
      this.#length += line.length;
      if (this.#length > this.#options.lengthMax) this.#refuse("a message that is too long");
      if (at === -1 || this.#isOver) return;
      from = at + 1;
      const text = Buffer.concat(this.#parts).toString("utf8");
      this.#parts = [];
      this.#length = 0;
      const wait = this.#hear(text);
      if (wait === undefined) continue;
      this.#socket.pause();
      this.#socket.unshift(chunk.subarray(from));
      const goOn = () => void this.#socket.resume();
      wait.then(goOn, goOn);
      return;
    }
  }

  #hear(text: string): Promise<void> | undefined {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      this.#refuse("a line that is no JSON");
      return undefined;
    }
    return this.#options.onMessage(message);
  }

  #refuse(what: string): void {
    this.#isOver = true;
    this.#parts = [];
    this.#options.onJunk(what);
  }
}
