// What changed between two commits: asked of the mirror, and found by reading and hashing all files of a checkout.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Git, openGit, parseRemoteUrl, USUAL_REFS } from "@croft/git";
import { makeRepository, git as plainGit } from "../../test/support/make-repository.ts";
import { median } from "../table.ts";
import type { DiffPlan, DiffTimes } from "./diff-process.ts";

export interface ChangeTimes {
  readonly diffMs: number;
  readonly scanMs: number;
}

const SCAN_ROUNDS = 3;
const run = promisify(execFile);

interface Changed {
  readonly files: number;
  readonly bare: string;
  readonly from: string;
  readonly to: string;
  readonly checkout: string;
}

export async function timeChanges(
  directory: string,
  { sizes, changed }: { readonly sizes: readonly number[]; readonly changed: number },
): Promise<ReadonlyMap<number, ChangeTimes>> {
  const data = join(directory, "data");
  const git = await openGit({ data });
  const all: Changed[] = [];
  for (const files of sizes) all.push(await makeChanged(git, directory, { files, changed }));
  await git.close();
  const plan: DiffPlan = { data, repositories: all };
  const script = join(import.meta.dirname, "diff-process.ts");
  const args = ["--import", "tsx", script, JSON.stringify(plan)];
  const { stdout } = await run(process.execPath, args, { cwd: import.meta.dirname });
  const { medianMs, found } = JSON.parse(stdout) as DiffTimes;
  const times = new Map<number, ChangeTimes>();
  for (const [index, each] of all.entries()) {
    const { scanMs, paths } = await timeScan(each);
    const told = [...(found[index] ?? [])];
    if (told.length === 0 || told.sort().join() !== [...paths].sort().join()) {
      throw new Error("the mirror and the scan disagree about what has changed");
    }
    times.set(each.files, { diffMs: medianMs[index] ?? Number.NaN, scanMs });
  }
  return times;
}

async function makeChanged(
  git: Git,
  directory: string,
  { files, changed }: { readonly files: number; readonly changed: number },
): Promise<Changed> {
  const plan = { files, commits: 1, changesPerCommit: changed, seed: files };
  const bare = await makeRepository(directory, `docs-${files}`, plan);
  await git.mirrors.fetch(parseRemoteUrl(bare, { allowLocal: true }), USUAL_REFS);
  const ids = await plainGit(["--git-dir", bare, "rev-list", "--reverse", "main"]);
  const [from = "", to = ""] = ids.split("\n");
  const checkout = join(directory, `checkout-${files}`);
  await plainGit(["clone", "--quiet", bare, checkout]);
  return { files, bare, from, to, checkout };
}

async function timeScan({ checkout, from, to }: Changed) {
  await plainGit(["-C", checkout, "checkout", "--quiet", from]);
  const before = scan(checkout, new Map()).hashes;
  await plainGit(["-C", checkout, "checkout", "--quiet", to]);
  const times: number[] = [];
  let paths: readonly string[] = [];
  for (let round = 0; round < SCAN_ROUNDS; round++) {
    const startedAt = performance.now();
    paths = scan(checkout, before).changed;
    times.push(performance.now() - startedAt);
  }
  return { scanMs: median(times), paths };
}

/** As one does without git: every file is read and hashed, and compared with what was known of it. */
function scan(root: string, known: ReadonlyMap<string, string>) {
  const hashes = new Map<string, string>();
  const changed: string[] = [];
  const visit = (directory: string) => {
    for (const name of readdirSync(join(root, directory))) {
      if (directory === "" && name === ".git") continue;
      const path = directory === "" ? name : `${directory}/${name}`;
      if (lstatSync(join(root, path)).isDirectory()) {
        visit(path);
        continue;
      }
      const hash = createHash("sha256")
        .update(readFileSync(join(root, path)))
        .digest("hex");
      hashes.set(path, hash);
      if (known.get(path) !== hash) changed.push(path);
    }
  };
  visit("");
  return { hashes, changed };
}
