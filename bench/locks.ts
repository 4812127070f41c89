// The repository lock: alone, handed from one waiter to the next, and between four processes; beside proper-lockfile.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
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
  const between = await timeProcesses(join(root, "locks"), repository);
  rmSync(root, { recursive: true });
  const ms = (value: number) => `${value.toFixed(3)} ms`;
  printTable(
    ["", "p50", "p99"],
    [
      ["alone: take and release", ms(percentile(alone, 50)), ms(percentile(alone, 99))],
      ["proper-lockfile, alone", ms(percentile(peerAlone, 50)), ms(percentile(peerAlone, 99))],
      [
        `handed on, ${WAITERS} waiters of one process`,
        ms(percentile(handoff, 50)),
        ms(percentile(handoff, 99)),
      ],
      [
        `wait, ${PROCESSES} processes that hold ${HOLD_MS} ms`,
        ms(percentile(between, 50)),
        ms(percentile(between, 99)),
      ],
    ],
  );
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
    processes_p99_vs_median: round(percentile(between, 99) / percentile(between, 50)),
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

/** From the moment one lets go until the next has it. */
async function timeHandoff(locks: RepositoryLocks, repository: string): Promise<number[]> {
  const gaps: number[] = [];
  let freedAt: number | undefined;
  await Promise.all(
    Array.from({ length: WAITERS }, () =>
      locks.hold(repository, { purpose: "bench" }, async () => {
        if (freedAt !== undefined) gaps.push(performance.now() - freedAt);
        await new Promise((resolve) => setTimeout(resolve, HOLD_MS));
        freedAt = performance.now();
      }),
    ),
  );
  return gaps;
}

async function timeProcesses(directory: string, repository: string): Promise<number[]> {
  const script = `import { RepositoryLocks } from "@croft/git";
    const [directory, repository] = process.argv.slice(1);
    const waits = [];
    process.stdout.write("ready ");
    await new Promise((resolve) => process.stdin.once("data", resolve)); // all begin together
    const locks = new RepositoryLocks(directory, { onWaited: (ms) => waits.push(ms) });
    for (let round = 0; round < ${ROUNDS}; round++) {
      await locks.hold(repository, { purpose: "bench" }, () => new Promise((resolve) => setTimeout(resolve, ${HOLD_MS})));
    }
    process.stdout.write(JSON.stringify(waits));
    process.exit(0);`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", script, directory, repository];
  const children = Array.from({ length: PROCESSES }, () =>
    spawn(process.execPath, args, { cwd: projectRoot, stdio: ["pipe", "pipe", "inherit"] }),
  );
  await Promise.all(children.map(({ stdout }) => once(stdout, "data")));
  const outputs = children.map(async (child) => {
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    child.stdin.write("go");
    await once(child, "close");
    return JSON.parse(output) as number[];
  });
  return (await Promise.all(outputs)).flat();
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
