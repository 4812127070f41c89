// A fetch that takes a minute, while 20 callers in two processes make and remove workspaces and worktrees of the same repository.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openGit, parseRemoteUrl, USUAL_REFS } from "@croft/git";
import { findLeftovers } from "../support/find-leftovers.ts";
import { makeRepository, git as plainGit } from "../support/make-repository.ts";
import { serveGit } from "../support/serve-git.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";

const BYTES_PER_SECOND = 100_000;
const PROCESSES = 2;

/** `count` is how many seconds the fetch takes at least. */
export async function throttleFetch({
  directory,
  count,
  seed,
}: FaultOptions): Promise<FaultResult> {
  const plan = { files: 100, commits: 2, seed };
  const origin = await makeRepository(join(directory, "remotes"), "app", plan);
  const checkout = join(directory, "checkout");
  await plainGit(["clone", "--quiet", origin, checkout]);
  const server = await serveGit(join(directory, "remotes"));
  const url = server.url("app");
  const data = join(directory, "data");
  const git = await openGit({ data });
  try {
    const remote = parseRemoteUrl(url, { allowHttp: [server.host] });
    const mirror = await git.mirrors.fetch(remote, USUAL_REFS);
    await pushLarge(checkout, count * BYTES_PER_SECOND);
    const before = fetchesOf(server.requests);
    server.fault = { kind: "throttle", bytesPerSecond: BYTES_PER_SECOND };
    const slow = git.mirrors.fetch(remote, USUAL_REFS);
    const outcomes = await workMeanwhile({ data, url, checkout }, slow);
    const fetches = fetchesOf(server.requests) - before;
    const lockTimeouts = sum(outcomes, "lockTimeouts");
    const gitDirs = [mirror.gitDir, join(checkout, ".git")];
    const failures = [
      ...outcomes.flatMap(({ errors }) => errors),
      ...(fetches > 2 ? [`${fetches} fetches, where two are enough`] : []),
      ...(lockTimeouts > 0 ? [`${lockTimeouts} lock timeouts`] : []),
      ...findLeftovers(data, gitDirs),
    ];
    const figures = { fetches, workspaces: sum(outcomes, "made"), lock_timeouts: lockTimeouts };
    return { injected: count, figures, failures };
  } finally {
    await git.close();
    await server.close();
  }
}

interface Outcome {
  readonly made: number;
  readonly lockTimeouts: number;
  readonly errors: readonly string[];
}

async function workMeanwhile(
  { data, url, checkout }: { data: string; url: string; checkout: string },
  slow: Promise<unknown>,
): Promise<Outcome[]> {
  const script = join(import.meta.dirname, "git-throttle-worker.ts");
  const workers = Array.from({ length: PROCESSES }, (_, number) =>
    spawn(process.execPath, ["--import", "tsx", script, data, url, checkout, `w${number}`], {
      cwd: import.meta.dirname,
      stdio: ["pipe", "pipe", "inherit"],
    }),
  );
  const outputs = workers.map(async (worker) => {
    let output = "";
    worker.stdout.on("data", (chunk) => {
      output += chunk;
    });
    const [code] = await once(worker, "close");
    const last = output.trim().split("\n").at(-1) ?? "";
    if (code === 0 && last.startsWith("{")) return JSON.parse(last) as Outcome;
    return { made: 0, lockTimeouts: 0, errors: [`a worker ended with ${code}: ${last}`] };
  });
  await slow;
  for (const { stdin } of workers) stdin.write("over\n");
  return await Promise.all(outputs);
}

async function pushLarge(checkout: string, sizeBytes: number): Promise<void> {
  await plainGit(["checkout", "--quiet", "-b", "big"], checkout);
  await writeFile(join(checkout, "large.bin"), randomBytes(sizeBytes));
  await plainGit(["add", "large.bin"], checkout);
  await plainGit(["commit", "--quiet", "-m", "large"], checkout);
  await plainGit(["push", "--quiet", "origin", "big"], checkout);
  await plainGit(["checkout", "--quiet", "main"], checkout);
}

/** Asking for refs is one GET and one POST; a fetch has one POST more. */
function fetchesOf(requests: readonly { readonly line: string }[]): number {
  const count = (method: string) => requests.filter(({ line }) => line.startsWith(method)).length;
  return count("POST") - count("GET");
}

function sum(outcomes: readonly Outcome[], key: "made" | "lockTimeouts"): number {
  return outcomes.reduce((total, outcome) => total + outcome[key], 0);
}
