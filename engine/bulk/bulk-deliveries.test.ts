// Bulk replays and re-syncs act on each delivery or watch once, under its own id, and touch nobody else's.
import type { BulkRequest } from "@croft/contract";
import { expect, onTestFinished, test } from "vitest";
import { scratchDatabase } from "../../test/support/scratch-database.ts";
import { engineOn } from "../../test/support/scratch-engine.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { createApp } from "../apps/app-token.ts";
import { deleteApp } from "../apps/delete-app.ts";
import { newId } from "../new-id.ts";
import { BulkRunner } from "./bulk-runner.ts";
import { abortBulk, createBulk } from "./change-bulk.ts";
import { readBulk } from "./read-bulk.ts";

const ALL = { owner: undefined };

async function scene() {
  const url = await scratchDatabase();
  const engine = await engineOn(url);
  const { database } = engine;
  const query = async (text: string, values: unknown[] = []) =>
    (await database.pool.query(text, values)).rows;
  const addWatch = async (app: string, name = newId()) => {
    const [repository] = await query(
      `insert into croft.repository (id, url, poll_ms, next_poll_at) values ($1, $2, 60000, 'infinity')
       on conflict (url) do update set url = excluded.url returning id`,
      [newId(), `https://example.com/${name}.git`],
    );
    const id = newId();
    await query(
      "insert into croft.watch (id, app_id, repository_id, ref, state) values ($1, $2, $3, $4, 'synced')",
      [id, app, repository.id, id],
    );
    return id;
  };
  const addApp = async (name: string) => {
    const { id } = (await createApp(database, name)).app;
    return { id, owner: `app:${id}`, watch: await addWatch(id) };
  };
  /** A sync of so many messages, each about a path of its own unless one is said; all of them ended like this. */
  const deliver = async (
    { id, watch }: { id: string; watch: string },
    { count = 1, state = "failed", path = "" } = {},
  ) => {
    const sync = newId();
    await query(
      `insert into croft.sync (id, watch_id, dispatcher_id, host, to_commit, ref, state, messages)
       values ($1, $2, $1, 'h', 'c', 'r', 'settled', $3)`,
      [sync, watch, count],
    );
    const rows = await query(
      `with numbered as (
         update croft.watch set next_number = next_number + $4 where id = $2 returning next_number - $4 as first)
       insert into croft.delivery (id, app_id, watch_id, sync_id, type, number, files, path_keys, state, settled_at, failures)
       select x.id, $1, $2, $3, 'files.changed', first + x.n, '[]', array[hashtextextended($6 || case when $6 = '' then x.id::text else '' end, 0)],
         $5, croft.now(), 9
       from numbered, unnest($7::uuid[]) with ordinality as x(id, n) returning id`,
      [id, watch, sync, count, state, path, Array.from({ length: count }, newId)],
    );
    return rows.map((row) => row.id as string).sort();
  };
  const bulk = (id: string) => readBulk(database, ALL, id);
  return {
    ...{ url, engine, query, addApp, addWatch, deliver, bulk },
    start: (on = engine, batchMax = 3) => {
      const runner = BulkRunner.start(on, batchMax);
      onTestFinished(() => runner.close());
      return runner;
    },
    create: (request: BulkRequest, owner = "local") => createBulk(database, owner, request),
    ended: async (id: string) => {
      await waitUntil("the bulk's end", async () => (await bulk(id)).status !== "running");
      return await bulk(id);
    },
    pending: async () =>
      (await query("select id from croft.delivery where state = 'pending' order by id")).map(
        (row) => row.id as string,
      ),
    resynced: async () =>
      (await query("select id from croft.watch where wants_resync order by id")).map(
        (row) => row.id as string,
      ),
  };
}

