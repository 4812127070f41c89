// How much of a file has come or gone, on one line of a terminal; elsewhere nothing.
import { byteText } from "./byte-text.ts";
import { LiveLines, type Terminal } from "./live-lines.ts";
import { plainText } from "./terminal-text.ts";

const BAR_WIDTH = 20;
const DRAW_EVERY_MS = 100;

export class TransferProgress {
  readonly #lines: LiveLines | undefined;
  readonly #name: string;
  readonly #totalBytes: number | undefined;
  #bytes = 0;
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(
    name: string,
    totalBytes: number | undefined,
    terminal: Terminal & { readonly isTTY?: boolean } = process.stderr,
  ) {
    this.#name = plainText(name);
    this.#totalBytes = totalBytes;
    this.#lines = terminal.isTTY === true ? new LiveLines(terminal) : undefined;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#lines === undefined || performance.now() - this.#drawnAt < DRAW_EVERY_MS) return;
    this.#drawnAt = performance.now();
    this.#lines.draw([this.#line(this.#lines.size.columns)]);
  }

  /** Nothing of it stays. */
  end(): void {
    this.#lines?.end([]);
  }

  #line(columns: number): string {
    const total = this.#totalBytes;
    const fraction = total === undefined || total === 0 ? undefined : this.#bytes / total;
    const bar = fraction === undefined ? "" : `${barOf(fraction)} ${percentOf(fraction)}  `;
    const of = total === undefined ? "" : ` of ${byteText(total)}`;
    const figures = `  ${bar}${byteText(this.#bytes)}${of}`;
    return this.#name.slice(0, Math.max(0, columns - figures.length)) + figures;
  }
}

function barOf(fraction: number): string {
  const full = Math.round(Math.min(1, fraction) * BAR_WIDTH);
  return "█".repeat(full) + "░".repeat(BAR_WIDTH - full);
}

function percentOf(fraction: number): string {
  return `${Math.floor(Math.min(1, fraction) * 100)} %`.padStart(5);
}
