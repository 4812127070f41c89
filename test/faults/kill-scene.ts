// A real server with workers beside it, at work on jobs that keep coming in over HTTP, for tests that kill what they want.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { checkIdleQueue } from "../support/check-queue.ts";
import { type RunningServer, startServer } from "../support/croft-process.ts";
import { findLeftovers } from "../support/find-leftovers.ts";
import { makeRepository } from "../support/make-repository.ts";
import { type SeededRandom, seededRandom } from "../support/seeded-random.ts";
import { waitUntil } from "../support/wait-until.ts";
import { PersistentSubmitter } from "./persistent-submitter.ts";
import {
  embeddedDatabaseUrl,
  type QueueWorker,
  startQueueWorker,
  stopQueueWorkers,
} from "./queue-processes.ts";

const WORKERS = 3;
/** For whoever ends what a killed worker left, and then itself. */
const LEAVE_WITHIN_MS = 15_000;
const LANES = 12;
const FLAGS = { "worker.slots": "4", "git.allowLocal": "true", "job.maxLost": "1000" };
const SERVER_ENVIRONMENT = {
  CROFT_WORKER_SLOTS: "2",
  CROFT_GIT_ALLOW_LOCAL: "true",
  CROFT_JOB_MAX_LOST: "1000",
};
/** Of the acceptance: while another worker lives, and when there was none. */
const TAKEOVER_MS_MAX = 15_000;
const ALONE_MS_MAX = 5000;
const END_CEILING_MS = 120_000;

export class KillScene {
  readonly data: string;
  readonly random: SeededRandom;
  readonly failures: string[] = [];
  readonly pool: pg.Pool;
  readonly workers: QueueWorker[] = [];
  server: RunningServer;
  readonly #submitter: PersistentSubmitter;
  readonly #databaseUrl: string;
  readonly #pending = new Set<Promise<void>>();
  #serverIsUp = true;
  readonly #repository: string;

