// The end of a text that is too long to keep: the last bytes of it, and how many came before them.
import type { LogText } from "./log-text.ts";

/** Smaller ones are joined, so that many tiny ones cost no more than the text itself. */
const JOINED_BYTES_MAX = 4096;

export class LogTail {
  readonly #maxBytes: number;
  readonly #texts: { stream: LogText["stream"]; text: string; bytes: number }[] = [];
  #keptBytes = 0;
  #forgottenBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The beginning is missing. */
  get isCut(): boolean {
    return this.#forgottenBytes > 0 || this.#keptBytes > this.#maxBytes;
  }

  push({ stream, text }: LogText): void {
    const bytes = Buffer.byteLength(text);
    const last = this.#texts.at(-1);
    if (last?.stream === stream && last.bytes + bytes <= JOINED_BYTES_MAX) {
      last.text += text;
      last.bytes += bytes;
    } else {
      this.#texts.push({ stream, text, bytes });
    }
    this.#keptBytes += bytes;
    for (;;) {
      const oldest = this.#texts[0]?.bytes ?? 0;
      if (oldest === 0 || this.#keptBytes - oldest < this.#maxBytes) return;
      this.#texts.shift();
      this.#keptBytes -= oldest;
      this.#forgottenBytes += oldest;
    }
  }

  /** What is left of it, and how much is missing before; the first text is cut where the last bytes begin. */
  end(): { readonly missingBytes: number; readonly texts: readonly LogText[] } {
    const [first, ...others] = this.#texts;
    if (first === undefined) return { missingBytes: 0, texts: [] };
    const [cut, kept] = cutText(first.text, Math.max(0, this.#keptBytes - this.#maxBytes));
    const missingBytes = this.#forgottenBytes + Buffer.byteLength(cut);
    return { missingBytes, texts: [{ stream: first.stream, text: kept }, ...others] };
  }
}

/** In two after so many bytes, or a little before: never in the middle of a character. */
export function cutText(text: string, atByte: number): [string, string] {
  const bytes = Buffer.from(text);
  let at = Math.min(atByte, bytes.length);
  while (at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at--;
  return [bytes.toString("utf8", 0, at), bytes.toString("utf8", at)];
}
