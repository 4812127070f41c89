// Deliveries and syncs that have had their time go, in parts; what is open, young, or being sent again stays.
import { expect, test } from "vitest";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { usualRetention } from "../../test/support/usual-retention.ts";
import { createApp } from "../apps/app-token.ts";
import { replayDelivery } from "../deliveries/replay-delivery.ts";
import { newId } from "../new-id.ts";
import { clean } from "./janitor.ts";

const ALL = { owner: undefined };

async function scene() {
  const engine = await scratchEngine();
  const query = async (text: string, values: unknown[] = []) =>
    (await engine.database.pool.query(text, values)).rows;
  const { app } = await createApp(engine.database, "docs");
  const [repository, watch] = [newId(), newId()];
  await query("insert into croft.repository (id, url, poll_ms) values ($1, 'https://a/b', 1)", [
    repository,
  ]);
  await query(
    "insert into croft.watch (id, app_id, repository_id, ref) values ($1, $2, $3, 'main')",
    [watch, app.id, repository],
  );
  /** A sync with one delivery in each of these states, settled so many days ago; open ones are not settled. */
  const make = async (days: number, ...states: string[]) => {
    const sync = newId();
    const open = states.filter((state) => ["pending", "sending"].includes(state)).length;
    await query(
      `insert into croft.sync (id, watch_id, dispatcher_id, host, to_commit, ref, state, unsettled, settled_at)
       values ($1, $2, $1, 'h', 'c', 'r', $3, $4, case when $4 = 0 then croft.now() - make_interval(days => $5) end)`,
      [sync, watch, open === 0 ? "settled" : "ready", open, days],
    );
    const ids = states.map(() => newId());
    await query(
      `insert into croft.delivery (id, app_id, watch_id, sync_id, type, state, settled_at)
       select id, $1, $2, $3, 'files.changed', state,
         case when state not in ('pending', 'sending') then croft.now() - make_interval(days => $4) end
       from unnest($5::uuid[], $6::text[]) as x(id, state)`,
      [app.id, watch, sync, days, ids, states],
    );
    await query(
      `insert into croft.delivery_attempt (delivery_id, attempt, duration_ms, request)
       select id, n, 1, '{}' from unnest($1::uuid[]) id, generate_series(1, 2) n`,
      [ids],
    );
    return ids;
  };
  return {
    ...{ engine, query, make, app },
    left: async () =>
      (await query("select id from croft.delivery order by id")).map(({ id }) => id as string),
    counts: async () =>
      await query(
        `select (select count(*)::int from croft.delivery_attempt) as tries, (select count(*)::int from croft.sync) as syncs`,
      ),
  };
}

test("however they ended they go with their tries, and a sync with its last", async () => {
  const { engine, query, make, left, counts, app } = await scene();
  await make(31, "delivered", "failed", "quarantined", "split", "cancelled");
  const young = await make(29, "delivered", "failed");
  const [, open] = await make(31, "delivered", "pending");
  await query(
    `insert into croft.delivery (id, app_id, type, state, settled_at)
     values ($1, $2, 'ping', 'delivered', croft.now() - interval '31 days')`,
    [newId(), app.id],
  );
  await clean(engine.database, usualRetention);
  expect(await left()).toEqual([...young, open].sort());
  expect(await counts()).toEqual([{ tries: 6, syncs: 2 }]);
});

test("very many go in several parts", async () => {
  const { query, make, left, counts } = await scene();
  await make(31, ...Array.from({ length: 25 }, () => "delivered"));
  const forget = async (what: string) =>
    (await query(`select croft.forget_${what}(croft.now() - interval '30 days', 10) as more`))[0]
      .more;
  expect(await forget("syncs")).toBe(false); // something of it is left
  expect([await forget("deliveries"), (await left()).length]).toEqual([true, 15]);
  expect([await forget("deliveries"), (await left()).length]).toEqual([true, 5]);
  expect([await forget("deliveries"), (await left()).length]).toEqual([false, 0]);
  await forget("syncs");
  expect(await counts()).toEqual([{ tries: 0, syncs: 0 }]);
});

test("one that is sent again at this moment stays", async () => {
  const { engine, query, make, left } = await scene();
  const [failed = ""] = await make(31, "failed", "delivered");
  const client = await engine.database.pool.connect();
  try {
    await client.query("begin");
    await client.query("select from croft.delivery where id = $1 for update", [failed]);
    await clean(engine.database, usualRetention);
    await client.query("commit");
  } finally {
    client.release();
  }
  expect(await left()).toEqual([failed]);
  expect(await replayDelivery(engine.database, ALL, failed)).toBe(failed);
  await clean(engine.database, usualRetention);
  expect(await query("select state, unsettled from croft.sync")).toEqual([
    { state: "ready", unsettled: 1 },
  ]);
  expect(await left()).toEqual([failed]);
});
