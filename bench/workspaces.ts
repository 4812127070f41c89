// A checkout for a job, by Croft and by the usual ways: time to make and remove it, and its disk, as repositories grow.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openGit } from "@croft/git";
import { serveGit } from "../test/support/serve-git.ts";
import {
  type BenchParts,
  type BenchRepository,
  makeBenchRepository,
} from "./workspaces/bench-repository.ts";
import { type Measurements, noMeasurements } from "./workspaces/measurements.ts";
import { reportWorkspaces } from "./workspaces/report-workspaces.ts";
import { timeHundred } from "./workspaces/time-hundred.ts";
import { timeTemplates } from "./workspaces/time-templates.ts";
import { timeOverlays, timeSlowWays } from "./workspaces/time-ways.ts";

/** How often the slow ways are tried, by the number of files: a few minutes in all on two cores. */
const ROUNDS = new Map([
  [1000, 15],
  [10_000, 7],
  [30_000, 7],
  [100_000, 3],
]);
const TEMPLATE_ROUNDS = 3;
const HUNDRED_FILES = 30_000;
const HUNDRED_ROUNDS = 5;

export async function benchWorkspaces(): Promise<object> {
  const root = mkdtempSync(join(tmpdir(), "croft-bench-"));
  chmodSync(root, 0o711); // jobs have a user of their own
  const remotes = join(root, "remotes");
  mkdirSync(remotes);
  const server = await serveGit(remotes);
  const git = await openGit({ data: join(root, "data") });
  try {
    const { overlay } = git.platform;
    if (!overlay.isPossible) throw new Error(`no overlay on this machine: ${overlay.reason}`);
    return await measure({ root, remotes, server, git });
  } finally {
    await git.close();
    await server.close();
    rmSync(root, { recursive: true, force: true });
  }
}

async function measure(parts: BenchParts): Promise<object> {
  const all = new Map<BenchRepository, Measurements>();
  for (const files of ROUNDS.keys()) {
    all.set(await makeBenchRepository(parts, files), noMeasurements(files));
  }
  for (const [repository, measurements] of all) {
    await timeTemplates(repository, measurements, TEMPLATE_ROUNDS);
  }
  await timeOverlays(all);
  const many = [...all.keys()].find(({ files }) => files === HUNDRED_FILES);
  if (many === undefined) throw new Error(`no repository of ${HUNDRED_FILES} files`);
  const hundred = await timeHundred(many, HUNDRED_ROUNDS);
  for (const [repository, measurements] of all) {
    await timeSlowWays(repository, measurements, ROUNDS.get(repository.files) ?? 1);
  }
  return reportWorkspaces([...all.values()], hundred);
}
