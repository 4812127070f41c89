// Counts how often each of many names comes, in a bounded memory.

/** When they are too many or too long, those that came least are forgotten: the greatest stay as good as exact. */
export class TopCounts {
  readonly #counts = new Map<string, number>();
  readonly #limits: TopCountsLimits;
  #length = 0;

  constructor(limits: TopCountsLimits) {
    this.#limits = limits;
  }

  add(name: string): void {
    const count = this.#counts.get(name) ?? 0;
    this.#counts.set(name, count + 1);
    if (count > 0) return;
    this.#length += name.length;
    const { namesMax, lengthMax } = this.#limits;
    if (this.#counts.size > namesMax || this.#length > lengthMax) this.#forget();
  }

  /** The greatest first, those of the same number by name. */
  top(countMax: number): { readonly name: string; readonly count: number }[] {
    return [...this.#counts]
      .map(([name, count]) => ({ name, count }))
      .sort((left, right) => right.count - left.count || compareText(left.name, right.name))
      .slice(0, countMax);
  }

  /** By half at least, or it would soon come again: to put them in order takes long. */
  #forget(): void {
    const { namesMax, lengthMax } = this.#limits;
    const kept = this.top(Math.floor(namesMax / 2));
    this.#counts.clear();
    this.#length = 0;
    for (const { name, count } of kept) {
      if (this.#length + name.length > lengthMax / 2) break;
      this.#counts.set(name, count);
      this.#length += name.length;
    }
  }
}

export interface TopCountsLimits {
  readonly namesMax: number;
  /** Of all names together. */
  readonly lengthMax: number;
}

/** By code units: the same order on every machine, whatever language it speaks. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
