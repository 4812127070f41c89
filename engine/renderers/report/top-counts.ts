// Counts how often each of many names comes, in a bounded memory.

/** When there are too many names, those that came least are forgotten: the greatest stay as good as exact. */
export class TopCounts {
  readonly #counts = new Map<string, number>();
  readonly #namesMax: number;
  #forgotten = 0;

  constructor(namesMax: number) {
    this.#namesMax = namesMax;
  }

  add(name: string, count = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + count);
    if (this.#counts.size > this.#namesMax) this.#forget();
  }

  /** The greatest first, those of the same number by name. */
  top(countMax: number): { readonly name: string; readonly count: number }[] {
    return [...this.#counts]
      .map(([name, count]) => ({ name, count }))
      .sort((left, right) => right.count - left.count || compareText(left.name, right.name))
      .slice(0, countMax);
  }

  /** Whether some were left out on the way. */
  get isRough(): boolean {
    return this.#forgotten > 0;
  }

  #forget(): void {
    const kept = this.top(Math.floor(this.#namesMax / 2));
    this.#forgotten += this.#counts.size - kept.length;
    this.#counts.clear();
    for (const { name, count } of kept) this.#counts.set(name, count);
  }
}

/** By code units: the same order on every machine, whatever language it speaks. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
