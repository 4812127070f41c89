// Finds many secrets in one go over a text, whatever they are: the automaton of Aho and Corasick.

/** Shorter ones would blot out half of every log, and protect nothing. */
export const SECRET_LENGTH_MIN = 4;
const ROOT = 0;
const CHARACTERS = 0x1_0000;

/** For each state, the character that leads to it and the state before. */
interface Growth {
  readonly characters: Uint16Array;
  readonly before: Int32Array;
  readonly count: number;
}

/**
 * A state is the longest end of the text that is the beginning of a secret. All arrays are by state; most states have one
 * way on, which is why the first stands in arrays and only the others in a map.
 */
export class SecretAutomaton {
  /** How much of the text's end may still become a secret. */
  readonly depth: Int32Array;
  /** Length of the longest secret that ends here; 0: none. */
  readonly ending: Int32Array;
  readonly #firstCharacter: Uint16Array;
  readonly #firstNext: Int32Array;
  readonly #fromRoot: Int32Array;
  readonly #otherNext = new Map<number, number>();
  /** The next shorter end of the text that begins a secret. */
  readonly #shorter: Int32Array;

  constructor(secrets: Iterable<string>) {
    const all = [...new Set(secrets)].filter(({ length }) => length >= SECRET_LENGTH_MIN);
    const size = 1 + all.reduce((sum, { length }) => sum + length, 0);
    this.#fromRoot = new Int32Array(size === 1 ? 0 : CHARACTERS);
    this.depth = new Int32Array(size);
    this.ending = new Int32Array(size);
    this.#firstCharacter = new Uint16Array(size);
    this.#firstNext = new Int32Array(size);
    this.#shorter = new Int32Array(size);
    this.#link(this.#grow(all));
  }

  get isEmpty(): boolean {
    return this.depth.length === 1;
  }

  /** The state after one more character (a UTF-16 unit). */
  next(state: number, character: number): number {
    for (let from = state; from !== ROOT; from = this.#shorter[from] ?? ROOT) {
      const next = this.#wayOn(from, character);
      if (next !== ROOT) return next;
    }
    return this.#fromRoot[character] ?? ROOT;
  }

  /** The same state, without a secret that is complete and goes nowhere. */
  settled(state: number): number {
    let settled = state;
    while (settled !== ROOT && this.#firstNext[settled] === ROOT) {
      settled = this.#shorter[settled] ?? ROOT;
    }
    return settled;
  }

  /** Root: none. */
  #wayOn(state: number, character: number): number {
    if (state === ROOT) return this.#fromRoot[character] ?? ROOT;
    const first = this.#firstNext[state] ?? ROOT;
    if (first === ROOT || this.#firstCharacter[state] === character) return first;
    return this.#otherNext.get(state * CHARACTERS + character) ?? ROOT;
  }

  #grow(secrets: readonly string[]): Growth {
    const size = this.depth.length;
    const [characters, before] = [new Uint16Array(size), new Int32Array(size)];
    let count = 1;
    for (const secret of secrets) {
      let state = ROOT;
      for (let at = 0; at < secret.length; at++) {
        const character = secret.charCodeAt(at);
        let next = this.#wayOn(state, character);
        if (next === ROOT) {
          next = count++;
          this.depth[next] = at + 1;
          characters[next] = character;
          before[next] = state;
          this.#lead(state, character, next);
        }
        state = next;
      }
      this.ending[state] = secret.length;
    }
    return { characters, before, count };
  }

  #lead(state: number, character: number, next: number): void {
    if (state === ROOT) {
      this.#fromRoot[character] = next;
      this.#firstNext[ROOT] = next;
    } else if (this.#firstNext[state] === ROOT) {
      this.#firstCharacter[state] = character;
      this.#firstNext[state] = next;
    } else {
      this.#otherNext.set(state * CHARACTERS + character, next);
    }
  }

  /** By depth: what a state falls back to is less deep than it. */
  #link({ characters, before, count }: Growth): void {
    for (const state of this.#byDepth(count)) {
      const from = before[state] ?? ROOT;
      const shorter =
        from === ROOT ? ROOT : this.next(this.#shorter[from] ?? ROOT, characters[state] ?? 0);
      this.#shorter[state] = shorter;
      this.ending[state] ||= this.ending[shorter] ?? 0;
    }
  }

  /** Counted, not compared: there may be as many states as secrets have characters. */
  #byDepth(count: number): Int32Array {
    const depths = this.depth.subarray(1, count);
    const places = new Int32Array(count + 1);
    for (const depth of depths) places[depth + 1] = (places[depth + 1] ?? 0) + 1;
    for (let depth = 1; depth <= count; depth++) {
      places[depth] = (places[depth] ?? 0) + (places[depth - 1] ?? 0);
    }
    const order = new Int32Array(count - 1);
    depths.forEach((depth, at) => {
      const place = places[depth] ?? 0;
      order[place] = at + 1;
      places[depth] = place + 1;
    });
    return order;
  }
}
