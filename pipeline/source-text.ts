// The text of a pipeline file, and how its places are told to people.
import { LineCounter } from "yaml";
import type { Position } from "./problem.ts";

export class SourceText {
  readonly text: string;
  readonly #lines = new LineCounter();

  constructor(text: string) {
    this.text = text;
    this.#lines.addNewLine(0);
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
      this.#lines.addNewLine(at + 1);
    }
  }

  positionOf(offset: number): Position {
    const { line, col } = this.#lines.linePos(Math.min(Math.max(offset, 0), this.text.length));
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  }
}

export type Decoded =
  | { readonly text: string }
  | { readonly text: undefined; readonly position: Position };

/** Text from bytes, or where they stop being UTF-8. */
export function decodeUtf8(bytes: Uint8Array): Decoded {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { text: undefined, position: firstInvalid(bytes) };
  }
}

/** By halving: all bytes before the place are valid, all up to behind it are not. */
function firstInvalid(bytes: Uint8Array): Position {
  let [good, bad] = [0, bytes.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isValid(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  const before = new TextDecoder().decode(bytes.subarray(0, good), { stream: true });
  return new SourceText(before).positionOf(before.length);
}

/** A sequence that is only cut off at the end counts as valid. */
function isValid(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
