// What one app, one name or one remote does, and what that is to the others: nothing.
import { onboardApp, pingApp } from "@croft/engine";
import { expect, test } from "vitest";
import { deliveryScene } from "../../test/support/delivery-scene.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { webhookReceiver } from "../../test/support/webhook-receiver.ts";
import { watchFailed, watchWorks } from "../watches/watch-health.ts";
import { claimDeliveries, settleDeliveries } from "./settle-deliveries.ts";

const APP = { email: "a@example.com", description: "", delivery_slots: 4 };
const PINGS = `insert into croft.delivery (id, app_id, type, data)
  select croft.new_id(), $1, 'ping', '{}' from generate_series(1, $2::integer)`;

test("a name that is cut in the middle of a character is kept, and holds nobody back", async () => {
  const { start, sync, states, settled, query, receiver } = await deliveryScene();
  receiver.answer = () => ({ status: 200, body: "\0", headers: { "x-text": "\u00ff" } });
  // One of the two is cut between the halves of a pair.
  for (const pad of ["", "x"]) await sync({ [`${pad}${`${"😀".repeat(60)}/`.repeat(18)}f`]: "a" });
  start();
  await settled();
  expect(await states()).toEqual(["delivered", "delivered"]);
  const kept = await query<{ body: string }>(
    "select request ->> 'body' as body from croft.delivery_attempt order by 1",
  );
  expect(kept.map(({ body }) => body.at(-1))).toEqual(["…", "…"]);
});

test("what the database does not take is left out, and the rest is told", async () => {
  const { engine, app, dispatcher, query, states } = await deliveryScene();
  await query(PINGS, [app.id, 3]);
  const claimed = await claimDeliveries(engine.database, dispatcher, { max: 3 });
  const results = claimed.map(({ id, attempt }, nth) => ({
    ...{ id, attempt, state: "delivered" as const, tries: [] },
    status_code: nth === 1 ? 2 ** 40 : 204,
  }));
  const told = await settleDeliveries(engine.database, dispatcher.id, results);
  expect(told.length).toBe(3);
  expect(await states()).toEqual(["delivered", "delivered", "delivered"]);
});

test("who has least on its way comes first, however much others have to be told", async () => {
  const { engine, app, dispatcher, query, receiver } = await deliveryScene();
  await query("update croft.app set delivery_slots = 64");
  await query(PINGS, [app.id, 100]);
  const others = [];
  for (const name of ["one", "two"]) {
    const other = await onboardApp(engine, { ...APP, name, base_url: receiver.url });
    await query(PINGS, [other.id, 2]);
    others.push(other.id);
  }
  await query(
    "update croft.delivery set due_at = croft.now() - interval '1 hour' where app_id = $1",
    [app.id],
  );
  const claim = async (max: number) =>
    (await claimDeliveries(engine.database, dispatcher, { max })).map(({ app_id }) => app_id);
  expect((await claim(3)).sort()).toEqual([app.id, ...others].sort());
  expect((await claim(3)).sort()).toEqual([app.id, ...others].sort());
  expect(await claim(3)).toEqual([app.id, app.id, app.id]);
});

test("apps that answer late take no places from others", async () => {
  const quick = await webhookReceiver();
  const { start, engine, query, receiver } = await deliveryScene({ "deliveries.timeout": "60s" }, [
    quick.host,
  ]);
  receiver.answer = () => undefined; // hangs
  for (let nth = 0; nth < 17; nth++) {
    const base_url = `${receiver.url}${nth}`;
    const late = await onboardApp(engine, { ...APP, name: `late-${nth}`, base_url });
    await query(PINGS, [late.id, 4]);
  }
  start();
  await waitUntil("all of them to hang", () => receiver.received.length === 68);
  const other = await onboardApp(engine, { ...APP, name: "quick", base_url: quick.url });
  await pingApp(engine.database, other.id);
  await waitUntil("the other's message", () => quick.received.length === 1);
});

