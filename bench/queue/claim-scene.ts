// A queue in a database of its own whose claims are timed by SQL, on one connection.
import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import { loadConfig, openEngine } from "@croft/engine";
import pg from "pg";
import { silentLog } from "../../test/support/silent-log.ts";
import type { BenchDatabase } from "./bench-databases.ts";

export interface ClaimScene {
  readonly target: BenchDatabase["target"];
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Jobs in the lanes that are named, as many in each. */
  enqueue(owner: string, keys: readonly string[], jobsEach: number): Promise<void>;
  /** Claims for one free slot, timed; each job ends before the next claim. */
  claim(times: number): Promise<number[]>;
  /** Many jobs through as many slots, by the same call. */
  runThrough(jobs: number, slots: number): Promise<void>;
  close(): Promise<void>;
}

const TYPES = ["noop"];
const BULK = 2000;
const TAKE_TURN = {
  name: "take-turn",
  text: "select claimed from croft.take_turn($1, $2, $3, $4)",
};

interface TurnRow {
  readonly claimed: ClaimedJob[] | null;
}

interface ClaimedJob {
  readonly id: string;
  readonly owner: string;
  readonly lane_id: string;
  readonly attempt: number;
}

export async function openClaimScene(database: BenchDatabase, data: string): Promise<ClaimScene> {
  const { config } = await loadConfig({
    flags: { data, "concurrency.perOwner": "1000000" },
    env: { DATABASE_URL: database.url },
    directory: data,
    uid: process.getuid?.(),
    home: data,
  });
  const engine = await openEngine({ config, log: silentLog, version: "bench" });
  const client = new pg.Client(database.target);
  await client.connect();
  const worker = await makeWorker(client);
  const turn = async (results: readonly object[], slots: number) => {
    const told = results.length === 0 ? null : JSON.stringify(results);
    const values = [worker, told, slots, TYPES];
    const { rows } = await client.query<TurnRow>({ ...TAKE_TURN, values });
    return rows[0]?.claimed ?? [];
  };
  const done = ({ id, owner, lane_id, attempt }: ClaimedJob) => {
    return { id, owner, lane_id, attempt, outcome: "done", result: null };
  };
  return {
    target: database.target,
    query: async (text, values = []) => (await client.query(text, [...values])).rows,
    enqueue: async (owner, keys, jobsEach) => {
      const jobs = keys.flatMap((key) => Array.from({ length: jobsEach }, () => jobOf(owner, key)));
      for (let sent = 0; sent < jobs.length; sent += BULK) {
        const some = JSON.stringify(jobs.slice(sent, sent + BULK));
        await client.query("select from croft.enqueue($1)", [some]);
      }
    },
    claim: async (times) => {
      const measured: number[] = [];
      for (let claim = 0; claim < times; claim++) {
        const startedAt = performance.now();
        const claimed = await turn([], 1);
        measured.push(performance.now() - startedAt);
        if (claimed.length !== 1) throw new Error(`claimed ${claimed.length} jobs instead of one`);
        await turn(claimed.map(done), 0);
      }
      return measured;
    },
    runThrough: async (jobs, slots) => {
      let results: object[] = [];
      for (let begun = 0; begun < jobs || results.length > 0; begun += results.length) {
        results = (await turn(results, begun < jobs ? slots : 0)).map(done);
      }
    },
    close: async () => {
      await client.end();
      await engine.close();
    },
  };
}

async function makeWorker(client: pg.Client): Promise<string> {
  const id = randomUUID();
  await client.query(
    `insert into croft.worker (id, host, host_name, pid, process_start, slots, types, version, lease_until)
     values ($1, 'bench', 'bench', 1, '1', 1, $2, 'bench', croft.now() + interval '1 day')`,
    [id, TYPES],
  );
  return id;
}

function jobOf(owner: string, key: string) {
  return { id: randomUUID(), owner, key, type: "noop", class: 1, input: {} };
}
