// The log of a job as numbered lines, built from the pieces in which it arrives.
import type { LogPiece } from "@croft/contract";
import { type AnsiLook, type AnsiRange, plainLook, readAnsi } from "./ansi-text.ts";

export interface LogLine {
  readonly text: string;
  readonly ranges: readonly AnsiRange[];
  readonly stream: LogPiece["stream"];
  readonly attempt: number;
  readonly at: string;
}

/** Browsers cannot scroll through more than about 17 million pixels; the file has all of it. */
export const linesMax = 500_000;
/** Of one line; nobody reads further to the right, and a browser draws it slowly. */
const lengthMax = 4_000;
/** Of one line with what colours it. */
const rawLengthMax = 4 * lengthMax;

/** A line that has not ended yet: where it is, and what it was made of. */
interface OpenLine {
  readonly index: number;
  raw: string;
  /** At its end; the next line of the stream goes on with it. */
  look: AnsiLook;
}

/**
 * stdout and stderr come in turns, so each has an unfinished line of its own. The same pieces always give the same
 * numbers: a link to a line stays right while the log grows.
 */
export class LogLines {
  readonly lines: LogLine[] = [];
  /** Lines that would have come after the last one that is kept. */
  left = 0;
  /** Of the longest line. */
  columns = 0;
  readonly #open = new Map<LogPiece["stream"], OpenLine>();
  readonly #looks = new Map<LogPiece["stream"], AnsiLook>();
  #attempt = 0;

  /** Nothing before this place will change any more. */
  get settled(): number {
    return Math.min(this.lines.length, ...[...this.#open.values()].map(({ index }) => index));
  }

  append(piece: LogPiece): void {
    if (piece.attempt !== this.#attempt) {
      this.#attempt = piece.attempt;
      this.#open.clear();
      this.#looks.clear();
    }
    const parts = piece.text.split("\n");
    for (const [index, part] of parts.entries()) {
      const isLast = index === parts.length - 1;
      // Croft begins its words on a new line of the text; here they have lines of their own.
      if (piece.stream === "croft" && part === "" && !this.#open.has("croft")) continue;
      if (!isLast || part !== "") this.#write(piece, part);
      if (!isLast) this.#close(piece.stream);
    }
  }

  #write(piece: LogPiece, part: string): void {
    const { stream, attempt, at } = piece;
    const open = this.#open.get(stream) ?? {
      ...{ index: this.lines.length, raw: "", look: plainLook },
    };
    if (open.index >= linesMax) {
      if (!this.#open.has(stream)) this.left++;
      this.#open.set(stream, open);
      return;
    }
    this.#open.set(stream, open);
    const raw = lastOverwrite(open.raw + part);
    open.raw = raw.slice(0, rawLengthMax);
    const { text, ranges, look } = readAnsi(open.raw, this.#looks.get(stream) ?? plainLook);
    open.look = look;
    const isCut = text.length > lengthMax || raw.length > rawLengthMax;
    this.lines[open.index] = {
      ...{ stream, attempt, ranges, at: this.lines[open.index]?.at ?? at },
      text: isCut ? `${text.slice(0, lengthMax)} …` : text,
    };
    this.columns = Math.max(this.columns, Math.min(text.length, lengthMax + 2));
  }

  #close(stream: LogPiece["stream"]): void {
    const open = this.#open.get(stream);
    if (open === undefined) return;
    this.#open.delete(stream);
    this.#looks.set(stream, open.look);
  }
}

/** A progress bar writes its line again and again after a carriage return; the last one counts. */
function lastOverwrite(raw: string): string {
  const end = raw.endsWith("\r") ? raw.length - 1 : raw.length;
  const at = raw.lastIndexOf("\r", end - 1);
  return at === -1 || end === 0 ? raw : raw.slice(at + 1);
}
