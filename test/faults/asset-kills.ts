// SIGKILL of the server and of a worker while files are uploaded, removed and made by jobs: what is seen is whole, and nothing is left.
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Asset, AssetList } from "@croft/contract";
import { checkAssets, type Engine, loadConfig, openEngine, sweepAssets } from "@croft/engine";
import { callApi } from "../support/call-api.ts";
import { type RunningServer, startServer } from "../support/croft-process.ts";
import { filesIn } from "../support/files-in.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { silentLog } from "../support/silent-log.ts";
import { waitUntil } from "../support/wait-until.ts";
import { AssetUploaders } from "./asset-uploaders.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";
import { hashOf } from "./numbered-contents.ts";
import { PersistentSubmitter } from "./persistent-submitter.ts";
import {
  embeddedDatabaseUrl,
  type QueueWorker,
  startQueueWorker,
  stopQueueWorkers,
} from "./queue-processes.ts";

const CLIENTS = 3;
const BETWEEN_MS_MAX = 300;
const BETWEEN_UPLOADS = 4;
const FILES_A_JOB = 3;
const END_CEILING_MS = 120_000;
const FLAGS = { "worker.slots": "3", "job.maxLost": "1000" };
const ENVIRONMENT = { CROFT_JOB_MAX_LOST: "1000", CROFT_WORKER_SLOTS: "1" };

interface Scene {
  readonly data: string;
  server: RunningServer;
  worker: QueueWorker;
}

export async function killDuringAssets(options: FaultOptions): Promise<FaultResult> {
  const { seed, count, directory } = options;
  const random = seededRandom(seed);
  const data = join(directory, "data");
  const startWorker = () => startQueueWorker({ ...placeOf(data), data, flags: FLAGS });
  const server = await startServer(data, { env: ENVIRONMENT });
  const scene: Scene = { data, server, worker: startWorker() };
  const failures: string[] = [];
  const figures = { server_kills: 0, worker_kills: 0 };
  const injected = () => figures.server_kills + figures.worker_kills;
  const uploaders = new AssetUploaders(() => scene.server, seededRandom(seed + 1), CLIENTS);
  const submitter = new PersistentSubmitter({
    server: () => scene.server,
    random: seededRandom(seed + 2),
    jobOf: (number) => ({ type: "files", input: { numbers: numbersOf(number) } }),
    pauseMs: 150,
  });
  try {
    while (injected() < count && failures.length + uploaders.failures.length === 0) {
      const before = uploaders.acknowledged;
      const isAtWork = () =>
        uploaders.acknowledged - before >= BETWEEN_UPLOADS || uploaders.failures.length > 0;
      await waitUntil("some uploads", isAtWork, END_CEILING_MS); // however busy the machine is
      await delay(random.below(BETWEEN_MS_MAX));
      if (random.below(3) === 0) {
        scene.worker.child.kill("SIGKILL");
        await scene.worker.exit;
        scene.worker = startWorker();
        figures.worker_kills++;
      } else {
        scene.server.child.kill("SIGKILL");
        await scene.server.exit;
        scene.server = await startServer(data, { env: ENVIRONMENT });
        figures.server_kills++;
      }
    }
    await uploaders.end();
    await submitter.end();
    failures.push(...(await judge(scene, uploaders)));
  } catch (error) {
    failures.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  await Promise.allSettled([uploaders.end(), submitter.end()]);
  failures.push(...uploaders.failures, ...submitter.failures);
  await scene.worker.ready.catch((error: Error) => failures.push(error.message));
  failures.push(...(await stopQueueWorkers([scene.worker])));
  const code = await scene.server.stop();
  if (code !== 0) failures.push(`the server ended with ${code}: ${scene.server.output()}`);
  const work = { uploads: uploaders.acknowledged, removed: uploaders.removed.size };
  const told = { cut_off: uploaders.cutOff, jobs: submitter.acknowledged.size };
  return { injected: injected(), figures: { ...figures, ...work, ...told }, failures };
}

/** Below those of the uploads, and some of them the same. */
function numbersOf(job: number): number[] {
  return Array.from({ length: FILES_A_JOB }, (_, nth) => job * FILES_A_JOB + nth);
}

function placeOf(data: string) {
  return { databaseUrl: embeddedDatabaseUrl(join(data, "postgres/socket")) };
}

async function judge(scene: Scene, uploaders: AssetUploaders): Promise<string[]> {
  const { config } = await loadConfig({
    flags: { data: scene.data, ...FLAGS },
    env: { DATABASE_URL: placeOf(scene.data).databaseUrl },
    ...{ directory: scene.data, uid: process.getuid?.(), home: scene.data },
  });
  const engine = await openEngine({ config, log: silentLog, version: "test", role: "worker" });
  try {
    const jobs = await judgeJobs(engine);
    return [
      ...jobs,
      ...(await judgeVisible(scene, uploaders)),
      ...(await judgeStore(engine, scene.data)),
    ];
  } finally {
    await engine.close();
  }
}

/** Each is done, and has its files once. */
async function judgeJobs({ database: { pool } }: Engine): Promise<string[]> {
  const open = "select from croft.job where status in ('queued', 'running') limit 1";
  const isOver = async () => (await pool.query(open)).rowCount === 0;
  await waitUntil("the end of all jobs", isOver, END_CEILING_MS);
  const { rows } = await pool.query<{
    id: string;
    status: string;
    names: string[];
    wanted: string[];
  }>(
    `select j.id, j.status, array(select name from croft.asset a where a.job_id = j.id order by name::int) as names,
       array(select jsonb_array_elements_text(j.input -> 'numbers')) as wanted
     from croft.job j where j.type = 'files'`,
  );
  return rows
    .filter(({ status, names, wanted }) => status !== "done" || names.join() !== wanted.join())
    .map(({ id, status, names }) => `job ${id} is ${status} and has ${names}`);
}

/** Every asset that anybody can see has the bytes that its name says; what was acknowledged is there, or gone. */
async function judgeVisible({ server }: Scene, uploaders: AssetUploaders): Promise<string[]> {
  const seen = new Map<string, Asset>();
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const page: AssetList = await callApi(server, "GET", `/api/assets?limit=200${query}`);
    for (const asset of page.assets) seen.set(asset.id, asset);
    cursor = page.next_cursor;
  }
  const failures: string[] = [];
  for (const { id, name, sha256, bytes } of seen.values()) {
    const response = await fetch(`${server.url}/api/assets/${id}/content`, {
      headers: { authorization: `Bearer ${server.token}` },
    });
    const contents = Buffer.from(await response.arrayBuffer());
    const hash = createHash("sha256").update(contents).digest("hex");
    const isWhole = response.ok && hash === hashOf(Number(name));
    if (!isWhole || sha256 !== hash || bytes !== contents.length)
      failures.push(`asset ${id} (${name}) has other bytes: ${response.status} ${contents.length}`);
  }
  for (const id of uploaders.kept.keys()) if (!seen.has(id)) failures.push(`upload ${id} is lost`);
  for (const id of uploaders.removed) if (seen.has(id)) failures.push(`${id} is there again`);
  return failures;
}

