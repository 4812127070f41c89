// The last lines of a terminal, written over in place; what stands above is never touched.
import { textWidth } from "./text-width.ts";

/** What is needed of a terminal. */
export interface Terminal {
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  write(text: string): unknown;
}

const USUAL = { columns: 80, rows: 24 } as const;
const HIDE_CURSOR = "\x1b[?25l";
const SHOW_CURSOR = "\x1b[?25h";
const CLEAR_LINE = "\x1b[2K";
const CLEAR_BELOW = "\x1b[J";

export class LiveLines {
  readonly #terminal: Terminal;
  readonly #showCursor = () => void this.#terminal.write(SHOW_CURSOR);
  #shown: readonly string[] = [];
  #columns = 0;
  #isOpen = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** What fits without a line being broken or the first one scrolling away. */
  get size(): { readonly columns: number; readonly lines: number } {
    const { columns, rows } = this.#terminal;
    return {
      columns: (columns || USUAL.columns) - 1,
      lines: Math.max(1, (rows || USUAL.rows) - 1),
    };
  }

  /** In one write, and only lines that have changed: nothing flickers. */
  draw(lines: readonly string[]): void {
    const { columns } = this.size;
    const isResized = this.#isOpen && columns !== this.#columns;
    const text = isResized ? `${this.#erased(columns)}${joined(lines)}` : this.#changes(lines);
    this.#columns = columns;
    this.#shown = [...lines];
    if (text !== "") this.#terminal.write(this.#opening() + text);
  }

  /** Above the lines, for good. */
  say(text: string): void {
    const { columns } = this.size;
    this.#terminal.write(`${this.#erased(columns)}${text}\n${joined(this.#shown)}`);
    this.#columns = columns;
  }

  /** These stay; the terminal is as it was. */
  end(lines: readonly string[]): void {
    const erased = this.#erased(this.size.columns);
    this.#terminal.write(erased + joined(lines) + (this.#isOpen ? SHOW_CURSOR : ""));
    process.removeListener("exit", this.#showCursor);
    this.#shown = [];
    this.#isOpen = false;
  }

  #opening(): string {
    if (this.#isOpen) return "";
    this.#isOpen = true;
    process.once("exit", this.#showCursor); // also where it is ended by a second Ctrl-C
    return HIDE_CURSOR;
  }

  #changes(lines: readonly string[]): string {
    const isSame = lines.length === this.#shown.length;
    if (isSame && lines.every((line, index) => line === this.#shown[index])) return "";
    const written = lines.map((line, index) => {
      if (index >= this.#shown.length) return `${line}\n`;
      return line === this.#shown[index] ? "\n" : `${CLEAR_LINE}${line}\n`;
    });
    const rest = lines.length < this.#shown.length ? CLEAR_BELOW : "";
    return up(this.#shown.length) + written.join("") + rest;
  }

  /** A terminal that has become narrower has broken the lines that were there. */
  #erased(columns: number): string {
    const width = columns + 1;
    const rows = this.#shown.reduce(
      (sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / width)),
      0,
    );
    return rows === 0 ? "" : `${up(Math.min(rows, this.size.lines))}${CLEAR_BELOW}`;
  }
}

function up(rows: number): string {
  return rows === 0 ? "" : `\x1b[${rows}A\r`;
}

function joined(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}
