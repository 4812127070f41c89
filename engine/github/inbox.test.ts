// Events of GitHub: each is stored and handled once, in order for its installation, given up visibly, and replayed.
import { readGithubEvent, replayEvent } from "@croft/engine";
import { expect, onTestFinished, test } from "vitest";
import { inboxScene } from "../../test/support/inbox-scene.ts";
import { scratchDatabase } from "../../test/support/scratch-database.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { inTransaction, type Queryable } from "../database/in-transaction.ts";
import { Dispatcher } from "../dispatch/dispatcher.ts";

// biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of Croft's
const TRIGGERS = [{ on: "issues", job: { type: "note", input: { n: "${{ event.n }}" } } }];
const issue = (installation: number, n: number) => ({
  ...{ action: "opened", n, installation: { id: installation } },
  sender: { login: "ada", type: "User" },
});
const JOBS = "select input ->> 'n' as n, owner from croft.job order by id";

test("the same delivery, again and at once, is one event with one effect", async () => {
  const { bring, dispatch, settled, query, events } = await inboxScene({ triggers: TRIGGERS });
  const brought = await Promise.all([1, 2, 3].map(() => bring("issues", issue(7, 1), "same")));
  expect(new Set(brought.map(({ id }) => id)).size).toBe(1);
  await dispatch();
  await settled();
  expect(await bring("issues", issue(7, 1), "same")).toEqual({
    ...{ id: brought[0]?.id, status: "handled" },
  });
  await settled();
  expect(await query(JOBS)).toEqual([{ n: "1", owner: "installation:7" }]);
  expect(await events()).toMatchObject([{ delivery_id: "same", status: "handled", replay: 0 }]);
});

test("what no trigger wants, nobody knows, or has no installation is kept and ignored", async () => {
  const { bring, dispatch, settled, events, query } = await inboxScene({ triggers: TRIGGERS });
  await bring("watch", issue(7, 1), "unwanted");
  await bring("something_new", issue(7, 1), "unknown");
  await bring("issues", { action: "opened", n: 1 }, "of nobody");
  await bring("issues", { action: 3, installation: [1], repository: "x", sender: {} }, "odd");
  await dispatch();
  await settled();
  expect((await events()).map(({ status }) => status)).toEqual(Array(4).fill("ignored"));
  expect(await query(JOBS)).toEqual([]);
});

test("many events of several installations, handled by two processes: each in order, each once", async () => {
  const options = { triggers: TRIGGERS, databaseUrl: await scratchDatabase() };
  const first = await inboxScene(options);
  const second = await inboxScene(options);
  await first.dispatch();
  await second.dispatch();
  const brought: Promise<unknown>[] = [];
  for (let n = 0; n < 40; n++) {
    for (const installation of [1, 2, 3]) {
      const { bring } = n % 2 === 0 ? first : second;
      // One after the other for each installation: only so is there an order.
      brought[installation] = (brought[installation] ?? Promise.resolve()).then(() =>
        bring("issues", issue(installation, n), `${installation}-${n}`),
      );
    }
  }
  await Promise.all(brought);
  await first.settled();
  for (const installation of [1, 2, 3]) {
    const rows = await first.query<{ n: string }>(
      "select input ->> 'n' as n from croft.job where owner = $1 order by created_at, id",
      [`installation:${installation}`],
    );
    const told = await first.query<{ place: string }>(
      `select i.place::text from croft.event e join croft.inbox i on i.id = e.subject
       where e.type = 'inbox.handled' and i.installation = $1 order by e.place`,
      [installation],
    );
    expect(rows.map(({ n }) => Number(n))).toEqual(Array.from({ length: 40 }, (_, n) => n));
    const places = told.map(({ place }) => Number(place));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places.length).toBe(40);
  }
});

test("one that fails holds back its own installation only, is given up visibly, and comes back when it is sent again", async () => {
  const scene = await inboxScene({ triggers: TRIGGERS });
  const { bring, dispatch, query, events, hurry, settled } = scene;
  await query(
    `create function croft.refuse() returns trigger language plpgsql as
       $$ begin raise exception 'no % today', new.trigger; end $$`,
  );
  await query(
    `create trigger refuse before insert on croft.inbox_effect for each row
       when (new.inbox_id::text like '%') execute function croft.refuse()`,
  );
  await bring("issues", issue(1, 1), "bad");
  await bring("watch", issue(1, 2), "behind");
  await bring("watch", issue(2, 3), "beside");
  await dispatch();
  const statusOf = async (delivery: string) =>
    (await events()).find((each) => each.delivery_id === delivery);
  await waitUntil("the other installation", async () => {
    return (await statusOf("beside"))?.status === "ignored";
  });
  for (const failures of [1, 2]) {
    await waitUntil("a failure", async () => (await statusOf("bad"))?.failures === failures);
    expect((await statusOf("behind"))?.status).toBe("pending");
    await hurry();
  }
  await settled();
  const failed = await statusOf("bad");
  expect(failed).toMatchObject({ status: "failed", failures: 3, error: { code: "not-handled" } });
  expect(failed?.error?.message).toContain("no trigger:job:note today");
  expect((await statusOf("behind"))?.status).toBe("ignored");
  expect(await query(JOBS)).toEqual([]); // nothing of what failed is left
  await query("drop trigger refuse on croft.inbox_effect");
  expect(await bring("issues", issue(1, 1), "bad")).toEqual({ id: failed?.id, status: "pending" });
  await settled();
  expect(await statusOf("bad")).toMatchObject({ status: "handled", error: null });
  expect(await query(JOBS)).toHaveLength(1);
});

