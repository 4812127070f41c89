// A data directory with a real `croft serve`, `croft worker` processes beside it and a remote, for tests of many runs.
import { join } from "node:path";
import type { RunDetail } from "@croft/contract";
import pg from "pg";
import {
  type CroftProcess,
  type RunningServer,
  runCroft,
  startServer,
} from "../support/croft-process.ts";
import { git, makeRepository, type RepositoryPlan } from "../support/make-repository.ts";
import { getJson } from "../support/sign-in.ts";
import { waitUntil } from "../support/wait-until.ts";
import { embeddedDatabaseUrl } from "./queue-processes.ts";

export interface HostPlan {
  readonly workers: number;
  /** Of each worker; the server's own has one. */
  readonly slots: number;
  readonly repository: RepositoryPlan;
}

export interface RunOutline {
  /** Of the pipeline; each run has its own, so that one can be found again. */
  readonly name: string;
  readonly text: string;
  /** On a checkout of this machine, in worktrees of it, instead of on the remote. */
  readonly isLocal?: boolean | undefined;
}

const ANSWER_WITHIN_MS = 10_000;

export class RunHost {
  readonly data: string;
  readonly origin: string;
  /** A clone of it, as a developer has one. */
  readonly checkout: string;
  readonly pool: pg.Pool;
  readonly workers: CroftProcess[] = [];
  server: RunningServer;
  readonly #slots: number;

  private constructor(data: string, origin: string, server: RunningServer, slots: number) {
    this.data = data;
    this.origin = origin;
    this.checkout = join(data, "../checkout");
    this.server = server;
    this.#slots = slots;
    const connectionString = embeddedDatabaseUrl(join(data, "postgres/socket"));
    this.pool = new pg.Pool({ connectionString, max: 4 });
    this.pool.on("error", () => {}); // its server may be stopped: the query that follows opens another
    this.pool.on("connect", (client) => client.on("error", () => {})); // its query fails with it
  }

  static async open(directory: string, plan: HostPlan): Promise<RunHost> {
    const data = join(directory, "data");
    const origin = await makeRepository(join(directory, "remotes"), "app", plan.repository);
    await git(["clone", "--quiet", origin, join(directory, "checkout")]);
    const server = await startServer(data, { env: environmentOf(1) });
    const host = new RunHost(data, origin, server, plan.slots);
    for (let number = 0; number < plan.workers; number++) host.workers.push(host.startWorker());
    for (const worker of host.workers) await host.whenReady(worker);
    return host;
  }

  startWorker(): CroftProcess {
    return runCroft(["worker", "--data", this.data], { env: environmentOf(this.#slots) });
  }

  async whenReady({ output, exit }: CroftProcess): Promise<void> {
    let ended: number | string | undefined;
    void exit.then((code) => {
      ended = code;
    });
    await waitUntil("a worker", () => {
      if (ended !== undefined) throw new Error(`croft worker ended (${ended}): ${output()}`);
      return output().includes("is ready");
    });
  }

  async startServer(): Promise<void> {
    this.server = await startServer(this.data, { env: environmentOf(1) });
  }

  /** Undefined: cut off, and whether it was taken in is not known. */
  async #post(outline: RunOutline): Promise<string | undefined> {
    const { url, token } = this.server;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const place = outline.isLocal
      ? { checkout: { path: this.checkout } }
      : { repository: this.origin };
    const body = JSON.stringify({ text: outline.text, ...place });
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    let response: Response;
    let answer: { id?: string };
    try {
      response = await fetch(`${url}/api/runs`, { method: "POST", headers, body, signal });
      answer = (await response.json()) as typeof answer;
    } catch {
      return undefined;
    }
    if (response.status === 202) return answer.id;
    if (response.status === 503) return undefined;
    throw new Error(`a run was answered ${response.status} ${JSON.stringify(answer)}`);
  }

  /** Until it is known, and once, although answers may be cut off. */
  async start(outline: RunOutline): Promise<string> {
    return await waitUntil(
      `run '${outline.name}'`,
      async () => (await this.#post(outline)) ?? (await this.#idOf(outline.name)),
      60_000,
    );
  }

  async #idOf(name: string): Promise<string | undefined> {
    const { rows } = await this.pool.query("select id from croft.run where name = $1", [name]);
    return rows[0]?.id;
  }

  async detail(id: string): Promise<RunDetail> {
    return (await getJson(this.server, `/api/runs/${id}`)) as RunDetail;
  }

  /** None of these rows any more. */
  async untilNone(rows: string, ceilingMs: number): Promise<void> {
    const look = async () => (await this.pool.query(`select from ${rows} limit 1`)).rowCount === 0;
    await waitUntil(`the last of ${rows}`, look, ceilingMs);
  }

  /** With SIGTERM, as at any shutdown; what does not end well is told. */
  async stopWorkers(): Promise<string[]> {
    const workers = this.workers.splice(0);
    for (const { child } of workers) child.kill("SIGTERM");
    const codes = await Promise.all(workers.map(({ exit }) => exit));
    return codes.flatMap((code, number) =>
      code === 0 ? [] : [`a worker ended with ${code}: ${workers[number]?.output()}`],
    );
  }

  async stopServer(): Promise<string[]> {
    const code = await this.server.stop();
    return code === 0 ? [] : [`the server ended with ${code}: ${this.server.output()}`];
  }

  async stop(): Promise<string[]> {
    const told = await this.stopWorkers();
    await this.pool.end();
    return [...told, ...(await this.stopServer())];
  }
}

function environmentOf(slots: number): Record<string, string> {
  return {
    CROFT_WORKER_SLOTS: String(slots),
    CROFT_GIT_ALLOW_LOCAL: "true",
    CROFT_JOB_MAX_LOST: "1000",
    CROFT_CONCURRENCY_PER_OWNER: "1000",
  };
}
