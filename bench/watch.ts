// What watching costs: questions to remotes when nothing changes, and finding what changed beside a scan of the checkout.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { isQuick } from "./quick.ts";
import { withScratch } from "./scratch.ts";
import { printTable } from "./table.ts";
import { judgeTargets } from "./targets.ts";
import { countPolls, POLLED } from "./watch/count-polls.ts";
import { type ChangeTimes, timeChanges } from "./watch/time-changes.ts";

const SIZES = isQuick ? [1000, 10_000, 30_000] : [1000, 10_000, 30_000, 100_000];
const CHANGED = 10;

export async function benchWatch(): Promise<object> {
  return await withScratch(async (scratch) => {
    const directory = join(scratch.path, "changes");
    mkdirSync(directory);
    const times = await timeChanges(directory, { sizes: SIZES, changed: CHANGED });
    const pollsPerInterval = await countPolls(scratch);
    return report(times, pollsPerInterval);
  });
}

function report(times: ReadonlyMap<number, ChangeTimes>, pollsPerInterval: number): object {
  printTable(
    ["files", "changes found", "scan of the checkout", "faster"],
    [...times].map(([files, { diffMs, scanMs }]) => [
      ...[String(files), `${diffMs.toFixed(1)} ms`, `${scanMs.toFixed(1)} ms`],
      `${Math.round(scanMs / diffMs)} ×`,
    ]),
  );
  const found = [...times.values()].map(({ diffMs }) => diffMs);
  const at30k = times.get(30_000) ?? { diffMs: Number.NaN, scanMs: Number.NaN };
  const speedup = at30k.scanMs / at30k.diffMs;
  const flatness = Math.max(...found) / Math.min(...found);
  judgeTargets([
    {
      ...{ name: `polls an interval, ${POLLED.watches} watches`, measured: pollsPerInterval },
      ...{ most: POLLED.repositories, unit: "" },
    },
    { name: "faster than a scan, 30,000 files", measured: speedup, least: 50, unit: "×" },
    { name: "slowest : fastest, 1,000 to 100,000 files", measured: flatness, most: 2, unit: "" },
  ]);
  return {
    bench: "watch",
    ...{ ...POLLED, polls_per_interval: pollsPerInterval },
    diff_ms: bySize(times, ({ diffMs }) => diffMs),
    scan_ms: bySize(times, ({ scanMs }) => scanMs),
    speedup_30000: round(speedup),
    flatness: round(flatness),
  };
}

function bySize(times: ReadonlyMap<number, ChangeTimes>, pick: (times: ChangeTimes) => number) {
  return Object.fromEntries([...times].map(([files, each]) => [String(files), round(pick(each))]));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
