// Lines on a terminal that is really emulated: whatever was drawn, the screen shows the last drawing and nothing else.
import { expect, test } from "vitest";
import { seededRandom } from "../test/support/seeded-random.ts";
import { LiveLines } from "./live-lines.ts";
import { clipText, textWidth } from "./text-width.ts";

/** As much of a terminal as these lines need; throws at everything else. */
class Screen {
  columns: number;
  rows: number;
  writes = 0;
  isCursorShown = true;
  #lines: string[] = [""];
  #row = 0;
  #column = 0;

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
  }

  write(text: string): void {
    this.writes++;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal obeys
    for (const [part] of text.matchAll(/\x1b\[\??(\d*)([A-Za-z])|[\s\S]/gu)) this.#obey(part);
  }

  shown(): string[] {
    return this.#lines.slice(0, this.#row);
  }

  #obey(part: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal obeys
    const [, count, what] = /^\x1b\[\??(\d*)([A-Za-z])$/.exec(part) ?? [];
    const top = Math.max(0, this.#lines.length - this.rows);
    if (part === "\n") this.#down();
    else if (part === "\r") this.#column = 0;
    else if (what === "A") this.#row = Math.max(top, this.#row - Number(count || 1));
    else if (what === "K") this.#lines[this.#row] = "";
    else if (what === "J") this.#lines = [...this.#lines.slice(0, this.#row), ""];
    else if (what === "h" || what === "l") this.isCursorShown = what === "h";
    else if (what !== "m") this.#print(part);
  }

  /** A terminal driver returns as well. */
  #down(): void {
    this.#row++;
    this.#column = 0;
    this.#lines[this.#row] ??= "";
  }

  #print(character: string): void {
    if (character.startsWith("\x1b")) throw new Error(`unknown: ${JSON.stringify(character)}`);
    if (this.#column === this.columns) this.#down();
    const line = (this.#lines[this.#row] ?? "").padEnd(this.#column);
    this.#lines[this.#row] =
      line.slice(0, this.#column) + character + line.slice(this.#column + character.length);
    this.#column += character.length;
  }
}

test("after any drawings the screen shows the last one, and what stood above", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = seededRandom(seed);
    const screen = new Screen(30, 12);
    const lines = new LiveLines(screen);
    const said: string[] = [];
    screen.write("before\n");
    let last: string[] = [];
    for (let turn = 0; turn < 20; turn++) {
      if (random.below(5) === 0) {
        said.push(`note ${turn}`);
        lines.say(`note ${turn}`);
        continue;
      }
      const count = random.below(6);
      const word = () => `line ${random.below(3)} ${"x".repeat(random.below(40))}`;
      last = Array.from({ length: count }, () => clipText(word(), lines.size.columns));
      lines.draw(last);
      expect(screen.shown()).toEqual(["before", ...said, ...last]);
    }
    lines.end(["end"]);
    expect(screen.shown()).toEqual(["before", ...said, "end"]);
    expect(screen.isCursorShown).toBe(true);
  }
});

test("what has not changed is not written", () => {
  const screen = new Screen(40, 10);
  const lines = new LiveLines(screen);
  lines.draw(["one", "two"]);
  const { writes } = screen;
  lines.draw(["one", "two"]);
  expect(screen.writes).toBe(writes);
  expect(screen.isCursorShown).toBe(false);
  lines.end([]);
});

test("a terminal that becomes narrower has its broken lines taken away", () => {
  const written: string[] = [];
  const terminal = { columns: 40, rows: 10, write: (text: string) => void written.push(text) };
  const lines = new LiveLines(terminal);
  lines.draw(["a".repeat(39), "b"]);
  terminal.columns = 20;
  lines.draw(["a", "b"]);
  expect(written.at(-1)).toBe("\x1b[3A\r\x1b[Ja\nb\n"); // two rows of the first, one of the second
  lines.end([]);
});

test.each([
  ["plain", 5, "plain"],
  ["plain", 4, "pla…"],
  ["日本語", 6, "日本語"],
  ["日本語", 5, "日本…"],
  ["日本語", 4, "日…"],
  ["\x1b[31mred text\x1b[39m", 4, "\x1b[31mred…\x1b[39m"],
  ["é\u0301é", 2, "é\u0301é"],
  ["anything", 0, ""],
])("%j in %d columns is %j", (text, columns, clipped) => {
  expect(clipText(text, columns)).toBe(clipped);
  expect(textWidth(clipped)).toBeLessThanOrEqual(columns);
});
