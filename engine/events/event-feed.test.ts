// The feed of all events: nothing missed, nothing twice, whoever writes and whenever a reader comes; and honest when it cannot.
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { expect, test } from "vitest";
import { feedListener } from "../../test/support/feed-listener.ts";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { seededRandom } from "../../test/support/seeded-random.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import type { Engine } from "../engine.ts";
import { newId } from "../new-id.ts";
import { type FeedCursor, isAfter } from "./feed-cursor.ts";

const OWNERS = ["app:a", "app:b"];

type Client = pg.Pool | pg.PoolClient;

/** New subjects, an event each, announced. */
async function write(client: Client, owner = "local", count = 1): Promise<string[]> {
  const subjects = Array.from({ length: count }, newId);
  await client.query(
    `with made as (insert into croft.event (subject, seq, owner, type, data)
       select id, 1, $2, 'x', '{}' from unnest($1::uuid[]) with ordinality u(id, nth) order by nth)
     select croft.announce($1::uuid[])`,
    [subjects, owner],
  );
  return subjects;
}

/** In the order that readers are promised. */
async function allEvents({ database }: Engine, owner?: string, after?: FeedCursor) {
  const { rows } = await database.pool.query<{ subject: string }>(
    `select subject from croft.event
     where ($1::text is null or owner = $1) and (xid, place) > ($2::text::xid8, $3::bigint) order by xid, place`,
    [owner ?? null, String(after?.xid ?? 0), String(after?.place ?? 0)],
  );
  return rows.map(({ subject }) => subject);
}

/** The place of the newest event, when nobody's older transaction holds it back any more: other tests have theirs. */
async function newestPlace({ feed, database }: Engine): Promise<FeedCursor> {
  const { rows } = await database.pool.query<{ place: string }>(
    "select place::text as place from croft.event order by xid desc, event.place desc limit 1",
  );
  return await waitUntil("the newest event", async () => {
    const { cursor } = await feed.begin();
    return cursor.place === BigInt(rows[0]?.place ?? 0) && cursor;
  });
}

test("however transactions overlap, and however often a reader leaves and comes back, it hears each event once, in order", async () => {
  const engine = await scratchEngine();
  const { pool } = engine.database;
  const readers = [undefined, ...OWNERS, undefined, ...OWNERS].map((owner, number) => ({
    owner,
    random: seededRandom(number),
    listener: feedListener(engine, { owner }),
  }));
  let isWriting = true;
  await Promise.all(readers.map(({ listener }) => listener.come()));
  const started = readers.map(({ listener }) => listener.cursor());
  const reading = readers.map(async ({ listener, random }) => {
    while (isWriting) {
      await delay(random.below(30));
      listener.leave();
      await delay(random.below(10));
      await listener.come();
    }
  });
  const writing = Array.from({ length: 3 }, async (_, number) => {
    const random = seededRandom(100 + number);
    const client = await pool.connect();
    for (let nth = 0; nth < 150; nth++) {
      await client.query("begin");
      await write(client, OWNERS[random.below(2)], 1 + random.below(5));
      if (random.below(10) === 0) await delay(random.below(30));
      await write(client, OWNERS[random.below(2)]);
      await client.query("commit");
    }
    client.release();
  });
  await Promise.all(writing);
  isWriting = false;
  await Promise.all(reading);
  const last = (await write(pool, "app:a")).concat(await write(pool, "app:b"));
  for (const [index, { listener, owner }] of readers.entries()) {
    const end = owner === "app:a" ? last[0] : last[1];
    await waitUntil("the last event", () => listener.heard.some(({ subject }) => subject === end));
    const heard = listener.heard.map(({ subject }) => subject);
    expect(heard).toEqual(await allEvents(engine, owner, started[index]));
    expect(listener.resets).toEqual([]);
  }
});

test("whoever comes when nobody has listened for long is told what happens from then on", async () => {
  const engine = await scratchEngine();
  const { pool } = engine.database;
  const early = feedListener(engine);
  await early.come();
  const [first] = await write(pool);
  await waitUntil("the first event", () => early.heard.length === 1);
  early.leave();
  await write(pool, "local", 20_000);
  await newestPlace(engine);
  const late = feedListener(engine);
  await late.come();
  const [next] = await write(pool);
  await waitUntil("the next event", () => late.heard.length > 0);
  expect(late.heard.map(({ subject }) => subject)).toEqual([next]);
  expect(early.heard.map(({ subject }) => subject)).toEqual([first]);
});

