// Removes mirrors of repositories that nobody watches and no job or run uses, on the host that this process is on.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Git, parseRemoteUrl, type RemoteUrl, RemoteUrlError } from "@croft/git";
import type { Queryable } from "../database/in-transaction.ts";
import type { Engine } from "../engine.ts";
import { Rounds } from "../rounds.ts";

type Parts = Pick<Engine, "database" | "git" | "directory" | "log">;

/** A repository that none of so many jobs has used would be fetched anew: jobs are not looked through to the last. */
const JOBS_MAX = 50_000;
/** What is used by jobs only is looked at again after a while, or when there is another such mirror. */
const LOOK_EVERY_MS = 300_000;
const ROUND_EVERY_MS = 60_000;

/** Each host clears its own disk, so every process that polls has one. */
export class UnusedMirrors {
  readonly #parts: Parts;
  readonly #rounds: Rounds;
  #seen = { key: "", atMs: Number.NEGATIVE_INFINITY };

  constructor(parts: Parts) {
    this.#parts = parts;
    const round = async (signal: AbortSignal) => {
      await this.remove(() => signal.aborted);
      return ROUND_EVERY_MS;
    };
    this.#rounds = new Rounds({ what: "mirrors that nobody uses", log: parts.log, round });
  }

  static start(parts: Parts): UnusedMirrors {
    const unused = new UnusedMirrors(parts);
    unused.#rounds.wake();
    return unused;
  }

  /** Ends after the one that is on its way. */
  async close(): Promise<void> {
    await this.#rounds.close();
  }

  /** How many are gone. Whoever begins to use one meanwhile keeps it, or makes a new one. */
  async remove(isStopped: () => boolean = () => false): Promise<number> {
    const { database, directory, log } = this.#parts;
    await database.pool.query("select croft.forget_repositories()");
    const names = await namesIn(join(directory.path, "mirrors"));
    if (names.length === 0) return 0;
    const git = await this.#parts.git();
    const unwatched = await this.#unwatched(git);
    const key = unwatched.map(({ text }) => text).join("\n");
    if (key === this.#seen.key && performance.now() - this.#seen.atMs < LOOK_EVERY_MS) return 0;
    this.#seen = { key, atMs: performance.now() };
    let removed = 0;
    const used = await usedAmong(database.pool, unwatched);
    for (const remote of unwatched) {
      if (isStopped()) break;
      await this.#releaseKept(git, remote);
      if (used.has(remote.text)) continue;
      const { kind } = await git.removeMirror(remote, () => this.#isWanted(remote));
      if (kind !== "removed") continue;
      removed++;
      log.info({ repository: remote.text }, "the mirror of a repository that nobody uses is gone");
    }
    return removed;
  }

  async #unwatched(git: Git): Promise<RemoteUrl[]> {
    const remotes = await git.mirrored();
    const watched = await watchedAmong(this.#parts.database.pool, remotes);
    return remotes.filter(({ text }) => !watched.has(text));
  }

  async #isWanted(remote: RemoteUrl): Promise<boolean> {
    const { pool } = this.#parts.database;
    if ((await watchedAmong(pool, [remote])).has(remote.text)) return true;
    return (await usedAmong(pool, [remote])).has(remote.text);
  }

  /** Who keeps a commit has written down before of which repository: what is there while that is gone is nobody's. */
  async #releaseKept(git: Git, remote: RemoteUrl): Promise<void> {
    const names = (await git.kept.list(remote)).map(({ name }) => name);
    const ours = names.filter((name) => /^(?:watch|sync)-[0-9a-f-]{36}$/.test(name));
    if (ours.length === 0) return;
    const { rows } = await this.#parts.database.pool.query(
      "select 1 from croft.repository where url = $1",
      [remote.text],
    );
    if (rows.length === 0) await git.kept.release(remote, ours);
  }
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

async function watchedAmong(
  client: Queryable,
  remotes: readonly RemoteUrl[],
): Promise<Set<string>> {
  const { rows } = await client.query<{ url: string }>(
    `select url from croft.repository r where url = any ($1)
       and exists (select from croft.watch where repository_id = r.id)`,
    [remotes.map(({ text }) => text)],
  );
  return new Set(rows.map(({ url }) => url));
}

/** By runs that are still there, and by jobs. They name repositories as their callers did. */
async function usedAmong(client: Queryable, remotes: readonly RemoteUrl[]): Promise<Set<string>> {
  if (remotes.length === 0) return new Set();
  const { rows } = await client.query<{ repository: string }>(
    `select distinct repository from croft.run
     union
     select distinct j.input ->> 'repository'
     from (select input from croft.job order by id desc limit ${JOBS_MAX}) j
     where jsonb_typeof(j.input -> 'repository') = 'string'`,
  );
  const http = remotes.filter(({ protocol }) => protocol === "http").map(({ host }) => host);
  const used = new Set<string>();
  for (const { repository } of rows) {
    try {
      used.add(parseRemoteUrl(repository, { allowHttp: http, allowLocal: true }).text);
    } catch (error) {
      if (!(error instanceof RemoteUrlError)) throw error; // it has no mirror
    }
  }
  return used;
}
