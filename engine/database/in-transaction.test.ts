// Transactions that the server ends: the caller learns why.
import { expect, test } from "vitest";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { inTransaction } from "./in-transaction.ts";

test("one that was silent for too long fails with that reason, not with a lost connection", async () => {
  const { database } = await scratchEngine();
  const silent = inTransaction(database, async (client) => {
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    await client.query("set local idle_in_transaction_session_timeout = '100ms'");
    await waitUntil("the server to end it", async () => {
      const open = await database.pool.query("select from pg_stat_activity where pid = $1", [
        rows[0]?.pid,
      ]);
      return open.rowCount === 0;
    });
    await client.query("select 1");
  });
  await expect(silent).rejects.toMatchObject({ code: "25P03" });
  expect((await database.pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
});
