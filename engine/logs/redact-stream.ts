// Blots out of text that comes in pieces the secrets that are known, and then what looks like one.
import { redactText } from "@croft/git";
import { SecretBlotter } from "./secret-blotter.ts";
import { SecretMask } from "./secret-mask.ts";

/** A token without a space longer than this is let go, all but its end. */
const HELD_LENGTH_MAX = 4096;
const KEPT_LENGTH = 512;

export class RedactStream {
  readonly #blotter: SecretBlotter;
  /** Of what comes out of the blotter: a last word, of which more may come. */
  #held = "";

  constructor(mask = new SecretMask()) {
    this.#blotter = new SecretBlotter(mask.automaton);
  }

  /** From now on. */
  use(mask: SecretMask): void {
    this.#blotter.use(mask.automaton);
  }

  push(text: string): string {
    const more = this.#blotter.push(text);
    const out = this.#held + more;
    const end = this.#wordStart(out, more.length);
    this.#held = out.slice(end);
    return redactText(out.slice(0, end));
  }

  end(): string {
    const out = this.#held + this.#blotter.end();
    this.#held = "";
    return redactText(out);
  }

  /** Where the last word begins. What was held is part of it: only the rest has to be looked at. */
  #wordStart(text: string, newLength: number): number {
    const held = text.length - newLength;
    const earliest = Math.max(held, text.length - HELD_LENGTH_MAX);
    let start = text.length;
    while (start > earliest && !/\s/.test(text.charAt(start - 1))) start--;
    if (start === held) start = 0;
    if (text.length - start < HELD_LENGTH_MAX) return start;
    const cut = text.length - KEPT_LENGTH;
    return isLowSurrogate(text, cut) ? cut - 1 : cut;
  }
}

/** The second half of a character, which is none without the first. */
function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
