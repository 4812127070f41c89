// Files and jobs over HTTP: how soon a submission is answered, how fast a large file comes and goes, and what it costs in memory.
import { execFileSync } from "node:child_process";
import {
  closeSync,
  createReadStream,
  createWriteStream,
  fdatasync,
  mkdirSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import type { Asset, JobList } from "@croft/contract";
import { callApi } from "../test/support/call-api.ts";
import { type RunningServer, startServer } from "../test/support/croft-process.ts";
import { waitUntil } from "../test/support/wait-until.ts";
import { rssMb } from "./queue/measure-idle.ts";
import { isQuick } from "./quick.ts";
import { withScratch } from "./scratch.ts";
import { median, percentile, printTable } from "./table.ts";
import { judgeTargets } from "./targets.ts";

const syncData = promisify(fdatasync);
const FILE_BYTES = (isQuick ? 50 : 500) * 1_000_000;
const ROUNDS = isQuick ? 3 : 5;
const SUBMITS_PER_S = 100;
const SUBMIT_SECONDS = isQuick ? 5 : 30;
const SYNC_SECONDS = isQuick ? 2 : 10;
const SETTLE_MS = 3000;
const SAMPLE_EVERY_MS = 50;
const END_CEILING_MS = 300_000;
/** In a process beside the server, as every handler. */
const PROJECT = `import { defineConfig, defineHandler, z } from "croft";
export default defineConfig({ handlers: { nothing: defineHandler({ input: z.looseObject({}), run: async () => {} }) } });`;

export async function benchAssets(): Promise<object> {
  return await withScratch(async (scratch) => {
    const cwd = join(scratch.path, "project");
    mkdirSync(cwd);
    writeFileSync(join(cwd, "croft.config.ts"), PROJECT);
    const busy = await startServer(join(scratch.path, "data"), { cwd });
    scratch.atEnd(() => busy.stop());
    await delay(SETTLE_MS);
    const submitMs = await submitSteadily(busy);
    await busy.stop();
    const diskMs = await syncSteadily(join(scratch.path, "synced"));
    // Another one: in the memory that thousands of jobs have left a file would cost nothing.
    const env = { CROFT_ASSETS_UPLOAD_MAX_BYTES: String(2 * FILE_BYTES) };
    const server = await startServer(join(scratch.path, "files"), { env });
    scratch.atEnd(() => server.stop());
    await delay(SETTLE_MS);
    const file = join(scratch.path, "file");
    const rssBeforeMb = rssMb(server.pid);
    let rssMaxMb = rssBeforeMb;
    const sampling = setInterval(() => {
      rssMaxMb = Math.max(rssMaxMb, rssMb(server.pid));
    }, SAMPLE_EVERY_MS);
    scratch.atEnd(async () => clearInterval(sampling));
    const rounds: Round[] = [];
    for (let nth = 0; nth < ROUNDS; nth++) {
      makeFile(file, nth);
      rounds.push(await measureRound(server, file));
    }
    return report({ submitMs, diskMs }, rounds, { rssBeforeMb, rssMaxMb });
  });
}

/** The answers are measured while the worker of the server runs the jobs, as it does in life. */
async function submitSteadily(server: RunningServer): Promise<number[]> {
  const body = JSON.stringify({ type: "nothing", input: {} });
  const headers = {
    authorization: `Bearer ${server.token}`,
    "content-type": "application/json",
  };
  const submit = async () => {
    const begunAt = performance.now();
    const response = await fetch(`${server.url}/api/jobs`, { method: "POST", headers, body });
    await response.arrayBuffer();
    if (response.status !== 202) throw new Error(`a submission was answered ${response.status}`);
    return performance.now() - begunAt;
  };
  for (let nth = 0; nth < SUBMITS_PER_S; nth++) await submit(); // connections, plans, compiled code
  const begunAt = performance.now();
  const answers: Promise<number>[] = [];
  for (let nth = 0; nth < SUBMITS_PER_S * SUBMIT_SECONDS; nth++) {
    await delay(Math.max(0, begunAt + (nth * 1000) / SUBMITS_PER_S - performance.now()));
    answers.push(submit());
  }
  const taken = await Promise.all(answers);
  await requireDone(server, SUBMITS_PER_S * (SUBMIT_SECONDS + 1), begunAt);
  return taken;
}

/** Had they not run, the answers would have had the machine for themselves. */
async function requireDone(server: RunningServer, count: number, begunAt: number): Promise<void> {
  const isAny = async (status: string) => {
    const path = `/api/jobs?limit=1&status=${status}`;
    return (await callApi<JobList>(server, "GET", path)).jobs.length > 0;
  };
  const isOver = async () => !(await isAny("queued")) && !(await isAny("running"));
  await waitUntil("the end of all jobs", isOver, END_CEILING_MS);
  if (await isAny("failed")) throw new Error("a job that does nothing has failed");
  const seconds = (performance.now() - begunAt) / 1000;
  process.stdout.write(`${count} jobs were run, the last one after ${seconds.toFixed(1)} s\n`);
}

/** The least that a durable answer costs on this disk: what the submissions are to be seen against. */
async function syncSteadily(path: string): Promise<number[]> {
  const file = openSync(path, "w");
  const piece = Buffer.alloc(8192, 1);
  const begunAt = performance.now();
  const taken: Promise<number>[] = [];
  for (let nth = 0; nth < SUBMITS_PER_S * SYNC_SECONDS; nth++) {
    await delay(Math.max(0, begunAt + (nth * 1000) / SUBMITS_PER_S - performance.now()));
    const at = performance.now();
    writeSync(file, piece, 0, piece.length, nth * piece.length);
    taken.push(syncData(file).then(() => performance.now() - at));
  }
  const all = await Promise.all(taken);
  closeSync(file);
  return all;
}

interface Round {
  readonly putMs: number;
  readonly getMs: number;
  readonly cpMs: number;
  readonly cpShaMs: number;
}

/** The same file on the same disk, one after the other, each of them on disk for good. */
async function measureRound(server: RunningServer, file: string): Promise<Round> {
  const copy = `${file}.copy`;
  const time = async (work: () => unknown) => {
    const begunAt = performance.now();
    await work();
    return performance.now() - begunAt;
  };
  const cp = () => execFileSync("sh", ["-c", 'cp "$1" "$2" && sync "$2"', "-", file, copy]);
  const cpShaMs = await time(() => {
    cp();
    execFileSync("sha256sum", [copy]);
  });
  rmSync(copy);
  let id = "";
  const putMs = await time(async () => {
    id = (await put(server, file)).id;
  });
  const cpMs = await time(cp);
  rmSync(copy);
  const getMs = await time(async () => {
    await get(server, id, copy);
    execFileSync("sync", [copy]);
  });
  execFileSync("cmp", [file, copy]);
  rmSync(copy);
  return { putMs, getMs, cpMs, cpShaMs };
}

async function put({ url, token }: RunningServer, file: string): Promise<Asset> {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/octet-stream",
    "content-length": FILE_BYTES,
  };
  const asked = request(`${url}/api/assets?name=large`, { method: "POST", headers });
  const answered = new Promise<string>((resolve, reject) => {
    asked.once("error", reject);
    asked.once("response", async (response) => {
      let text = "";
      for await (const chunk of response.setEncoding("utf8")) text += chunk;
      if (response.statusCode === 201) resolve(text);
      else reject(new Error(`an upload was answered ${response.statusCode} ${text}`));
    });
  });
  await pipeline(createReadStream(file, { highWaterMark: 1024 * 1024 }), asked);
  return JSON.parse(await answered) as Asset;
}