test("what was given up is sent again under its own id, with its sync open again", async () => {
  const { query, addApp, deliver, create, start, ended, pending } = await scene();
  const app = await addApp("one");
  const failed = await deliver(app, { count: 5 });
  const quarantined = await deliver(app, { count: 2, state: "quarantined" });
  for (const state of ["delivered", "cancelled", "split", "pending"]) {
    await deliver(app, { state });
  }
  const before = await pending();
  const made = await create({ action: "replay", filter: {} });
  expect(made).toMatchObject({ action: "replay", filter: {}, status: "running", total: 7 });
  start();
  expect(await ended(made.id)).toMatchObject({ status: "done", total: 7, done: 7, skipped: 0 });
  const again = [...failed, ...quarantined].sort();
  expect(await pending()).toEqual([...again, ...before].sort());
  expect(
    await query(
      "select distinct failures, settled_at, seq from croft.delivery where id = any ($1)",
      [again],
    ),
  ).toEqual([{ failures: 0, settled_at: null, seq: 1 }]);
  expect(
    await query("select unsettled, count(*)::int from croft.sync where state = 'ready' group by 1"),
  ).toEqual([
    { unsettled: 2, count: 1 },
    { unsettled: 5, count: 1 },
  ]);
  const told = await query("select type from croft.event where subject = any ($1)", [again]);
  expect(told).toEqual(again.map(() => ({ type: "delivery.queued" })));
  expect(
    (await query("select type from croft.event where subject = $1 order by seq", [made.id])).map(
      ({ type }) => type,
    ),
  ).toEqual(["bulk.started", "bulk.progress", "bulk.progress", "bulk.done"]);
});

test("of one path only the newest is sent again", async () => {
  const { addApp, deliver, create, start, ended, pending } = await scene();
  const app = await addApp("one");
  await deliver(app, { path: "a" });
  await deliver(app, { path: "b" });
  await deliver(app, { path: "b", state: "delivered" });
  const newest = await deliver(app, { path: "a" });
  start();
  const { id } = await create({ action: "replay", filter: {} });
  expect(await ended(id)).toMatchObject({ total: 3, done: 1, skipped: 2 });
  expect(await pending()).toEqual(newest);
});

test("by app, watch and state; an app's own touches only what is its own", async () => {
  const { addApp, addWatch, deliver, create, start, ended, pending } = await scene();
  const [one, other] = [await addApp("one"), await addApp("other")];
  const second = { ...one, watch: await addWatch(one.id) };
  const ids = {
    failed: await deliver(one),
    quarantined: await deliver(one, { state: "quarantined" }),
    second: await deliver(second),
    other: await deliver(other),
  };
  start();
  const replay = async (filter: object, owner?: string) => {
    const { id } = await create({ action: "replay", filter }, owner);
    return (await ended(id)).done;
  };
  expect(await replay({ app: other.id }, one.owner)).toBe(0);
  expect(await replay({ watch: other.watch }, one.owner)).toBe(0);
  expect(await replay({ watch: second.watch }, one.owner)).toBe(1);
  expect(await pending()).toEqual(ids.second);
  expect(await replay({ state: "quarantined" }, one.owner)).toBe(1);
  expect(await replay({ app: other.id })).toBe(1);
  expect(await pending()).toEqual([...ids.second, ...ids.quarantined, ...ids.other].sort());
  expect(await replay({}, one.owner)).toBe(1);
  expect(await replay({})).toBe(0);
});

test("watches are asked to be re-synced, and their repositories to be polled now", async () => {
  const { query, addApp, addWatch, create, start, ended, resynced } = await scene();
  const [one, other] = [await addApp("one"), await addApp("other")];
  const [docs, failing] = [await addWatch(one.id, "Docs"), await addWatch(other.id, "code")];
  await query("update croft.watch set state = 'failing' where id = $1", [failing]);
  start();
  const resync = async (filter: object, owner?: string) => {
    await query("update croft.watch set wants_resync = false");
    await query("update croft.repository set next_poll_at = 'infinity'");
    const { id } = await create({ action: "resync", filter }, owner);
    const { done } = await ended(id);
    const due = await query("select 1 from croft.repository where next_poll_at <= croft.now()");
    expect(due).toHaveLength(done);
    return await resynced();
  };
  expect(await resync({})).toEqual([one.watch, other.watch, docs, failing].sort());
  expect(await resync({}, one.owner)).toEqual([one.watch, docs].sort());
  expect(await resync({ app: other.id }, one.owner)).toEqual([]);
  expect(await resync({ search: "dOCS" })).toEqual([docs]);
  expect(await resync({ state: "failing" })).toEqual([failing]);
  expect(await resync({ app: one.id, state: "synced", search: "docs" })).toEqual([docs]);
});