test("what is accepted does not take back a Retry-After", async () => {
  const { start, app, query, receiver } = await deliveryScene({ "deliveries.retries": "1h" });
  const answers: ((status: number) => void)[] = [];
  receiver.answer = async () => {
    const status = await new Promise<number>((resolve) => answers.push(resolve));
    return { status, headers: status === 429 ? { "retry-after": "3600" } : {} };
  };
  await query(PINGS, [app.id, 20]);
  start();
  await waitUntil("four on their way", () => answers.length === 4);
  const count = async (state: string) =>
    (await query("select from croft.delivery where state = $1", [state])).length;
  const isClosed =
    "select from croft.app where endpoint_closed_until > croft.now() + interval '50 minutes'";
  answers[0]?.(429);
  await waitUntil("the rest", async () => (await query(isClosed)).length === 1);
  for (const answer of answers.slice(1)) answer(204);
  await waitUntil("the others", async () => (await count("delivered")) === 3);
  expect(await query(isClosed)).toHaveLength(1);
  expect(await count("pending")).toBe(17);
  expect(receiver.received.length).toBe(4);
});

test("that a watch works again is told after that it has failed", async () => {
  const { engine, app, start, settled, receiver, watchId, query } = await deliveryScene({
    "deliveries.retries": Array.from({ length: 20 }, () => "20ms").join(),
  });
  let refusals = 0;
  receiver.answer = ({ body }) => ({
    status: body.type === "sync.failed" && refusals++ < 3 ? 500 : 204,
  });
  const watch = { id: watchId, app_id: app.id };
  const fault = { code: "credential-refused", message: "no", holds: true, mayPass: false };
  for (let nth = 0; nth < 2; nth++) {
    await watchFailed(engine.database, watch, fault, 1000);
    await watchWorks(engine.database, watch);
  }
  start();
  await settled();
  const told = receiver.received.map(({ body }) => body.type.replace("sync.", ""));
  expect(told).toEqual([
    ...["failed", "failed", "failed", "failed", "recovered", "failed", "recovered"],
  ]);
  expect(await query("select from croft.delivery_wait")).toEqual([]);
});

test("what cannot be sent for reasons of ours is tried more and more seldom, and given up in the end", async () => {
  const { sync, start, query, blobs, receiver } = await deliveryScene();
  await sync({ "a.md": "a" });
  blobs.clear();
  start();
  const row = async () =>
    (
      await query<{ unsent: number; failures: number; state: string; due_ms: number }>(
        `select unsent, failures, state, extract(epoch from due_at - croft.now())::float8 * 1000 as due_ms from croft.delivery`,
      )
    )[0];
  await waitUntil("the first try", async () => (await row())?.unsent === 1);
  await query("update croft.delivery set unsent = 5, due_at = croft.now()");
  await query("select pg_notify('croft_delivery', '')");
  await waitUntil("a later try", async () => (await row())?.unsent === 6);
  expect((await row())?.due_ms).toBeGreaterThan(200_000);
  await query("update croft.delivery set unsent = 29, due_at = croft.now()");
  await query("select pg_notify('croft_delivery', '')");
  await waitUntil("the end", async () => (await row())?.state === "failed");
  expect(await row()).toMatchObject({ failures: 0, unsent: 30 });
  expect(receiver.received).toEqual([]);
});

test("a file that alone is answered with 5xx is set aside, and what is told of it later goes on", async () => {
  const { sync, start, settled, receiver, query } = await deliveryScene({
    "deliveries.retries": Array.from({ length: 9 }, () => "20ms").join(),
  });
  receiver.answer = ({ body }) => {
    const isPoison = body.data.files?.some(({ content }) => content === "poison") === true;
    return { status: isPoison ? 500 : 204 };
  };
  await sync({ "a.md": "poison" });
  await sync({ "a.md": "cured" });
  start();
  let nth = 0;
  await waitUntil("its end", async () => {
    await sync({ [`${nth++}.md`]: "x" }); // somebody has to succeed meanwhile
    return receiver.received.some(({ body }) => body.data.files?.[0]?.content === "cured");
  });
  await settled();
  const rows = await query<{ state: string; attempt: number }>(
    "select state, attempt from croft.delivery where files -> 0 ->> 'path' = 'a.md' order by id",
  );
  expect(rows.map(({ state }) => state)).toEqual(["quarantined", "delivered"]);
  expect(rows[0]?.attempt).toBeLessThan(10);
});
