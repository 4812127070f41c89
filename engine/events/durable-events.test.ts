// No event is seen before it is on disk: whatever writes one commits synchronously.
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { scratchDatabase } from "../../test/support/scratch-database.ts";
import { readSourceTree } from "../../test/support/source-tree.ts";

interface SqlFunction {
  readonly name: string;
  readonly text: string;
  /** Settings of its own. */
  readonly settings: string;
}

async function readSchema() {
  const client = new pg.Client({ connectionString: await scratchDatabase() });
  await client.connect();
  onTestFinished(() => client.end());
  const functions = await client.query<SqlFunction>(
    `select proname as name, prosrc as text, coalesce(array_to_string(proconfig, ','), '') as settings
     from pg_proc where pronamespace = 'croft'::regnamespace`,
  );
  const triggers = await client.query<{ table: string; name: string }>(
    `select c.relname as table, p.proname as name from pg_trigger t
     join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
     where not t.tgisinternal and c.relnamespace = 'croft'::regnamespace`,
  );
  return { functions: functions.rows, triggers: triggers.rows };
}

const WRITES =
  /\b(?:insert\s+into|update|delete\s+from|merge\s+into|copy)\s+(?:only\s+)?croft\.(\w+)/gi;
const CALLS = /\bcroft\.(\w+)\s*\(/gi;

function found(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].map(([, name = ""]) => name);
}

/** All tables that something written here touches, by whatever it calls and sets off. */
function tablesWrittenBy(
  name: string,
  { functions, triggers }: Awaited<ReturnType<typeof readSchema>>,
): Set<string> {
  const tables = new Set<string>();
  const seen = new Set<string>();
  const visit = (one: string) => {
    if (seen.has(one)) return;
    seen.add(one);
    for (const { text } of functions.filter((each) => each.name === one)) {
      for (const called of found(CALLS, text)) visit(called);
      for (const table of found(WRITES, text)) {
        tables.add(table);
        for (const trigger of triggers) if (trigger.table === table) visit(trigger.name);
      }
    }
  };
  visit(name);
  return tables;
}

test("no function that commits asynchronously writes events, nor calls what does", async () => {
  const schema = await readSchema();
  expect(tablesWrittenBy("settle_event", schema)).toContain("event");
  expect(tablesWrittenBy("ignore_event", schema)).toContain("event"); // by what it calls
  const asynchronous = schema.functions
    .filter(({ text, settings }) => `${text} ${settings}`.includes("synchronous_commit"))
    .map(({ name }) => name);
  expect(asynchronous).toContain("claim_deliveries");
  for (const name of asynchronous) expect(tablesWrittenBy(name, schema)).not.toContain("event");
});

test("these are called alone, so that nothing else commits with them", () => {
  const product = readSourceTree(["engine", "server", "cli"]).filter(
    ({ path }) => !path.endsWith(".test.ts"),
  );
  expect(product.filter(({ text }) => text.includes("synchronous_commit"))).toEqual([]);
  const calls = product.flatMap(({ text }) =>
    [...text.matchAll(/\bcroft\.claim_(?:deliveries|events)\(/g)].map(({ index }) =>
      text.slice(Math.max(0, index - 200), index),
    ),
  );
  expect(calls.length).toBeGreaterThan(0);
  for (const before of calls) expect(before).toMatch(/\bpool\.query\b[^;]*$/); // a transaction has a client
});
