// Shares for people; a small share that is not zero never looks like zero.

export function formatPercent(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.01) return "under 0.01 %";
  const digits = percent >= 10 ? 0 : percent >= 1 ? 1 : 2;
  return `${Number(percent.toFixed(digits))} %`;
}
