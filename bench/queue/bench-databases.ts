// The embedded PostgreSQL that Croft runs on, with a database of its own for every peer and experiment.
import type { Database } from "@croft/engine";
import pg from "pg";

export interface BenchDatabase {
  readonly name: string;
  readonly target: { readonly host: string; readonly user: string; readonly database: string };
  /** For what wants a URL: the server listens on a unix socket only. */
  readonly url: string;
  drop(): Promise<void>;
}

export async function makeDatabase(
  { pool, target }: Database,
  name: string,
): Promise<BenchDatabase> {
  const { host, user } = target;
  if (host === undefined || user === undefined) throw new Error("the database is not embedded");
  await pool.query(`create database ${name}`);
  return {
    name,
    target: { host, user, database: name },
    url: `postgres://${user}@localhost/${name}?host=${encodeURIComponent(host)}`,
    drop: async () => void (await pool.query(`drop database ${name} with (force)`)),
  };
}

/** Nobody pays for what another left behind. */
export async function tidyDatabase(target: pg.ClientConfig): Promise<void> {
  await withClient(target, async (client) => {
    await client.query("vacuum (analyze)");
    await client.query("checkpoint");
  });
}

export async function withClient<T>(
  target: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const { host, user, database } = target;
  const client = new pg.Client({ host, user, database }); // without the limits of Croft's own connections
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** A figure without it would be no figure. */
export async function requireFsync({ pool }: Database): Promise<void> {
  for (const name of ["fsync", "synchronous_commit", "full_page_writes"]) {
    const { rows } = await pool.query<Record<string, string>>(`show ${name}`);
    if (rows[0]?.[name] !== "on") throw new Error(`PostgreSQL runs with ${name} off`);
  }
}
