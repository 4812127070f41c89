// The repository lock: alone, handed from one waiter to the next, and between four processes; beside proper-lockfile.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { Readable, Writable } from "node:stream";
import { RepositoryLocks } from "@croft/git";
import lockfile from "proper-lockfile";
import { projectRoot } from "../scripts/source-files.ts";
import { percentile, printTable } from "./table.ts";

const ALONE = 5000;
const ALONE_PEER = 500;
const WAITERS = 100;
const PROCESSES = 4;
const ROUNDS = 150;
const HOLD_MS = 1;

export async function benchLocks(): Promise<object> {
  const root = mkdtempSync(join(tmpdir(), "croft-bench-"));
  const repository = join(root, "repository.git");
  mkdirSync(repository);
  const locks = new RepositoryLocks(join(root, "locks"));
  const alone = await timeAlone(locks, repository);
  const peerAlone = await timePeerAlone(repository);
  const handoff = await timeHandoff(locks, repository);
  const { waits: between, leastShare } = await timeProcesses(join(root, "locks"), repository);
  rmSync(root, { recursive: true });
  const ms = (value: number) => `${value.toFixed(3)} ms`;
  const row = (name: string, values: readonly number[]) =>
    [name, ...[50, 99, 100].map((percent) => ms(percentile(values, percent)))] as const;
  printTable(
    ["", "p50", "p99", "max"],
    [
      row("alone: take and release", alone),
      row("proper-lockfile, alone", peerAlone),
      row(`handed on, ${WAITERS} waiters of one process, in order`, handoff),
      row(`wait, ${PROCESSES} processes that hold ${HOLD_MS} ms`, between),
    ],
  );
  console.log(`the process served least had ${leastShare.toFixed(2)} of an equal share`);
  return {
    bench: "locks",
    uncontended_p50_ms: round(percentile(alone, 50)),
    handoff_p50_ms: round(percentile(handoff, 50)),
    handoff_p99_ms: round(percentile(handoff, 99)),
    peers: { proper_lockfile: { uncontended_p50_ms: round(percentile(peerAlone, 50)) } },
    uncontended_vs_proper_lockfile: round(percentile(alone, 50) / percentile(peerAlone, 50)),
    processes: PROCESSES,
    processes_wait_p50_ms: round(percentile(between, 50)),
    processes_wait_p99_ms: round(percentile(between, 99)),
    processes_wait_max_ms: round(percentile(between, 100)),
    processes_p99_vs_median: round(percentile(between, 99) / percentile(between, 50)),
    processes_least_share: round(leastShare),
  };
}

async function timeAlone(locks: RepositoryLocks, repository: string): Promise<number[]> {
  return await times(ALONE, () => locks.hold(repository, { purpose: "bench" }, async () => {}));
}

async function timePeerAlone(repository: string): Promise<number[]> {
  return await times(ALONE_PEER, async () => {
    const release = await lockfile.lock(repository);
    await release();
  });
}

/** From the moment one lets go until the next has it; all are in line before the first lets go. */
async function timeHandoff(locks: RepositoryLocks, repository: string): Promise<number[]> {
  const gaps: number[] = [];
  const served: number[] = [];
  let freedAt: number | undefined;
  await Promise.all(
    Array.from({ length: WAITERS }, (_, number) =>
      locks.hold(repository, { purpose: "bench" }, async () => {
        if (freedAt !== undefined) gaps.push(performance.now() - freedAt);
        served.push(number);
        await new Promise((resolve) => setTimeout(resolve, HOLD_MS));
        freedAt = performance.now();
      }),
    ),
  );
  if (served.some((number, at) => number !== at)) throw new Error(`out of order: ${served}`);
  return gaps;
}

/** What one process tells of its rounds. */
interface Rounds {
  readonly waits: readonly number[];
  /** By the clock that all processes share. */
  readonly servedAt: readonly number[];
}

async function timeProcesses(directory: string, repository: string) {
  const script = `import { RepositoryLocks } from "@croft/git";
    const [directory, repository] = process.argv.slice(1);
    const waits = [];
    const servedAt = [];
    process.stdout.write("ready ");
    await new Promise((resolve) => process.stdin.once("data", resolve)); // all begin together
    const onWaited = (ms) => {
      waits.push(ms);
      servedAt.push(performance.timeOrigin + performance.now());
    };
    const locks = new RepositoryLocks(directory, { onWaited });
    for (let round = 0; round < ${ROUNDS}; round++) {
      await locks.hold(repository, { purpose: "bench" }, () => new Promise((resolve) => setTimeout(resolve, ${HOLD_MS})));
    }
    process.stdout.write(JSON.stringify({ waits, servedAt }), () => process.exit(0));`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", script, directory, repository];
  const children = Array.from({ length: PROCESSES }, () =>
    spawn(process.execPath, args, { cwd: projectRoot, stdio: ["pipe", "pipe", "inherit"] }),
  );
  await Promise.all(children.map(firstWord));
  const outputs = children.map(async (child) => {
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    child.stdin.write("go");
    await once(child, "close");
    return JSON.parse(output) as Rounds;
  });
  const rounds = await Promise.all(outputs);
  return { waits: rounds.flatMap(({ waits }) => waits), leastShare: leastShareOf(rounds) };
}

/** Fails if the process ends without one. */
async function firstWord(child: ChildProcessByStdio<Writable, Readable, null>): Promise<void> {
  const ended = new AbortController();
  child.once("exit", () => ended.abort());
  await once(child.stdout, "data", { signal: ended.signal });
}

/** While all were at it: until the first had done its rounds. 1 is a share as large as everybody's. */
function leastShareOf(rounds: readonly Rounds[]): number {
  const firstEnd = Math.min(...rounds.map(({ servedAt }) => servedAt.at(-1) ?? 0));
  const served = rounds.map(({ servedAt }) => servedAt.filter((at) => at <= firstEnd).length);
  return (Math.min(...served) * served.length) / served.reduce((sum, count) => sum + count, 0);
}

async function times(count: number, work: () => Promise<void>): Promise<number[]> {
  const measured: number[] = [];
  for (let turn = 0; turn < count; turn++) {
    const startedAt = performance.now();
    await work();
    measured.push(performance.now() - startedAt);
  }
  return measured;
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
