// Lists of events: however many there are, a page is found without reading them all.
import { expect, test } from "vitest";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import type { Queryable } from "../database/in-transaction.ts";
import { listGithubEvents } from "./read-inbox.ts";

test.each([
  [{ event: "star" }, "inbox_event"],
  [{ event: "star", installation: 7 }, "inbox_event"],
  [{ status: "handled" }, "inbox_status"],
  [{ status: "failed" }, "inbox_status"],
] as const)("those with %j are found by an index", async (filter, index) => {
  const { database } = await scratchEngine();
  await database.pool.query(
    `insert into croft.inbox (id, delivery_id, event, installation, body, status)
     select gen_random_uuid(), g, 'push', 1 + g % 50, '{}', 'ignored' from generate_series(1, 20000) g`,
  );
  await database.pool.query("analyze croft.inbox");
  let plan = "";
  const explaining = {
    query: async (text: string, values: unknown[]) => {
      const { rows } = await database.pool.query(`explain ${text}`, values);
      plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      return { rows: [] };
    },
  };
  await listGithubEvents(explaining as unknown as Queryable, { limit: 50, ...filter });
  expect(plan).toContain(` using ${index}`);
  expect(plan).not.toMatch(/Seq Scan|Sort/);
});
