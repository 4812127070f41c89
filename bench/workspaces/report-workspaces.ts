// The measurements as tables for people and as figures for programs, beside what was promised.
import { median, percentile, printTable } from "../table.ts";
import type { Way } from "./checkout-ways.ts";
import type { Measurements, WaySamples } from "./measurements.ts";
import { ofSize } from "./of-size.ts";
import { judgeTargets } from "./targets.ts";
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
  const small = ofSize(1000, all);
  const usual = ofSize(30_000, all);
  const large = ofSize(100_000, all);
  const overlayMs = ({ ways }: Measurements) => median(ways.overlay.makeMs);
  const worktreeMs = median(usual.ways.worktree_add.makeMs);
  const figures = {
    flatness: round(overlayMs(large) / overlayMs(small)),
    speedup_vs_worktree_30000: round(worktreeMs / overlayMs(usual)),
    clone_vs_shared: round(cloneVsShared(usual)),
    hundred_ms: round(median(hundred.makeMs)),
    hundred_max_ms: round(percentile(hundred.makeMs, 100)),
    hundred_remove_ms: round(median(hundred.removeMs)),
    hundred_bytes: hundred.bytes,
    hundred_bytes_after_status: hundred.bytesAfterStatus,
    template_ms: round(median(usual.template.wholeMs)),
    next_template_ms: round(median(usual.template.nextMs)),
    next_template_speedup_30000: round(
      median(usual.template.wholeMs) / median(usual.template.nextMs),
    ),
    next_template_100000_ms: round(median(large.template.nextMs)),
    template_layers_max: Math.max(...all.map(({ template }) => template.depthMax)),
  };
  const slowestMs = Math.max(...all.map(overlayMs));
  const missed = judgeTargets([
    { name: "overlay, p50, at every size", measured: slowestMs, most: 10, unit: "ms" },
    { name: "overlay, 100,000 : 1,000 files", measured: figures.flatness, most: 1.5, unit: "×" },
    {
      name: "git worktree add : overlay, 30,000 files",
      ...{ measured: figures.speedup_vs_worktree_30000, least: 100, unit: "×" },
    },
    {
      name: "100 overlays of 30,000 files at once",
      ...{ measured: figures.hundred_ms, most: 2000, unit: "ms" },
    },
    { name: "  their disk", measured: hundred.bytes / 1e6, most: 10, unit: "MB" },
    {
      name: "  their disk after `git status` in each",
      ...{ measured: hundred.bytesAfterStatus / 1e6, most: 10, unit: "MB" },
    },
    {
      name: "clone : git clone --shared, 30,000 files",
      ...{ measured: figures.clone_vs_shared, most: 1.1, unit: "×" },
    },
    {
      name: "whole template : the next commit's, 30,000 files",
      ...{ measured: figures.next_template_speedup_30000, least: 10, unit: "×" },
    },
    {
      name: "next commit's template, 100,000 files",
      ...{ measured: figures.next_template_100000_ms, most: 300, unit: "ms" },
    },
    {
      name: "layers of a template",
      ...{ measured: figures.template_layers_max, most: 8, unit: "layers" },
    },
  ]);
  const files = Object.fromEntries(all.map((one) => [one.files, figuresOf(one)]));
  return { bench: "workspaces", files, ...figures, missed };
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
