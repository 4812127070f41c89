// Several statements that happen together or not at all.
import type { Database } from "./open-database.ts";

/** Whatever can answer a query: the pool, or one connection in a transaction. */
export type Queryable = Pick<Database["pool"], "query">;

/** Keep it short: it holds back vacuum and every reader of the event stream. Needs no second connection meanwhile. */
export async function inTransaction<T>(
  { pool }: Database,
  work: (client: Queryable) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // Of one that the server ends while nothing is asked of it, the next query knows only that it is gone.
  let reason: Error | undefined;
  const onError = (error: Error) => {
    reason ??= error;
  };
  client.on("error", onError);
  try {
    await client.query("begin");
    const result = await work(client);
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch((failure: Error) => {
      broken = failure; // the server ends the transaction with the connection
    });
    throw reason ?? error;
  } finally {
    client.off("error", onError);
    client.release(broken);
  }
}