/** When all claims are over: one file for each that assets have, one row for each file, the right sum, nothing half made. */
async function judgeStore({ assets, database: { pool } }: Engine, data: string): Promise<string[]> {
  await pool.query("update croft.asset_claim set until = croft.now() where until is not null");
  await pool.query("update croft.asset_removal set due_at = croft.now()"); // of sweeps that were killed
  await sweepAssets(assets);
  const { unknown, missing } = await checkAssets(assets);
  const root = join(data, "assets");
  const files = filesIn(root).map((name) => name.replace(/\..*$/, ""));
  const hashes = async (table: string) => {
    const text = `select distinct encode(sha256, 'hex') as sha256 from croft.${table} order by 1`;
    return (await pool.query<{ sha256: string }>(text)).rows.map(({ sha256 }) => sha256);
  };
  const { rows } = await pool.query<{ wrong: boolean }>(
    `select (select bytes from croft.asset_usage)
       is distinct from (select coalesce(sum(bytes), 0) from croft.asset_file) as wrong`,
  );
  const wanted = (await hashes("asset")).join();
  return [
    ...unknown.map((sha256) => `file ${sha256} had no row`),
    ...missing.map((sha256) => `the file of ${sha256} is missing`),
    ...(files.join() === wanted ? [] : ["files and assets differ after the sweep"]),
    ...((await hashes("asset_file")).join() === wanted ? [] : ["rows and assets differ"]),
    ...(await hashes("asset_removal")).map(
      (sha256) => `${sha256} was given up, and is not removed`,
    ),
    ...(rows[0]?.wrong === false ? [] : ["the sum of bytes is wrong"]),
    ...readdirSync(join(root, "staging")).map((name) => `${name} is left half made`),
  ];
}
