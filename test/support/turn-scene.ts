// The queue by its own functions, without a worker: one turn after the other, by as many connections as a test wants.
import { randomUUID } from "node:crypto";
import pg from "pg";
import { newId } from "../../engine/new-id.ts";

export interface TurnJob {
  readonly id: string;
  readonly owner: string;
  readonly key: string;
  readonly lane_id: string;
  readonly attempt: number;
}

export interface TurnResult extends Pick<TurnJob, "id" | "owner" | "lane_id" | "attempt"> {
  readonly outcome: string;
}

export interface Turned {
  readonly claimed: readonly TurnJob[];
  readonly refused: readonly string[];
}

/** As `croft.enqueue` takes them. */
export function queueJob(more: object = {}): object {
  return { id: newId(), owner: "local", key: "", type: "noop", class: 1, input: {}, ...more };
}

export function resultOf(
  { id, owner, lane_id, attempt }: Omit<TurnJob, "key">,
  outcome = "done",
  more: object = {},
): TurnResult {
  return { id, owner, lane_id, attempt, outcome, ...more };
}

export async function enqueue(client: pg.Client, jobs: readonly object[]) {
  const { rows } = await client.query<{ job_id: string; outcome: string }>(
    "select * from croft.enqueue($1)",
    [JSON.stringify(jobs)],
  );
  return rows;
}

export async function registerWorker(client: pg.Client, types: readonly string[]): Promise<string> {
  const id = randomUUID();
  await client.query(
    `insert into croft.worker (id, host, host_name, pid, process_start, slots, types, version, lease_until)
     values ($1, 'h', 'h', 1, '1', 4, $2, '0', croft.now() + interval '1 hour')`,
    [id, types],
  );
  return id;
}

export async function takeTurn(
  client: pg.Client,
  worker: { readonly id: string; readonly types: readonly string[] },
  results: readonly TurnResult[],
  slots: number,
): Promise<Turned> {
  const told = results.length === 0 ? null : JSON.stringify(results);
  const { rows } = await client.query<{ claimed: TurnJob[] | null; refused: string[] | null }>(
    "select claimed, refused from croft.take_turn($1, $2, $3, $4)",
    [worker.id, told, slots, worker.types],
  );
  return { claimed: rows[0]?.claimed ?? [], refused: rows[0]?.refused ?? [] };
}

export async function connectTo(target: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client({ ...target, statement_timeout: 5000 });
  client.on("error", () => {}); // whoever uses it is told
  await client.connect();
  return client;
}
