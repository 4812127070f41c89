// A checkout for a job, by Croft and by the usual ways: time to make and remove it, and its disk, as repositories grow.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openGit } from "@croft/git";
import { serveGit } from "../test/support/serve-git.ts";
import {
  type BenchParts,
  type BenchRepository,
  makeBenchRepository,
} from "./workspaces/bench-repository.ts";
import { openFreshDisk } from "./workspaces/fresh-disk.ts";
import { type Measurements, noMeasurements } from "./workspaces/measurements.ts";
import { ofSize } from "./workspaces/of-size.ts";
import { reportWorkspaces } from "./workspaces/report-workspaces.ts";
import { timeHundred } from "./workspaces/time-hundred.ts";
import { timeTemplates } from "./workspaces/time-templates.ts";
import { type Made, timeMaking, timeOverlays, timeRemoving } from "./workspaces/time-ways.ts";

/** How often what takes long is tried: a few minutes in all on two cores. */
const SIZES = [
  { files: 1000, templateRounds: 3, rounds: 10 },
  { files: 10_000, templateRounds: 3, rounds: 3 },
  { files: 30_000, templateRounds: 3, rounds: 5 },
  { files: 100_000, templateRounds: 1, rounds: 3 },
];
const HUNDRED_FILES = 30_000;

export async function benchWorkspaces(): Promise<object> {
  const disk = openFreshDisk();
  try {
    return await measureOn(disk.path);
  } finally {
    disk.remove();
  }
}

async function measureOn(root: string): Promise<object> {
  const remotes = join(root, "remotes");
  mkdirSync(remotes);
  const server = await serveGit(remotes);
  const git = await openGit({ data: join(root, "data") });
  try {
    const { overlay } = git.platform;
    if (!overlay.isPossible) throw new Error(`no overlay on this machine: ${overlay.reason}`);
    return await measure({ root, remotes, server, git });
  } finally {
    for (const entry of await git.ledger.list()) await git.workspaces.removeEntry(entry, true);
    await git.close();
    await server.close();
  }
}

async function measure(parts: BenchParts): Promise<object> {
  const all = new Map<BenchRepository, Measurements>();
  for (const { files, templateRounds } of SIZES) {
    const repository = await makeBenchRepository(parts, files);
    const measurements = noMeasurements(files);
    all.set(repository, measurements);
    await timeTemplates(repository, measurements, templateRounds);
  }
  await timeOverlays(all);
  const hundred = await timeHundred(ofSize(HUNDRED_FILES, [...all.keys()]));
  const made: Made[][] = [];
  for (const [repository, measurements] of all) {
    const { rounds } = ofSize(repository.files, SIZES);
    made.push(await timeMaking(repository, measurements, rounds));
  }
  for (const some of made) await timeRemoving(some);
  return reportWorkspaces([...all.values()], hundred);
}
