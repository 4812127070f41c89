// Which rows of the screen the lines of a log take when they are broken at a width: all rows have one height.
import type { LogLines } from "./log-lines.ts";

export interface Row {
  /** `attempt`: stands above the first line of another attempt. */
  readonly kind: "text" | "attempt";
  /** The place of the line. */
  readonly line: number;
  /** The part of its text. */
  readonly start: number;
  readonly end: number;
}

export class WrappedLines {
  readonly #content: LogLines;
  readonly #columns: number;
  /** For each line the number of rows up to its end. */
  readonly #ends: number[] = [];
  #settled = 0;

  /** Without a width lines are not broken. */
  constructor(content: LogLines, columns: number | undefined) {
    this.#content = content;
    this.#columns = columns ?? Number.POSITIVE_INFINITY;
  }

  /** Takes in the lines that have come or grown since the last time. */
  grow(): void {
    const { lines, settled } = this.#content;
    let rows = this.rowOf(this.#settled);
    for (let line = this.#settled; line < lines.length; line++) {
      const broken = Math.max(1, Math.ceil(this.#lengthOf(line) / this.#columns));
      rows += broken + this.#headOf(line);
      this.#ends[line] = rows;
    }
    this.#settled = settled;
  }

  get rowCount(): number {
    return this.#ends.at(-1) ?? 0;
  }

  /** The first row of a line. */
  rowOf(line: number): number {
    return this.#ends[line - 1] ?? 0;
  }

  rowsBetween(first: number, last: number): Row[] {
    const rows: Row[] = [];
    for (let line = this.#lineAt(first); line < this.#ends.length; line++) {
      if (this.rowOf(line) > last) break;
      const begin = this.rowOf(line) + this.#headOf(line);
      const end = Math.min(this.rowOf(line + 1), last + 1);
      for (let row = Math.max(this.rowOf(line), first); row < end; row++) {
        const start = row <= begin ? 0 : (row - begin) * this.#columns;
        const stop = Math.min(this.#lengthOf(line), start + this.#columns);
        rows.push({ kind: row < begin ? "attempt" : "text", line, start, end: stop });
      }
    }
    return rows;
  }

  /** Rows above the text of a line. */
  #headOf(line: number): 0 | 1 {
    const { lines } = this.#content;
    return line > 0 && lines[line - 1]?.attempt !== lines[line]?.attempt ? 1 : 0;
  }

  #lengthOf(line: number): number {
    return this.#content.lines[line]?.text.length ?? 0;
  }

  /** By halves: the first line that ends after the row. */
  #lineAt(row: number): number {
    let low = 0;
    let high = this.#ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ends[middle] ?? 0) > row) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
