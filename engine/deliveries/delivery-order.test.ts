// What has to wait for what: a path for itself and for what lies above and below it, a reset for all that is on its way.
import { expect, test } from "vitest";
import { deliveryScene } from "../../test/support/delivery-scene.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import type { ReceivedMessage } from "../../test/support/webhook-receiver.ts";
import { newId } from "../new-id.ts";
import { CHUNK_BYTES, keysOf } from "./delivery-files.ts";
import { replayDelivery } from "./replay-delivery.ts";

const ALL = { owner: undefined };
const PATIENT = { "deliveries.retries": Array.from({ length: 20 }, () => "40ms").join() };

function toldBy({ body }: ReceivedMessage): string {
  const files = body.data.files ?? [];
  return files.map(({ path, content }) => `${path} ${content ?? "-"}`).join("; ");
}

test("a file waits for what was told of the directory in its place, and the other way round", async () => {
  const { receiver, start, sync, settled } = await deliveryScene(PATIENT);
  let refusals = 0;
  receiver.answer = (message) => {
    const isFirst = toldBy(message) === "a/b/c 1" || toldBy(message) === "d 1";
    return { status: isFirst && refusals++ < 6 ? 500 : 204 };
  };
  await sync({ "a/b/c": "1" });
  await sync({ d: "1" });
  await sync({ a: "2" });
  await sync({ "d/e": "2" });
  await sync({ other: "x" });
  start();
  await settled();
  const accepted = [...new Set(receiver.received.map(toldBy))];
  const last = (text: string) => receiver.received.findLastIndex((each) => toldBy(each) === text);
  expect(accepted.sort()).toEqual(["a 2", "a/b/c 1", "d 1", "d/e 2", "other x"]);
  expect(last("a/b/c 1")).toBeLessThan(last("a 2"));
  expect(last("d 1")).toBeLessThan(last("d/e 2"));
  expect(last("other x")).toBeLessThan(last("a/b/c 1"));
});

test("names of any bytes lie in their directories", () => {
  const odd = Buffer.from([0x61, 0x2f, 0xff]); // a/ÿ
  const inside = keysOf([
    { path: odd.toString("base64"), path_encoding: "base64", change: "deleted" },
  ]);
  const above = keysOf([{ path: "a", change: "deleted" }]);
  expect(inside.above_keys).toEqual(above.path_keys);
  expect(above.above_keys).toEqual([]);
});

test("a reset takes the place of what is pending, and waits for what is on its way", async () => {
  const { app, receiver, start, sync, settled, query } = await deliveryScene(PATIENT);
  let answer: (status: number) => void = () => {};
  receiver.answer = async (message) => {
    if (toldBy(message) !== "slow 1") return { status: 204 };
    return { status: await new Promise<number>((resolve) => (answer = resolve)) };
  };
  await sync({ slow: "1" });
  await sync({ slow: "2", old: "2" }, { filesMax: 1 });
  start();
  await waitUntil("the first", () => receiver.received.some((each) => toldBy(each) === "slow 1"));
  await waitUntil("old", () => receiver.received.some((each) => toldBy(each) === "old 2"));
  await sync({ fresh: "3" }, { isReset: true });
  const seen = receiver.received.length;
  // Whatever may be sent goes before this one.
  await query("insert into croft.delivery (id, app_id, type, data) values ($1, $2, 'ping', '{}')", [
    ...[newId(), app.id],
  ]);
  await query("select pg_notify('croft_delivery', '')");
  await waitUntil("the ping", () => receiver.received.length > seen);
  answer(500); // it is not tried again
  await settled();
  expect(receiver.received.slice(seen).map(toldBy)).toEqual(["", "fresh 3"]);
  expect(
    await query(
      `select state, (files -> 0 ->> 'path') || ' ' || number as what from croft.delivery
       where files is not null order by id`,
    ),
  ).toEqual([
    { state: "cancelled", what: "slow 1" },
    { state: "cancelled", what: "slow 2" },
    { state: "delivered", what: "old 3" },
    { state: "delivered", what: "fresh 4" },
  ]);
  expect(await query("select from croft.sync where state <> 'settled'")).toEqual([]);
  expect(await query("select from croft.delivery_wait")).toEqual([]);
});

test("nothing older than a reset, or than what took its place, is sent again", async () => {
  const { engine, receiver, start, sync, settled, query } = await deliveryScene();
  await sync({ "a/b": "1" });
  await sync({ b: "1" });
  await sync({ a: "2" });
  start();
  await settled();
  const [first, second] = await query<{ id: string }>("select id from croft.delivery order by id");
  const again = (row: { id: string } | undefined) =>
    replayDelivery(engine.database, ALL, row?.id ?? "");
  await expect(again(first)).rejects.toMatchObject({ code: "delivery-busy" });
  await again(second);
  await settled();
  expect(receiver.received.length).toBe(4);
  await sync({ c: "3" }, { isReset: true });
  await settled();
  await expect(again(second)).rejects.toMatchObject({ code: "delivery-busy" });
});

test("whoever asks for the same chunks again and again is told them later, and not for ever", async () => {
  const { receiver, start, sync, settled, states, query } = await deliveryScene({
    "deliveries.retries": "10ms",
  });
  receiver.answer = ({ body }) => {
    const index = (body.data["transfer"] as { index: number } | undefined)?.index;
    return index === 2 ? { status: 409, headers: { "croft-resume-from": "0" } } : { status: 204 };
  };
  await sync({ "large.bin": Buffer.alloc(CHUNK_BYTES * 3, "x") });
  start();
  await settled();
  expect(await states()).toEqual(["failed"]);
  expect(await query("select error ->> 'code' as code from croft.delivery")).toEqual([
    { code: "resumed-too-often" },
  ]);
  expect(receiver.received.length).toBe(2 * 4 * 3); // two tries, each from the first chunk to the third, four times
});

test("a sync that ends while what it waits for is being settled is not forgotten", async () => {
  const { receiver, start, sync, settled, states } = await deliveryScene();
  receiver.answer = async () => ({ status: 204 });
  start();
  for (let number = 0; number < 40; number++) await sync({ "a.md": `${number}` });
  await settled();
  expect(new Set(await states())).toEqual(new Set(["delivered"]));
  const told = receiver.received.map(toldBy);
  expect(told).toEqual(Array.from({ length: 40 }, (_, number) => `a.md ${number}`));
});

test("a process that was taken for dead takes nothing, and what it makes does not count", async () => {
  const { engine, receiver, start, sync, settled, query, watchId } = await deliveryScene();
  await sync({ "a.md": "1" });
  await query("update croft.repository set dispatcher_id = $1", [newId()]); // polled by another by now
  await expect(sync({ "a.md": "2" })).rejects.toThrow();
  expect(await query("select told_commit from croft.watch where id = $1", [watchId])).toHaveLength(
    1,
  );
  expect(await query("select from croft.sync")).toHaveLength(1);
  const taken = await engine.database.pool.query(
    "select * from croft.claim_deliveries($1, $2, 10)",
    [newId(), engine.hostId],
  );
  expect(taken.rows).toEqual([]);
  start();
  await settled();
  expect(receiver.received.map(toldBy)).toEqual(["a.md 1"]);
});