async function get({ url, token }: RunningServer, id: string, path: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  await new Promise<void>((resolve, reject) => {
    const asked = request(`${url}/api/assets/${id}/content`, { headers }, (response) => {
      pipeline(response, createWriteStream(path, { highWaterMark: 1024 * 1024 })).then(
        resolve,
        reject,
      );
    });
    asked.once("error", reject);
    asked.end();
  });
}

/** Another in each round: the same would be stored already. */
function makeFile(path: string, seed: number): void {
  rmSync(path, { force: true });
  const file = openSync(path, "w");
  const piece = Buffer.alloc(1_000_000);
  for (let at = 0; at < piece.length; at += 4)
    piece.writeUInt32LE(Math.imul(at + seed, 2654435761) >>> 0, at);
  for (let at = 0; at < FILE_BYTES; at += piece.length) {
    piece.writeUInt32LE(at / piece.length, 0);
    writeSync(file, piece);
  }
  execFileSync("sync", [path]);
}

function report(
  {
    submitMs,
    diskMs,
  }: { readonly submitMs: readonly number[]; readonly diskMs: readonly number[] },
  rounds: readonly Round[],
  { rssBeforeMb, rssMaxMb }: { readonly rssBeforeMb: number; readonly rssMaxMb: number },
): object {
  const of = (key: keyof Round) => median(rounds.map((round) => round[key]));
  const speed = (ms: number) => `${(FILE_BYTES / 1000 / ms).toFixed(0)} MB/s`;
  const two = (value: number) => Math.round(value * 100) / 100;
  const figures = {
    submit_p99_ms: two(percentile(submitMs, 99)),
    put_vs_cp_sha: two(of("cpShaMs") / of("putMs")),
    get_vs_cp: two(of("cpMs") / of("getMs")),
    get_vs_cp_sha: two(of("cpShaMs") / of("getMs")),
    rss_growth_mb: two(rssMaxMb - rssBeforeMb),
  };
  printTable(
    ["", "put", "cp + sha256sum", "get", "cp", "RSS before", "RSS at most"],
    [
      [
        `${FILE_BYTES / 1e6} MB, median of ${rounds.length}`,
        ...[of("putMs"), of("cpShaMs"), of("getMs"), of("cpMs")].map(speed),
        ...[rssBeforeMb, rssMaxMb].map((value) => `${value.toFixed(0)} MB`),
      ],
    ],
  );
  const times = (ms: readonly number[]) =>
    [50, 99, 100].map((percent) => `${percentile(ms, percent).toFixed(1)} ms`).join(", ");
  process.stdout.write(`POST /api/jobs at ${SUBMITS_PER_S}/s: p50, p99, max ${times(submitMs)}\n`);
  process.stdout.write(`the disk alone, 8 KiB and fdatasync at as many: ${times(diskMs)}\n`);
  process.stdout.write("each time until the bytes are on disk, also those of cp\n\n");
  judgeTargets([
    { name: "POST /api/jobs, p99", measured: figures.submit_p99_ms, most: 20, unit: "ms" },
    { name: "put, by cp + sha256sum", measured: figures.put_vs_cp_sha, least: 0.5, unit: "×" },
    { name: "get, by cp + sha256sum", measured: figures.get_vs_cp_sha, least: 0.5, unit: "×" },
    { name: "growth of memory", measured: figures.rss_growth_mb, most: 60, unit: "MB" },
  ]);
  return { bench: "assets", ...figures };
}
