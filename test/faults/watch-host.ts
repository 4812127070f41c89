// A data directory with a real `croft serve` and a `croft worker` that poll and send, a remote that git serves, and an app.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CommitId } from "@croft/git";
import pg from "pg";
import { addWatch, onboard } from "../support/call-api.ts";
import {
  type CroftProcess,
  type RunningServer,
  runCroft,
  startServer,
} from "../support/croft-process.ts";
import { type FolderReceiver, serveFolder } from "../support/folder-receiver.ts";
import { importHidden, type Tree } from "../support/import-commits.ts";
import { git, makeRepository } from "../support/make-repository.ts";
import { type ServedGit, serveGit } from "../support/serve-git.ts";
import { waitUntil } from "../support/wait-until.ts";
import { embeddedDatabaseUrl } from "./queue-processes.ts";

const READY_WITHIN_MS = 60_000;

export class WatchHost {
  readonly #data: string;
  readonly #bare: string;
  readonly #remote: ServedGit;
  readonly receiver: FolderReceiver;
  readonly pool: pg.Pool;
  readonly commits: readonly CommitId[];
  readonly #environment: Record<string, string>;
  #server: RunningServer | undefined;
  #worker: CroftProcess | undefined;
  watchId = "";
  /** When somebody was killed. */
  readonly killsAt: number[] = [];

  private constructor(
    directory: string,
    parts: Pick<WatchHost, "receiver" | "commits"> & { bare: string; remote: ServedGit },
  ) {
    this.#data = join(directory, "data");
    this.#bare = parts.bare;
    this.#remote = parts.remote;
    this.receiver = parts.receiver;
    this.commits = parts.commits;
    this.#environment = {
      CROFT_ALLOW_PRIVATE: `${parts.remote.host},${parts.receiver.host}`,
      CROFT_WATCHES_POLL: "1s",
      CROFT_DELIVERIES_RETRIES: Array.from({ length: 20 }, () => "100ms").join(),
      CROFT_DELIVERIES_TIMEOUT: "10s",
      CROFT_DELIVERIES_FILES: "3",
      CROFT_LOG_LEVEL: "warn",
    };
    const connectionString = embeddedDatabaseUrl(join(this.#data, "postgres/socket"));
    this.pool = new pg.Pool({ connectionString, max: 2 });
    this.pool.on("error", () => {}); // its server is killed: the query that follows opens another
    this.pool.on("connect", (client) => client.on("error", () => {})); // its query fails with it
  }

  static async open(directory: string, trees: readonly Tree[]): Promise<WatchHost> {
    const remotes = join(directory, "remotes");
    const bare = await makeRepository(remotes, "docs", { files: 1 });
    const commits = await importHidden(bare, trees);
    const remote = await serveGit(remotes);
    const receiver = await serveFolder(join(directory, "folder"));
    const host = new WatchHost(directory, { bare, remote, receiver, commits });
    await host.move(0);
    const server = await host.startServer();
    await host.startWorker();
    const app = await onboard(server, "docs", receiver.url);
    receiver.open(app.signing_secret);
    host.watchId = (await addWatch(server, app, { url: remote.url("docs") })).id;
    return host;
  }

  async move(index: number): Promise<void> {
    const args = ["update-ref", "refs/heads/main", this.commits[index] ?? ""];
    await git(["--git-dir", this.#bare, ...args]);
  }

  async startServer(): Promise<RunningServer> {
    this.#server = await startServer(this.#data, { env: this.#environment });
    return this.#server;
  }

  async startWorker(): Promise<void> {
    const worker = runCroft(["worker", "--data", this.#data], { env: this.#environment });
    this.#worker = worker;
    let ended: number | string | undefined;
    void worker.exit.then((code) => {
      ended = code;
    });
    const isReady = () => {
      if (ended !== undefined) throw new Error(`croft worker ended (${ended}): ${worker.output()}`);
      return worker.output().includes("is ready");
    };
    await waitUntil("a worker", isReady, READY_WITHIN_MS);
  }

  async killServer(): Promise<void> {
    await this.#kill(this.#server);
    await this.startServer();
  }

  async killWorker(): Promise<void> {
    await this.#kill(this.#worker);
    await this.startWorker();
  }

  async killBoth(): Promise<void> {
    await Promise.all([this.#kill(this.#server), this.#kill(this.#worker)]);
    await this.startServer();
    await this.startWorker();
  }

  /** The server brings it back. */
  async killPostgres(): Promise<void> {
    const path = join(this.#data, "postgres/data/postmaster.pid");
    const pid = Number.parseInt(readFileSync(path, "utf8"), 10);
    this.killsAt.push(Date.now());
    process.kill(pid, "SIGKILL");
    const isAnother = () => Number.parseInt(readFileSync(path, "utf8"), 10) !== pid;
    await waitUntil("another PostgreSQL", () => attempted(isAnother), READY_WITHIN_MS);
    await waitUntil("its answer", () => attempted(() => this.ask("select 1")), READY_WITHIN_MS);
    this.killsAt.push(Date.now()); // what could not be told until now may have been forgotten
  }

  async #kill(process: CroftProcess | undefined): Promise<void> {
    this.killsAt.push(Date.now());
    process?.child.kill("SIGKILL");
    await process?.exit;
  }

  async ask<T>(text: string, values: unknown[] = []): Promise<T[]> {
    return (await this.pool.query(text, values)).rows as T[];
  }

  /** What they said in vain, with SIGTERM at the end. */
  async stop(): Promise<string[]> {
    const told: string[] = [];
    for (const [name, process] of [
      ["worker", this.#worker],
      ["server", this.#server],
    ] as const) {
      if (name === "server") await this.pool.end();
      process?.child.kill("SIGTERM");
      const code = await process?.exit;
      if (code !== 0)
        told.push(`the ${name} ended with ${code}: ${process?.output().slice(-2000)}`);
    }
    await this.receiver.close();
    await this.#remote.close();
    return told;
  }
}

/** Undefined when it cannot be told yet. */
async function attempted<T>(look: () => Promise<T> | T): Promise<T | undefined> {
  try {
    return await look();
  } catch {
    return undefined; // it is being started
  }
}
