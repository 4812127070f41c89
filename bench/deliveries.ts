// How fast apps are told: all files of a large repository at its first sync, and many messages of one file each.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { addWatch, isToldOf, onboard } from "../test/support/call-api.ts";
import { startServer } from "../test/support/croft-process.ts";
import { git, makeRepository } from "../test/support/make-repository.ts";
import { serveGit } from "../test/support/serve-git.ts";
import { waitUntil } from "../test/support/wait-until.ts";
import { countingReceiver } from "./counting-receiver.ts";
import { amount } from "./quick.ts";
import { type Scratch, withScratch } from "./scratch.ts";
import { printTable } from "./table.ts";
import { judgeTargets } from "./targets.ts";

const FIRST_SYNC_FILES = amount(30_000);
const SINGLE_FILES = amount(10_000);
const SETTLE_MS = 3000;
const SAMPLE_EVERY_MS = 25;
const CEILING_MS = 300_000;

interface Told {
  readonly files: number;
  /** From the wish to watch, with the fetch of the mirror, to the last answer. */
  readonly totalMs: number;
  /** From the first message to the last answer. */
  readonly sendingMs: number;
  readonly messages: number;
  readonly rssBeforeMb: number;
  readonly rssMaxMb: number;
}

export async function benchDeliveries(): Promise<object> {
  return await withScratch(async (scratch) => {
    const first = await tell(scratch, "first", { files: FIRST_SYNC_FILES, perMessage: 100 });
    const single = await tell(scratch, "single", { files: SINGLE_FILES, perMessage: 1 });
    return report(first, single);
  });
}

async function tell(
  scratch: Scratch,
  name: string,
  { files, perMessage }: { readonly files: number; readonly perMessage: number },
): Promise<Told> {
  const remotes = join(scratch.path, `${name}-remotes`);
  const bare = await makeRepository(remotes, "docs", { files });
  const commit = await git(["--git-dir", bare, "rev-parse", "main"]);
  const remote = await serveGit(remotes);
  scratch.atEnd(() => remote.close());
  const receiver = await countingReceiver(scratch);
  const server = await startServer(join(scratch.path, `${name}-data`), {
    env: {
      CROFT_ALLOW_PRIVATE: `${remote.host},${receiver.host}`,
      CROFT_DELIVERIES_FILES: String(perMessage),
      CROFT_LOG_LEVEL: "warn",
    },
  });
  scratch.atEnd(() => server.stop());
  const app = await onboard(server, name, receiver.url);
  await delay(SETTLE_MS);
  const rssBeforeMb = rssMb(server.pid);
  let rssMaxMb = rssBeforeMb;
  const sampling = setInterval(() => {
    rssMaxMb = Math.max(rssMaxMb, rssMb(server.pid));
  }, SAMPLE_EVERY_MS);
  const startedAt = performance.now();
  const watch = await addWatch(server, app, { url: remote.url("docs") });
  await waitUntil("all files", () => receiver.files() >= files, CEILING_MS);
  clearInterval(sampling);
  const { firstAt, lastAt } = receiver.times();
  await waitUntil("their end", () => isToldOf(server, watch.id, commit), CEILING_MS);
  if (receiver.files() !== files) throw new Error(`${receiver.files()} files came, not ${files}`);
  const times = { totalMs: lastAt - startedAt, sendingMs: lastAt - firstAt };
  return { files, ...times, messages: receiver.messages(), rssBeforeMb, rssMaxMb };
}

/** Of the process alone: git's own memory is git's. */
function rssMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024) / 1e6;
}

function report(first: Told, single: Told): object {
  const rowOf = (title: string, told: Told) => [
    ...[title, String(told.messages), `${Math.round(told.totalMs)} ms`],
    ...[`${Math.round(told.sendingMs)} ms`, `${Math.round(perS(told.files, told.totalMs))} /s`],
    `${Math.round(told.rssBeforeMb)} → ${Math.round(told.rssMaxMb)} MB`,
  ];
  printTable(
    ["", "messages", "with the fetch", "sending", "files", "memory"],
    [
      rowOf(`first sync of ${first.files} files`, first),
      rowOf(`${single.files} messages of one file`, single),
    ],
  );
  const growth = ({ rssBeforeMb, rssMaxMb }: Told) => rssMaxMb - rssBeforeMb;
  const figures = {
    first_sync_files_per_s: Math.round(perS(first.files, first.totalMs)),
    single_per_s: Math.round(perS(single.messages, single.sendingMs)),
    rss_growth_mb: Math.round(Math.max(growth(first), growth(single))),
  };
  judgeTargets([
    {
      ...{ name: "first sync", measured: figures.first_sync_files_per_s },
      ...{ least: 3000, unit: "files/s" },
    },
    { name: "messages of one file", measured: figures.single_per_s, least: 500, unit: "/s" },
    { name: "memory growth", measured: figures.rss_growth_mb, most: 100, unit: "MB" },
  ]);
  return { bench: "deliveries", ...figures };
}

function perS(count: number, ms: number): number {
  return count / (ms / 1000);
}