test("replayed, an event starts its work anew; one that is pending or missing cannot be", async () => {
  const { engine, bring, dispatch, settled, query } = await inboxScene({ triggers: TRIGGERS });
  const { id } = await bring("issues", issue(5, 1), "once");
  const { database } = engine;
  await expect(replayEvent(database, id)).rejects.toMatchObject({ code: "event-pending" });
  await dispatch();
  await settled();
  await replayEvent(database, id);
  await settled();
  expect(await query(JOBS)).toHaveLength(2);
  const { effects, replay, payload } = await readGithubEvent(database.pool, id);
  expect(replay).toBe(1);
  expect(payload["n"]).toBe(1);
  expect(effects.map((each) => [each.trigger, each.replay])).toEqual([
    ["trigger:job:note", 0],
    ["trigger:job:note", 1],
  ]);
  const missing = "01a1e246-c651-7000-ba6e-000000000000";
  await expect(replayEvent(database, missing)).rejects.toMatchObject({ code: "not-found" });
});

test("a replay waits for what is in hand of its installation, also for what is taken in the same moment", async () => {
  const { engine, bring, query } = await inboxScene({ triggers: TRIGGERS });
  const dispatcher = await Dispatcher.start(engine);
  onTestFinished(() => dispatcher.close());
  const claim = async (client: Queryable = engine.database.pool) => {
    const text = "select id, delivery_id, attempt from croft.claim_events($1, 1, 1)";
    const { rows } = await client.query<ClaimedRow>(text, [dispatcher.id]);
    return rows[0];
  };
  const settle = async (claimed: ClaimedRow | undefined) => {
    const values = [claimed?.id, dispatcher.id, claimed?.attempt];
    await query("select croft.settle_event($1, $2, $3, 'handled', 0, null)", values);
  };
  const { id: older } = await bring("issues", issue(1, 1), "older");
  await settle(await claim());
  await bring("issues", issue(1, 2), "newer");
  let again: Promise<ClaimedRow | undefined> = Promise.resolve(undefined);
  const newer = await inTransaction(engine.database, async (client) => {
    const claimed = await claim(client);
    await replayEvent(engine.database, older); // now it is the first of its installation
    again = claim();
    await bring("issues", issue(2, 3), "beside");
    return claimed;
  });
  expect(newer?.delivery_id).toBe("newer");
  const taken = [await again, await claim()].flatMap((each) => each?.delivery_id ?? []);
  expect(taken).toEqual(["beside"]);
  await settle(newer);
  expect((await claim())?.delivery_id).toBe("older");
});

test("as many are taken as there is room for their payloads, and one more", async () => {
  const { engine, bring, query } = await inboxScene();
  const dispatcher = await Dispatcher.start(engine);
  onTestFinished(() => dispatcher.close());
  for (let n = 1; n <= 5; n++)
    await bring("issues", { ...issue(n, n), text: "x".repeat(1e6) }, `${n}`);
  const text = "select from croft.claim_events($1, 16, $2)";
  expect(await query(text, [dispatcher.id, 1])).toHaveLength(1);
  expect(await query(text, [dispatcher.id, 1_500_000])).toHaveLength(2);
  expect(await query(text, [dispatcher.id, 25_000_000])).toHaveLength(2);
});

interface ClaimedRow {
  readonly id: string;
  readonly delivery_id: string;
  readonly attempt: number;
}

test("what a dead process had is handled by another; what kills again and again is given up", async () => {
  const { bring, dispatch, settled, query, events } = await inboxScene({ triggers: TRIGGERS });
  const { id: taken } = await bring("issues", issue(1, 1), "taken");
  const { id: deadly } = await bring("issues", issue(2, 2), "deadly");
  const dead = "01a1e246-c651-7000-ba6e-00000000dead";
  await query(
    `insert into croft.dispatcher (id, host, pid, process_start, lease_until)
     values ($1, 'elsewhere', 1, '1', croft.now() - interval '1 second')`,
    [dead],
  );
  await query("update croft.inbox set dispatcher_id = $1, attempt = 1", [dead]);
  await query("update croft.inbox set lost = 19 where id = $1", [deadly]);
  await dispatch();
  await settled();
  const found = new Map((await events()).map((each) => [each.id, each]));
  expect(found.get(taken)?.status).toBe("handled");
  expect(found.get(deadly)).toMatchObject({ status: "failed", error: { code: "lost" } });
  expect(await query(JOBS)).toEqual([{ n: "1", owner: "installation:1" }]);
});

test("whoever looks sees events come and go", async () => {
  const { bring, dispatch, settled, query } = await inboxScene({ triggers: TRIGGERS });
  const { id } = await bring("issues", issue(1, 1), "one");
  await dispatch();
  await settled();
  expect(
    await query("select seq, owner, type, data from croft.event where subject = $1 order by seq", [
      id,
    ]),
  ).toEqual([
    { seq: 1, owner: "local", type: "inbox.received", data: ABOUT },
    { seq: 2, owner: "local", type: "inbox.handled", data: ABOUT },
  ]);
});

const ABOUT = { event: "issues", action: "opened", installation: 1 };
