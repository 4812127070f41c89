// Blots secrets out of text that comes in pieces: what could be the beginning of one is held back until more is known.
import { redactText } from "@croft/git";

/** A token without a space longer than this is let go, all but its end. */
const HELD_LENGTH_MAX = 4096;
const KEPT_LENGTH = 512;
const BLOT = "***";

export class RedactStream {
  #secrets: readonly string[] = [];
  #held = "";

  constructor(secrets: readonly string[] = []) {
    this.add(secrets);
  }

  /** From now on. Short ones would blot out half of every log, and protect nothing. */
  add(secrets: readonly string[]): void {
    this.#secrets = [...this.#secrets, ...secrets]
      .filter((secret) => secret.length >= 4)
      .sort((a, b) => b.length - a.length);
  }

  push(text: string): string {
    this.#held += text;
    const end = this.#safeEnd();
    const out = this.#held.slice(0, end);
    this.#held = this.#held.slice(end);
    return this.#redact(out);
  }

  end(): string {
    const out = this.#redact(this.#held);
    this.#held = "";
    return out;
  }

  /** Up to here nothing can be part of a secret that is still coming. */
  #safeEnd(): number {
    const held = this.#held;
    let end = held.length;
    while (end > 0 && !/\s/.test(held.charAt(end - 1)) && held.length - end < HELD_LENGTH_MAX)
      end--;
    if (held.length - end >= HELD_LENGTH_MAX) end = held.length - KEPT_LENGTH;
    // A secret may have spaces or lines in it: not cut where one may have begun, nor where one goes on.
    for (const secret of this.#secrets) {
      for (let from = Math.max(0, held.length - secret.length + 1); from < held.length; from++) {
        if (secret.startsWith(held.slice(from))) end = Math.min(end, from);
      }
      for (let at = held.indexOf(secret); at !== -1; at = held.indexOf(secret, at + 1)) {
        if (at < end && end < at + secret.length) end = at;
      }
    }
    return end;
  }

  #redact(text: string): string {
    let out = text;
    for (const secret of this.#secrets) out = out.replaceAll(secret, BLOT);
    return redactText(out);
  }
}