  private constructor(data: string, server: RunningServer, repository: string, seed: number) {
    this.data = data;
    this.server = server;
    this.random = seededRandom(seed);
    this.#repository = repository;
    this.#databaseUrl = embeddedDatabaseUrl(join(data, "postgres/socket"));
    this.pool = new pg.Pool({ connectionString: this.#databaseUrl, max: 4 });
    this.pool.on("error", () => {}); // its server may be killed: the query that follows opens another
    this.pool.on("connect", (client) => client.on("error", () => {})); // its query fails with it
    for (let number = 0; number < WORKERS; number++) this.workers.push(this.#startWorker());
    this.#submitter = new PersistentSubmitter({
      server: () => this.server,
      random: seededRandom(seed + 1),
      jobOf: (number) => this.#jobOf(number),
      pauseMs: 250,
    });
  }

  static async open(directory: string, seed: number): Promise<KillScene> {
    const data = join(directory, "data");
    const repository = await makeRepository(join(directory, "remotes"), "app", { files: 5, seed });
    const server = await startServer(data, { env: SERVER_ENVIRONMENT });
    const scene = new KillScene(data, server, repository, seed);
    await Promise.all(scene.workers.map(({ ready }) => ready));
    return scene;
  }

  /** One worker, which is started again at once; others live. */
  async killWorker(number: number): Promise<void> {
    const victim = this.workers[number];
    if (victim === undefined) throw new Error(`there is no worker ${number}`);
    victim.child.kill("SIGKILL");
    await victim.exit;
    this.#expectTakeover([victim.pid], TAKEOVER_MS_MAX);
    this.workers[number] = this.#startWorker();
  }

  /** False: it is still starting. Its database goes on. */
  async killServer(): Promise<boolean> {
    if (!this.#serverIsUp) return false;
    this.server.child.kill("SIGKILL");
    await this.server.exit;
    this.#expectTakeover([this.server.pid], TAKEOVER_MS_MAX);
    this.#later("a server does not start again", this.#startServer());
    return true;
  }

  /** Nobody is left to take over until the server is there again, alone at first. */
  async killAll(): Promise<boolean> {
    if (!this.#serverIsUp) return false;
    const victims = [this.server, ...this.workers];
    for (const { child } of victims) child.kill("SIGKILL");
    await Promise.all(victims.map(({ exit }) => exit));
    await this.#startServer();
    this.#expectTakeover(
      victims.map(({ pid }) => pid),
      ALONE_MS_MAX,
    );
    await this.settled();
    for (const number of this.workers.keys()) this.workers[number] = this.#startWorker();
    return true;
  }

  /** All takeovers and starts that are still to be seen. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  /** Everything comes to its end; then nothing may be left. */
  async finish(): Promise<Record<string, number>> {
    try {
      await this.settled();
      await this.#submitter.end();
      await this.#untilNone("croft.job where status in ('queued', 'running')");
      for (const { ready } of this.workers) await ready;
      this.failures.push(...(await stopQueueWorkers(this.workers)));
      await this.#stopServer();
      await this.#startServer();
      // A last command, so that somebody certainly looks for workspaces of the dead.
      const input = { repository: this.#repository, command: "true" };
      await this.#submitter.submit({ type: "command", input });
      await this.#untilNone("croft.job where status in ('queued', 'running')");
      await this.#untilNone("croft.workspace");
      this.failures.push(...(await this.#judge()));
    } catch (error) {
      this.failures.push(error instanceof Error ? error.message : String(error));
    }
    this.failures.push(...this.#submitter.failures);
    await this.pool.end();
    for (const { child } of this.workers) child.kill("SIGKILL"); // those that a failure has left
    await this.#stopServer();
    const mirrors = join(this.data, "mirrors");
    const names = readdirSync(mirrors).filter((name) => name.endsWith(".git"));
    const gitDirs = names.map((name) => join(mirrors, name));
    const left = () => findLeftovers(this.data, gitDirs);
    const isGone = () => left().length === 0;
    await waitUntil("everybody to go", isGone, LEAVE_WITHIN_MS).catch(() => {}); // who is left is told next
    this.failures.push(...left());
    const { acknowledged, repeated } = this.#submitter;
    return { acknowledged: acknowledged.size, repeated_requests: repeated };
  }

  /** Mostly short ones; a command now and then, some of them long enough to be cut off. */
  #jobOf(number: number): object {
    const key = `lane-${this.random.below(LANES)}`;
    if (number % 10 !== 9) return { type: "pause", key, input: { ms: this.random.below(400) } };
    const command = `echo ${number} > made && sleep 0.${this.random.below(9)} && git status`;
    return { type: "command", key, input: { repository: this.#repository, command } };
  }

  #startWorker(): QueueWorker {
    return startQueueWorker({ databaseUrl: this.#databaseUrl, data: this.data, flags: FLAGS });
  }

  async #startServer(): Promise<void> {
    this.#serverIsUp = false;
    this.server = await startServer(this.data, { env: SERVER_ENVIRONMENT });
    this.#serverIsUp = true;
  }

  async #stopServer(): Promise<void> {
    const code = await this.server.stop();
    if (code !== 0) this.failures.push(`the server ended with ${code}: ${this.server.output()}`);
  }

  #expectTakeover(pids: readonly number[], ceilingMs: number): void {
    const look = async () => {
      const { rows } = await this.pool.query<{ left: boolean }>(
        `select exists (select from croft.job j join croft.worker w on w.id = j.worker_id
           where j.status = 'running' and w.pid = any ($1)) as left`,
        [pids],
      );
      return rows[0]?.left === false;
    };
    this.#later("jobs were not taken over", waitUntil(`the jobs of ${pids}`, look, ceilingMs));
  }

  #later(what: string, promise: Promise<unknown>): void {
    const pending: Promise<void> = promise.then(
      () => {},
      (error: Error) => void this.failures.push(`${what}: ${error.message}`),
    );
    this.#pending.add(pending);
    void pending.then(() => this.#pending.delete(pending));
  }

  async #untilNone(rows: string): Promise<void> {
    const look = async () => {
      const { rowCount } = await this.pool.query(`select from ${rows} limit 1`);
      return rowCount === 0;
    };
    await waitUntil(`the last of ${rows}`, look, END_CEILING_MS);
  }

  async #judge(): Promise<string[]> {
    const { acknowledged } = this.#submitter;
    const ids = new Set(acknowledged.values());
    const { rows } = await this.pool.query<{ id: string; status: string; error: object | null }>(
      "select id, status, error from croft.job",
    );
    const unasked = rows.filter(({ id }) => !ids.has(id)).map(({ id }) => `nobody asked for ${id}`);
    const there = new Set(rows.map(({ id }) => id));
    const lost = [...ids].filter((id) => !there.has(id)).map((id) => `${id} is lost`);
    const failed = rows.filter(({ status }) => status !== "done");
    return [
      ...(ids.size === acknowledged.size ? [] : ["two keys have one job"]),
      ...[...unasked, ...lost].slice(0, 20),
      ...failed.map(({ id, status, error }) => `${id} is ${status}: ${JSON.stringify(error)}`),
      ...(await checkIdleQueue(this.pool)),
    ];
  }
}
