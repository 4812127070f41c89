// The measurements as tables for people and as figures for programs, beside what was promised.
import { median, percentile, printTable } from "../table.ts";
import { judgeTargets, type Target } from "../targets.ts";
import type { Way } from "./checkout-ways.ts";
import type { Measurements, WaySamples } from "./measurements.ts";
import { ofSize } from "./of-size.ts";
import type { Hundred } from "./time-hundred.ts";

const NAMES: Readonly<Record<Way, string>> = {
  overlay: "Croft overlay",
  clone: "Croft clone",
  clone_shared: "git clone --shared, parallel checkout",
  worktree_add: "git worktree add",
  clone_depth1: "git clone --depth=1 over HTTP",
  cp: "cp -a",
};

export function printMeasurements({ files, ways, template }: Measurements): void {
  console.log(`\n${files.toLocaleString("en")} files`);
  const overlayMs = median(ways.overlay.makeMs);
  printTable(
    ["", "make p50", "p99", "× overlay", "remove p50", "p99", "gone p50", "disk", "tries"],
    Object.entries(ways).map(([way, samples]) => [
      NAMES[way as Way],
      ...[50, 99].map((percent) => ms(percentile(samples.makeMs, percent))),
      (median(samples.makeMs) / overlayMs).toFixed(1),
      ...[50, 99].map((percent) => ms(percentile(samples.removeMs, percent))),
      ms(median(samples.goneMs)),
      `${(samples.diskBytes / 1e6).toFixed(2)} MB`,
      String(samples.makeMs.length),
    ]),
  );
  const [whole, next] = [median(template.wholeMs), median(template.nextMs)];
  console.log(
    `template: whole ${ms(whole)}, the next commit's ${ms(next)} (${(whole / next).toFixed(1)} × faster)`,
  );
}

export function reportWorkspaces(all: readonly Measurements[], hundred: Hundred): object {
  for (const measurements of all) printMeasurements(measurements);
  const figures = compare(all, hundred);
  console.log("");
  const missed = judgeTargets(targetsOf(figures));
  const files = Object.fromEntries(all.map((one) => [one.files, figuresOf(one)]));
  return { bench: "workspaces", files, ...figures, missed };
}

function compare(all: readonly Measurements[], hundred: Hundred) {
  const small = ofSize(1000, all);
  const usual = ofSize(30_000, all);
  const large = ofSize(100_000, all);
  const overlayMs = ({ ways }: Measurements) => median(ways.overlay.makeMs);
  const wholeMs = median(usual.template.wholeMs);
  const nextMs = median(usual.template.nextMs);
  return {
    overlay_p50_max_ms: round(Math.max(...all.map(overlayMs))),
    flatness: round(overlayMs(large) / overlayMs(small)),
    speedup_vs_worktree_30000: round(median(usual.ways.worktree_add.makeMs) / overlayMs(usual)),
    clone_vs_shared: round(cloneVsShared(usual)),
    hundred_ms: round(median(hundred.makeMs)),
    hundred_max_ms: round(percentile(hundred.makeMs, 100)),
    hundred_remove_ms: round(median(hundred.removeMs)),
    hundred_bytes: hundred.bytes,
    hundred_bytes_after_status: hundred.bytesAfterStatus,
    template_ms: round(wholeMs),
    next_template_ms: round(nextMs),
    next_template_speedup_30000: round(wholeMs / nextMs),
    next_template_100000_ms: round(median(large.template.nextMs)),
    template_layers_max: Math.max(...all.map(({ template }) => template.depthMax)),
  };
}

function targetsOf(figures: ReturnType<typeof compare>): Target[] {
  const { hundred_bytes: bytes, hundred_bytes_after_status: bytesAfterStatus } = figures;
  const most = (name: string, measured: number, most: number, unit: string) => {
    return { name, measured, most, unit };
  };
  const least = (name: string, measured: number, least: number) => {
    return { name, measured, least, unit: "×" };
  };
  return [
    most("overlay, p50, at any size", figures.overlay_p50_max_ms, 10, "ms"),
    most("overlay, 100,000 : 1,000 files", figures.flatness, 1.5, "×"),
    least("git worktree add : overlay, 30,000 files", figures.speedup_vs_worktree_30000, 100),
    most("100 overlays of 30,000 files at once", figures.hundred_ms, 2000, "ms"),
    most("their disk", bytes / 1e6, 10, "MB"),
    most("their disk after git status in each", bytesAfterStatus / 1e6, 10, "MB"),
    most("clone : git clone --shared, 30,000 files", figures.clone_vs_shared, 1.1, "×"),
    least("whole template : next commit's, 30,000", figures.next_template_speedup_30000, 10),
    most("next commit's template, 100,000", figures.next_template_100000_ms, 300, "ms"),
    most("layers of a template", figures.template_layers_max, 8, "layers"),
  ];
}

/** Round by round: both met the same machine then. */
function cloneVsShared({ ways }: Measurements): number {
  return median(
    ways.clone.makeMs.map((ms, round) => ms / (ways.clone_shared.makeMs[round] ?? Number.NaN)),
  );
}

function figuresOf({ ways, template }: Measurements): object {
  const figures = Object.entries(ways).flatMap(([way, samples]) => figuresOfWay(way, samples));
  return {
    ...Object.fromEntries(figures),
    template_ms: round(median(template.wholeMs)),
    next_template_ms: round(median(template.nextMs)),
  };
}

function figuresOfWay(way: string, samples: WaySamples): [string, number][] {
  return [
    [`${way}_p50_ms`, round(median(samples.makeMs))],
    [`${way}_p99_ms`, round(percentile(samples.makeMs, 99))],
    [`${way}_remove_p50_ms`, round(median(samples.removeMs))],
    [`${way}_remove_p99_ms`, round(percentile(samples.removeMs, 99))],
    [`${way}_gone_p50_ms`, round(median(samples.goneMs))],
    [`${way}_bytes`, samples.diskBytes],
    [`${way}_tries`, samples.makeMs.length],
  ];
}

function ms(value: number): string {
  return `${value.toFixed(value < 100 ? 1 : 0)} ms`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
