// A list asks for what it shows: however many assets there are, no filter makes the database look at all of them.
import type { AssetQuery } from "@croft/contract";
import { expect, test } from "vitest";
import { assetScene } from "../../test/support/asset-scene.ts";
import type { Database } from "../database/open-database.ts";
import { newId } from "../new-id.ts";
import { listAssets } from "./read-assets.ts";

const ASSETS = 20_000;
const LOOKED_AT_MAX = 100;

interface Plan {
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly Plans?: readonly Plan[];
}

/** How many rows were looked at and not wanted. */
function wasted(plan: Plan): number {
  const own = (plan["Rows Removed by Filter"] ?? 0) + (plan["Rows Removed by Index Recheck"] ?? 0);
  return own + (plan.Plans ?? []).reduce((sum, part) => sum + wasted(part), 0);
}

test("a filter that fits no asset finds that out at once", async () => {
  const { engine, keep, query } = await assetScene();
  const { sha256 } = await keep("x");
  await query(
    `insert into croft.asset (id, owner, kind, name, media_type, declared_type, bytes, sha256, step, source_task_id)
     select gen_random_uuid(), 'app:' || n % 2, 'generated', 'file ' || n || '.txt', 'text/plain; charset=utf-8', 'text/plain', 1,
       decode($1, 'hex'), 'test', 'task-' || n % 1000 from generate_series(1, ${ASSETS}) n`,
    [sha256],
  );
  await query("analyze croft.asset");
  const planOf = async (filter: Partial<AssetQuery>): Promise<Plan> => {
    const { pool } = engine.database;
    const asked: [string, unknown[]][] = [];
    const listening = {
      query: (text: string, values: unknown[]) =>
        asked.push([text, values]) && pool.query(text, values),
    };
    const database = { ...engine.database, pool: listening } as unknown as Database;
    const found = await listAssets(database, { owner: undefined }, { limit: 50, ...filter });
    expect(found.assets).toEqual([]);
    const [[text, values] = ["", []]] = asked;
    const [row] = await query(`explain (analyze, format json) ${text}`, values);
    return row["QUERY PLAN"][0].Plan;
  };
  const filters: Partial<AssetQuery>[] = [
    ...[{ owner: "app:none" }, { kind: "upload" as const }, { name: "none" }, { step: "none" }],
    ...[{ type: "image" }, { type: "image/png" }, { type: "text/html" }, { declared_type: "a/b" }],
    ...[{ job: newId() }, { run: newId() }, { source_task_id: "none" }, { commit: "0".repeat(40) }],
    { sha256: "0".repeat(64) },
  ];
  for (const filter of filters) {
    expect([filter, wasted(await planOf(filter)) < LOOKED_AT_MAX]).toEqual([filter, true]);
  }
});

test("a type is found with and without its second part, in letters of any case", async () => {
  const { engine, keep } = await assetScene();
  await keep("plain", { name: "a", mediaType: "text/plain; charset=utf-8" });
  await keep("page", { name: "b", mediaType: "text/html" });
  await keep("picture", { name: "c", mediaType: "image/png" });
  const namesOf = async (type: string) => {
    const { assets } = await listAssets(engine.database, { owner: undefined }, { limit: 50, type });
    return assets.map(({ name }) => name).sort();
  };
  expect(await namesOf("text")).toEqual(["a", "b"]);
  expect(await namesOf("Text/Plain")).toEqual(["a"]);
  expect(await namesOf("image")).toEqual(["c"]);
  expect(await namesOf("text/png")).toEqual([]);
});