test("an app with few events among many of others goes on where it was, and knows how far the others are", async () => {
  const engine = await scratchEngine();
  const { pool } = engine.database;
  const own = feedListener(engine, { owner: "app:a" });
  await own.come();
  await write(pool, "app:a");
  await waitUntil("its first event", () => own.heard.length === 1);
  own.leave();
  const before = own.cursor();
  await write(pool, "local", 25_000);
  await write(pool, "app:a", 1200);
  await write(pool, "local", 25_000);
  await own.come();
  await waitUntil("the rest", () => own.heard.length === 1201);
  expect(own.heard.map(({ subject }) => subject)).toEqual(await allEvents(engine, "app:a"));
  const newest = await newestPlace(engine);
  await waitUntil("the others' last", () => own.cursor()?.place === newest.place);
  expect(before !== undefined && isAfter(newest, before)).toBe(true);
});

test("events with numbers that this cluster has not given are adopted, and hold nothing back", async () => {
  const engine = await scratchEngine();
  const { pool } = engine.database;
  const reader = feedListener(engine);
  await reader.come();
  // As a dump leaves it: rows keep their numbers, those of this cluster are far below.
  const { id } = await engine.intake.submit({
    ...{ type: "command", priority: "normal", owner: "local", run_at: "2999-01-01T00:00:00Z" },
    input: { repository: "https://example.org/a", command: "true" },
  });
  await pool.query("update croft.job set event_xid = '5000000000000' where id = $1", [id]);
  await pool.query("update croft.event set xid = '5000000000000'");
  await waitUntil("the reset", () => reader.resets.length > 0);
  await pool.query("select croft.cancel(array[$1::uuid])", [id]);
  await waitUntil("the next event", () => reader.heard.at(-1)?.type === "job.cancelled");
  const { rows } = await pool.query(
    "select xid < pg_snapshot_xmin(pg_current_snapshot()) as known from croft.event",
  );
  expect(rows).toEqual([{ known: true }, { known: true }]);
});

test("a place of another database, of one from before it was restored, or one that is forgotten, is answered with a reset", async () => {
  const engine = await scratchEngine();
  const { pool } = engine.database;
  const subjects = await write(pool, "local", 3);
  const newest = await newestPlace(engine);
  const { rows } = await pool.query<{ place: string }>(
    "select place::text as place from croft.event order by place",
  );
  const first = { ...newest, place: BigInt(rows[0]?.place ?? 0) };
  const isReset = async (after: FeedCursor) => (await engine.feed.begin(after)).isReset;
  expect(await isReset(newest)).toBe(false);
  expect(await isReset(first)).toBe(false);
  expect(await isReset({ ...newest, era: "0badcafe" })).toBe(true);
  expect(await isReset({ ...newest, era: "" })).toBe(true);
  expect(await isReset({ ...newest, xid: newest.xid + 1_000_000_000n })).toBe(true);
  await pool.query("update croft.event set at = now() - interval '1 day' where subject <> $1", [
    subjects[2],
  ]);
  await pool.query("select croft.forget_events(now() - interval '1 hour', 100)");
  expect(await isReset(first)).toBe(true); // the second one, of the same transaction, is gone
  expect(await isReset(newest)).toBe(false);
  await pool.query("select croft.forget_events(now() + interval '1 hour', 100)");
  expect(await isReset(newest)).toBe(false); // nothing came after it
});

test("when another cluster has taken over, those who listen are told, and so is who comes back", async () => {
  const engine = await scratchEngine();
  const { pool } = engine.database;
  const [live, away] = [feedListener(engine), feedListener(engine)];
  for (const listener of [live, away]) await listener.come();
  await write(pool);
  await waitUntil("both", () => [live, away].every(({ heard }) => heard.length === 1));
  away.leave();
  await pool.query("update croft.event_floor set cluster = 'another'");
  await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'croft listener'`,
  );
  await waitUntil("the reset", () => live.resets.length === 1);
  await away.come();
  expect(away.resets).toEqual([(await engine.feed.begin()).cursor]);
  const [next] = await write(pool);
  for (const { heard } of [live, away]) {
    await waitUntil("the next event", () => heard.length === 2);
    expect(heard[1]?.subject).toBe(next);
  }
});
