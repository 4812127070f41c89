// Times a hundred overlay workspaces made at once, and weighs them: as made, and after a first `git status` in each.
import { performance } from "node:perf_hooks";
import type { Workspace } from "@croft/git";
import type { BenchRepository } from "./bench-repository.ts";
import { diskUsed } from "./disk-used.ts";

export interface Hundred {
  readonly makeMs: number[];
  readonly removeMs: number[];
  bytes: number;
  bytesAfterStatus: number;
}

const COUNT = 100;
const ROUNDS = 5;
/** More would only wait for the cores. */
const STATUS_AT_ONCE = 4;

export async function timeHundred({ git, mirror, commits }: BenchRepository): Promise<Hundred> {
  const { workspaces, directories } = git;
  const plan = {
    name: "bench",
    owner: { owner: "bench", jobId: "bench", attempt: 1 },
    kind: "overlay",
  } as const;
  const hundred: Hundred = { makeMs: [], removeMs: [], bytes: 0, bytesAfterStatus: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    const made = await Promise.all(
      Array.from({ length: COUNT }, () => workspaces.createAt(mirror, commits[0], plan)),
    );
    hundred.makeMs.push(performance.now() - startedAt);
    if (round === 0) {
      hundred.bytes = diskUsed(directories.workspaces);
      await lookAtAll(made);
      hundred.bytesAfterStatus = diskUsed(directories.workspaces);
    }
    const removedAt = performance.now();
    await Promise.all(made.map((workspace) => workspace.remove()));
    hundred.removeMs.push(performance.now() - removedAt);
    await workspaces.idle();
  }
  return hundred;
}

async function lookAtAll(made: readonly Workspace[]): Promise<void> {
  const waiting = [...made];
  const work = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await lookAt(next);
  };
  await Promise.all(Array.from({ length: STATUS_AT_ONCE }, work));
}

async function lookAt(workspace: Workspace): Promise<void> {
  const { exitCode, stdout, stderr } = await workspace.run(["git", "status", "--porcelain"]);
  if (exitCode === 0 && stdout.length === 0) return;
  throw new Error(`a fresh workspace is not clean: ${stdout} ${stderr}`);
}