test("what comes or is given up later is not its business", async () => {
  const { query, addApp, addWatch, deliver, create, start, ended, pending, resynced } =
    await scene();
  const app = await addApp("one");
  const [old] = await deliver(app);
  const replay = await create({ action: "replay", filter: {} });
  const resync = await create({ action: "resync", filter: {} });
  await deliver(app);
  await addWatch(app.id);
  start();
  expect([await ended(replay.id), await ended(resync.id)]).toMatchObject([
    { total: 1, done: 1 },
    { total: 1, done: 1 },
  ]);
  expect([await pending(), await resynced()]).toEqual([[old], [app.watch]]);
  // Given up once more, it is not sent again by the same bulk.
  await query("update croft.delivery set state = 'failed', settled_at = croft.now()");
  await query("update croft.bulk set status = 'running', after_id = null, done = 0, skipped = 0");
  await query("select pg_notify('croft_bulk', '')");
  expect(await ended(replay.id)).toMatchObject({ done: 0 });
});

test.each(["replay", "resync"] as const)(
  "%s: cut off in the middle of a batch, another process goes on, and nothing is done twice",
  async (action) => {
    const { url, query, addApp, addWatch, deliver, create, start, ended, bulk, ...parts } =
      await scene();
    const app = await addApp("one");
    if (action === "replay") await deliver(app, { count: 14 });
    else for (let nth = 1; nth < 14; nth++) await addWatch(app.id);
    const { id } = await create({ action, filter: {} });
    await query(`
      create function public.cut() returns trigger language plpgsql as $$
      begin
        if new.done >= 9 and current_setting('application_name') = 'doomed' then
          perform pg_terminate_backend(pg_backend_pid());
          perform pg_sleep(10);
        end if;
        return new;
      end $$;
      create trigger cut before update on croft.bulk for each row execute function public.cut();
    `);
    const doomed = await engineOn(`${url}?application_name=doomed`);
    doomed.database.pool.options.application_name = "doomed";
    let cuts = 0;
    doomed.database.pool.on("remove", () => cuts++);
    const runner = start(doomed);
    await waitUntil("the cut", () => cuts > 0);
    expect(await bulk(id)).toMatchObject({ status: "running", done: 6 });
    await runner.close();
    start();
    expect(await ended(id)).toMatchObject({ status: "done", total: 14, done: 14, skipped: 0 });
    if (action === "resync") expect(await parts.resynced()).toHaveLength(14);
    else expect(await query("select unsettled from croft.sync")).toEqual([{ unsettled: 14 }]);
  },
);

test("aborted it goes no further, and with its app it ends", async () => {
  const { engine, query, addApp, deliver, create, start, ended, pending, bulk } = await scene();
  const [one, other] = [await addApp("one"), await addApp("other")];
  await deliver(one, { count: 4 });
  await deliver(other, { count: 2 });
  const aborted = await create({ action: "replay", filter: {} }, one.owner);
  expect(await abortBulk(engine.database, ALL, aborted.id)).toMatchObject({ status: "aborted" });
  const own = await create({ action: "replay", filter: {} }, one.owner);
  const everybody = await create({ action: "replay", filter: {} });
  await deleteApp(engine.database, one.id);
  await expect(bulk(own.id)).rejects.toMatchObject({ code: "not-found" });
  start();
  expect(await ended(everybody.id)).toMatchObject({ total: 6, done: 2, skipped: 4 });
  expect(await pending()).toHaveLength(2);
  expect(await query("select 1 from croft.bulk where owner = $1", [one.owner])).toEqual([]);
});
