// SIGKILL of Croft and of PostgreSQL while a branch moves and its app refuses or loses much: the app ends with the very tree.
import { setTimeout as delay } from "node:timers/promises";
import type { Tree } from "../support/import-commits.ts";
import { folderOf } from "../support/mirrored-trees.ts";
import { randomTrees } from "../support/random-trees.ts";
import { differences, readCheckout } from "../support/read-checkout.ts";
import { type SeededRandom, seededRandom } from "../support/seeded-random.ts";
import { waitUntil } from "../support/wait-until.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";
import { WatchHost } from "./watch-host.ts";

const TREES = 240;
const CHANGES_PER_KILL = 50;
const KILLS_PER_POSTGRES = 20;
const LARGE_EVERY = 40;
const LARGE_BYTES = 1_700_000;
/** Of 100 requests: refused, and accepted without an answer. */
const REFUSED_PERCENT = 15;
const LOST_PERCENT = 15;
const BETWEEN_KILLS_MS_MAX = 1200;
const BETWEEN_MOVES_MS_MAX = 500;
/** What somebody sent before he was killed may be noted after it. */
const NOTED_LATE_MS = 1000;
const END_CEILING_MS = 300_000;

export async function killDuringWatch(options: FaultOptions): Promise<FaultResult> {
  const { seed, count, directory } = options;
  const random = seededRandom(seed);
  const trees = storyOf(random);
  const host = await WatchHost.open(directory, trees);
  const scene = new WatchKills(host, trees, random);
  const failures: string[] = [];
  try {
    await scene.run(count);
    failures.push(...(await scene.judge()));
  } catch (error) {
    failures.push(`after ${scene.kills} kills: ${error instanceof Error ? error.stack : error}`);
  }
  failures.push(...(await host.stop()));
  return { injected: scene.kills + scene.figures.postgres_kills, figures: scene.figures, failures };
}

/** Some have a file that comes in chunks. */
function storyOf(random: SeededRandom): Tree[] {
  return randomTrees(random, TREES).map((tree, index) => {
    if (index % LARGE_EVERY !== 0) return tree;
    const content = Buffer.alloc(LARGE_BYTES, `line ${index}\n`);
    return new Map([...tree, ["large.bin", { mode: "100644", content }]]);
  });
}

class WatchKills {
  kills = 0;
  readonly figures = {
    ...{ server_kills: 0, worker_kills: 0, postgres_kills: 0, moves: 0, changes: 0 },
    ...{ requests: 0, messages: 0, refused: 0, lost_answers: 0, repeated_after_kills: 0 },
  };
  readonly #host: WatchHost;
  readonly #trees: readonly Tree[];
  readonly #random: SeededRandom;
  #at = 0;

  constructor(host: WatchHost, trees: readonly Tree[], random: SeededRandom) {
    this.#host = host;
    this.#trees = trees;
    this.#random = random;
  }

