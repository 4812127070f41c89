// Numbers of things for people: exact while they are easy to read, then shortened.

const exact = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export function formatCount(count: number): string {
  return count < 1_000_000 ? exact.format(count) : short.format(count);
}
