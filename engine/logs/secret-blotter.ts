// Blots secrets out of text that comes in pieces. What may be the beginning of one is held back until more is known.
import type { SecretAutomaton } from "./secret-automaton.ts";

const BLOT = "***";

/** Secrets that overlap have one blot. `isTold`: it is out already, and more of what it covers comes. */
interface Blot {
  start: number;
  end: number;
  isTold: boolean;
}

export class SecretBlotter {
  #automaton: SecretAutomaton;
  #state = 0;
  #held = "";
  /** Of what is held, in its order. */
  #blots: Blot[] = [];

  constructor(automaton: SecretAutomaton) {
    this.#automaton = automaton;
  }

  /** From now on, and in what is held. */
  use(automaton: SecretAutomaton): void {
    const held = this.#held;
    this.#automaton = automaton;
    this.#blots = this.#blots.filter(({ isTold }) => isTold);
    this.#state = 0;
    this.#held = "";
    this.#read(held);
  }

  push(text: string): string {
    if (this.#automaton.isEmpty) return text;
    this.#read(text);
    const { depth } = this.#automaton;
    return this.#letGo(this.#held.length - (depth[this.#state] ?? 0));
  }

  end(): string {
    const out = this.#letGo(this.#held.length);
    this.#state = 0;
    return out;
  }

  #read(text: string): void {
    const automaton = this.#automaton;
    const { ending } = automaton;
    const before = this.#held.length;
    let state = this.#state;
    for (let at = 0; at < text.length; at++) {
      state = automaton.next(state, text.charCodeAt(at));
      const length = ending[state] ?? 0;
      if (length > 0) this.#blot(before + at + 1 - length, before + at + 1);
    }
    this.#state = automaton.settled(state);
    this.#held += text;
  }

  #blot(start: number, end: number): void {
    const blots = this.#blots;
    const blot: Blot = { start, end, isTold: false };
    for (let last = blots.at(-1); last !== undefined && start < last.end; last = blots.at(-1)) {
      blot.start = Math.min(blot.start, last.start);
      blot.isTold ||= last.isTold;
      blots.pop();
    }
    blots.push(blot);
  }

  /** Up to here everything is known. */
  #letGo(end: number): string {
    const held = this.#held;
    const out: string[] = [];
    let at = 0;
    const left: Blot[] = [];
    for (const blot of this.#blots) {
      if (blot.start < end) {
        out.push(held.slice(at, blot.start), blot.isTold ? "" : BLOT);
        at = Math.min(blot.end, end);
      }
      if (blot.end > end) {
        const isTold = blot.isTold || blot.start < end;
        left.push({ start: Math.max(0, blot.start - end), end: blot.end - end, isTold });
      }
    }
    out.push(held.slice(at, end));
    this.#held = held.slice(end);
    this.#blots = left;
    return out.join("");
  }
}