  async run(count: number): Promise<void> {
    const { receiver } = this.#host;
    const moods = seededRandom(this.#random.below(2 ** 31));
    receiver.mood = () => {
      const percent = moods.below(100);
      if (percent < REFUSED_PERCENT) return "refuse";
      return percent < REFUSED_PERCENT + LOST_PERCENT ? "lose" : "well";
    };
    const over = new AbortController();
    const moving = this.#move(over.signal);
    moving.catch(() => over.abort());
    try {
      while (this.kills < count && !over.signal.aborted) await this.#kill();
      const wanted = count * CHANGES_PER_KILL;
      const isEnough = async () => over.signal.aborted || (await this.#told()) >= wanted;
      await waitUntil(`${wanted} changes`, isEnough, END_CEILING_MS);
    } finally {
      over.abort();
      await moving;
    }
    receiver.mood = () => "well";
    await waitUntil("the last commit to be told", () => this.#isTold(), END_CEILING_MS);
  }

  /** Mostly to one of the next commits, at times to any: the branch is forced then. */
  async #move(signal: AbortSignal): Promise<void> {
    const random = seededRandom(this.#random.below(2 ** 31));
    while (!signal.aborted) {
      const step = random.below(8) === 0 ? random.below(TREES) : 1 + random.below(4);
      this.#at = (this.#at + step) % TREES;
      await this.#host.move(this.#at);
      this.figures.moves++;
      await delay(random.below(BETWEEN_MOVES_MS_MAX));
    }
  }

  async #kill(): Promise<void> {
    await delay(this.#random.below(BETWEEN_KILLS_MS_MAX));
    const { figures } = this;
    const isPostgresDue = this.kills >= (figures.postgres_kills + 0.5) * KILLS_PER_POSTGRES;
    if (isPostgresDue || (this.kills === 2 && figures.postgres_kills === 0)) {
      await this.#host.killPostgres();
      figures.postgres_kills++;
    }
    const victim = this.#random.below(8);
    if (victim === 0) await this.#host.killBoth();
    else if (victim < 4) await this.#host.killServer();
    else await this.#host.killWorker();
    figures.server_kills += victim < 4 ? 1 : 0;
    figures.worker_kills += victim === 0 || victim >= 4 ? 1 : 0;
    this.kills += victim === 0 ? 2 : 1;
  }

  /** Changes of files that deliveries were made of. */
  async #told(): Promise<number> {
    const [row] = await this.#host.ask<{ files: number }>(
      "select coalesce(sum(files), 0)::integer as files from croft.sync where state <> 'making'",
    );
    this.figures.changes = row?.files ?? 0;
    return this.figures.changes;
  }

  async #isTold(): Promise<boolean> {
    const [row] = await this.#host.ask<{ told: string; open: number }>(
      `select told_commit as told, (select count(*)::integer from croft.delivery where state in ('pending', 'sending')) as open
       from croft.watch where id = $1`,
      [this.#host.watchId],
    );
    return row !== undefined && row.told === this.#host.commits[this.#at] && row.open === 0;
  }

  async judge(): Promise<string[]> {
    const { receiver, watchId } = this.#host;
    await this.#told();
    const folder = readCheckout(receiver.folderOf(watchId));
    return [
      ...differences(folderOf(this.#trees[this.#at] ?? new Map()), folder).slice(0, 20),
      ...receiver.faults.slice(0, 20),
      ...this.#judgeRequests().slice(0, 20),
      ...(await this.#leftRows()),
    ];
  }

  /** One id is one body, for ever; and nobody hears again what was answered, unless somebody died in between. */
  #judgeRequests(): string[] {
    const { receiver, killsAt } = this.#host;
    const { figures } = this;
    const bodies = new Map<string, string>();
    const answeredAt = new Map<string, number>();
    const failures: string[] = [];
    for (const { id, sha256, at, status } of receiver.requests) {
      if ((bodies.get(id) ?? sha256) !== sha256) failures.push(`${id} has two bodies`);
      bodies.set(id, sha256);
      const before = answeredAt.get(id);
      if (before !== undefined) {
        figures.repeated_after_kills++;
        const isExcused = killsAt.some(
          (killAt) => killAt >= before - NOTED_LATE_MS && killAt <= at,
        );
        const sinceKillMs = Math.min(...killsAt.map((killAt) => Math.abs(before - killAt)));
        const told = `${at - before} ms after its answer, which was ${sinceKillMs} ms from a kill`;
        if (!isExcused) failures.push(`${id} came again without need, ${told}`);
      }
      if (status !== undefined && status < 300) answeredAt.set(id, at);
      if (status === undefined) figures.lost_answers++;
      if (status === 500) figures.refused++;
    }
    figures.requests = receiver.requests.length;
    figures.messages = bodies.size;
    const odd = receiver.requests.filter(({ status = 200 }) => status !== 200 && status !== 500);
    return [...failures, ...odd.map(({ id, status }) => `${id} was answered ${status}`)];
  }

  async #leftRows(): Promise<string[]> {
    const rows = await this.#host.ask<{ what: string; many: number }>(`
      select state || ' delivery' as what, count(*)::integer as many from croft.delivery
        where state not in ('delivered', 'split', 'cancelled') group by state
      union all select 'wait', count(*)::integer from croft.delivery_wait
      union all select state || ' sync', count(*)::integer from croft.sync where state <> 'settled' group by state`);
    return rows.filter(({ many }) => many > 0).map(({ what, many }) => `${many} × ${what} is left`);
  }
}
