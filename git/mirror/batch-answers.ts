// Takes the answers of `git cat-file --batch` out of its output, wherever the pieces of that are cut.

export interface AnswerTaker {
  /** Asked when the size is known, before anything of the content is kept. */
  isWanted(sizeBytes: number): boolean;
  /** `missing`: there is no such object. The last two: its content is not taken, nor anything that comes after. */
  onAnswer(answer: Buffer | "missing" | "no-blob" | "too-large"): void;
}

/** `<id> blob <size>` LF content LF, or `<id> missing` LF. */
export class BatchAnswers {
  readonly #taker: AnswerTaker;
  #head = "";
  #content: Buffer | undefined;
  #filled = 0;
  #isOver = false;

  constructor(taker: AnswerTaker) {
    this.#taker = taker;
  }

  take(piece: Buffer): void {
    for (let at = 0; at < piece.length && !this.#isOver; ) {
      at = this.#content === undefined ? this.#takeHead(piece, at) : this.#fill(piece, at);
    }
  }

  #takeHead(piece: Buffer, at: number): number {
    const end = piece.indexOf(10, at);
    this.#head += piece.toString("latin1", at, end === -1 ? piece.length : end);
    if (end === -1) return piece.length;
    const [, type, size] = /^\S+ (\w+)(?: (\d+))?$/.exec(this.#head) ?? [];
    this.#head = "";
    if (size === undefined) {
      this.#taker.onAnswer("missing");
    } else if (type !== "blob" || !this.#taker.isWanted(Number(size))) {
      this.#isOver = true;
      this.#taker.onAnswer(type === "blob" ? "too-large" : "no-blob");
    } else {
      this.#content = Buffer.allocUnsafe(Number(size) + 1); // with the line's end behind it
      this.#filled = 0;
    }
    return end + 1;
  }

  #fill(piece: Buffer, at: number): number {
    const content = this.#content ?? Buffer.alloc(0);
    const copied = piece.copy(content, this.#filled, at);
    this.#filled += copied;
    if (this.#filled === content.length) {
      this.#content = undefined;
      this.#taker.onAnswer(content.subarray(0, -1));
    }
    return at + copied;
  }
}
