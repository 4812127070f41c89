// Whole bodies of requests, of which only so much may be in memory at a time.
import type { IncomingMessage } from "node:http";
import { EngineError } from "@croft/engine";

export interface BodyLimits {
  /** Of one body. */
  readonly bodyBytesMax: number;
  /** Of all that are being received, or in use, at a time. */
  readonly allBytesMax: number;
}

interface Held {
  bytes: number;
  isWhole: boolean;
  refuse(error: EngineError): void;
}

/** Where there is no more room, the one that has taken longest to come makes room: whoever sends slowly holds up nobody. */
export class BodyReceiver {
  readonly #limits: BodyLimits;
  readonly #held = new Set<Held>();
  #bytes = 0;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  get heldBytes(): number {
    return this.#bytes;
  }

  /** Its bytes count until `use` has ended. */
  async receive<T>(raw: IncomingMessage, use: (body: Buffer) => Promise<T>): Promise<T> {
    const held: Held = { bytes: 0, isWhole: false, refuse: () => {} };
    this.#held.add(held);
    try {
      const body = await this.#read(raw, held);
      held.isWhole = true;
      return await use(body);
    } finally {
      this.#held.delete(held);
      this.#bytes -= held.bytes;
    }
  }

  #read(raw: IncomingMessage, held: Held): Promise<Buffer> {
    const { bodyBytesMax } = this.#limits;
    return new Promise<Buffer>((resolve, reject) => {
      const pieces: Buffer[] = [];
      const onData = (piece: Buffer) => {
        held.bytes += piece.length;
        this.#bytes += piece.length;
        pieces.push(piece);
        if (held.bytes > bodyBytesMax) refuse(tooLarge(bodyBytesMax));
        else this.#makeRoom();
      };
      const onEnd = () => {
        stop();
        resolve(Buffer.concat(pieces));
      };
      const onBroken = () => refuse(brokenOff());
      const stop = () => {
        raw.off("data", onData).off("end", onEnd).off("error", onBroken).off("close", onBroken);
      };
      const refuse = (error: EngineError) => {
        stop();
        pieces.length = 0;
        raw.on("error", () => {}); // of what nobody waits for any more
        raw.resume(); // what is not read would keep the client from reading the answer
        reject(error);
      };
      held.refuse = refuse;
      if (Number(raw.headers["content-length"] ?? 0) > bodyBytesMax) refuse(tooLarge(bodyBytesMax));
      else raw.on("data", onData).on("end", onEnd).on("error", onBroken).on("close", onBroken);
    });
  }

  #makeRoom(): void {
    let excess = this.#bytes - this.#limits.allBytesMax;
    for (const held of this.#held) {
      if (excess <= 0) return;
      if (held.isWhole) continue;
      excess -= held.bytes;
      held.refuse(noRoom());
    }
  }
}

function tooLarge(bytes: number): EngineError {
  return new EngineError("too-large", `the body may have at most ${bytes} bytes`);
}

function brokenOff(): EngineError {
  return new EngineError("bad-request", "the request was broken off");
}

function noRoom(): EngineError {
  const message = "there are too many large requests at the moment; send it again";
  return new EngineError("unavailable", message, { details: { retryAfterSeconds: 5 } });
}
