// Texts of stored files by the hash of their contents, as many as there is room for; the longest unused goes first.

export class KeptTexts {
  readonly #bytesMax: number;
  readonly #texts = new Map<string, string>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(sha256: string): string | undefined {
    const text = this.#texts.get(sha256);
    if (text === undefined) return undefined;
    this.#texts.delete(sha256);
    this.#texts.set(sha256, text);
    return text;
  }

  /** Returns the text. */
  keep(sha256: string, text: string): string {
    if (this.#texts.has(sha256)) return text;
    this.#texts.set(sha256, text);
    this.#bytes += bytesOf(text);
    for (const [oldest, old] of this.#texts) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#texts.delete(oldest);
      this.#bytes -= bytesOf(old);
    }
    return text;
  }
}

/** What it takes in memory at most; an empty one takes its place too. */
function bytesOf(text: string): number {
  return text.length * 2 + 100;
}
