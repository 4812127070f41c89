// The secrets of one attempt, for every text that leaves it.
import { SecretAutomaton } from "./secret-automaton.ts";
import { SecretBlotter } from "./secret-blotter.ts";

export class SecretMask {
  readonly automaton: SecretAutomaton;
  readonly #secrets: readonly string[];

  constructor(secrets: readonly string[] = []) {
    this.#secrets = secrets;
    this.automaton = new SecretAutomaton(secrets);
  }

  /** A secret of several lines is also each of them: whoever prints it may do so line by line. */
  static withLines(values: readonly string[]): readonly string[] {
    return values.flatMap((value) => [value, ...value.split(/\r?\n/).map((line) => line.trim())]);
  }

  /** With more of them. */
  and(secrets: readonly string[]): SecretMask {
    return new SecretMask([...this.#secrets, ...secrets]);
  }

  blot(text: string): string {
    const blotter = new SecretBlotter(this.automaton);
    return blotter.push(text) + blotter.end();
  }

  /** Blotting makes every text shorter that has a secret in it. */
  isIn(text: string): boolean {
    return this.blot(text) !== text;
  }

  /** In every text of a value that is JSON; names of fields stay as they are, and so do the values of some. */
  blotAll(value: unknown, fixedFields: readonly string[] = []): unknown {
    if (this.automaton.isEmpty) return value;
    if (typeof value === "string") return this.blot(value);
    if (Array.isArray(value)) return value.map((each) => this.blotAll(each));
    if (typeof value !== "object" || value === null) return value;
    const fields = Object.entries(value).map(([name, each]) => [
      name,
      fixedFields.includes(name) ? each : this.blotAll(each),
    ]);
    return Object.fromEntries(fields);
  }
}
