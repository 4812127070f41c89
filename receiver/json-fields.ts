// Takes values out of JSON that somebody else wrote, and says where it is not what it should be.

export class MalformedMessage extends Error {
  constructor(message: string) {
    super(message);
    this.name = "MalformedMessage";
  }
}

/** An object, with the place it was found at. */
export class Fields {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #place: string;

  constructor(value: unknown, place: string) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new MalformedMessage(`${place} is no object`);
    }
    this.#values = value as Record<string, unknown>;
    this.#place = place;
  }

  /** undefined when it is absent or null. */
  optional(name: string): unknown {
    return Object.hasOwn(this.#values, name) ? (this.#values[name] ?? undefined) : undefined;
  }

  object(name: string): Fields {
    return new Fields(this.optional(name), this.#at(name));
  }

  /** As it came. */
  record(name: string): Readonly<Record<string, unknown>> {
    this.object(name);
    return this.optional(name) as Record<string, unknown>;
  }

  list(name: string, countMax: number): Fields[] {
    const value = this.optional(name);
    if (!Array.isArray(value)) throw this.#wrong(name, "no list");
    if (value.length > countMax) throw this.#wrong(name, `a list of more than ${countMax}`);
    return value.map((item, index) => new Fields(item, `${this.#at(name)}[${index}]`));
  }

  text(name: string): string {
    const value = this.optional(name);
    if (typeof value !== "string") throw this.#wrong(name, "no text");
    return value;
  }

  optionalText(name: string): string | null {
    return this.optional(name) === undefined ? null : this.text(name);
  }

  matching(name: string, pattern: RegExp): string {
    const value = this.text(name);
    if (!pattern.test(value)) throw this.#wrong(name, "not of the right form");
    return value;
  }

  oneOf<const Choice extends string>(name: string, choices: readonly Choice[]): Choice {
    const value = this.text(name);
    const found = choices.find((choice) => choice === value);
    if (found === undefined) throw this.#wrong(name, `none of ${choices.join(", ")}`);
    return found;
  }

  count(name: string): number {
    const value = this.optional(name);
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) {
      throw this.#wrong(name, "no whole number");
    }
    return value;
  }

  flag(name: string): boolean {
    return this.optional(name) === true;
  }

  #at(name: string): string {
    return this.#place === "" ? name : `${this.#place}.${name}`;
  }

  #wrong(name: string, what: string): MalformedMessage {
    return new MalformedMessage(`${this.#at(name)} is ${what}`);
  }
}
