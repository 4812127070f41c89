// What was promised, beside what was measured.
import { printTable } from "./table.ts";

export interface Target {
  readonly name: string;
  readonly measured: number;
  readonly unit: string;
  readonly most?: number;
  readonly least?: number;
}

/** Returns the names of those that were missed. */
export function judgeTargets(targets: readonly Target[]): string[] {
  const missed = targets.filter(({ measured, most = Infinity, least = 0 }) => {
    return !(measured <= most && measured >= least);
  });
  printTable(
    ["promised", "", "measured", ""],
    targets.map((target) => {
      const { name, measured, most, least, unit } = target;
      const limit = most === undefined ? `≥ ${least} ${unit}` : `≤ ${most} ${unit}`;
      const outcome = missed.includes(target) ? "MISSED" : "met";
      return [name, limit, `${measured.toFixed(2)} ${unit}`, outcome];
    }),
  );
  return missed.map(({ name }) => name.trim());
}
