// Receivers that are ill in every way: each gets what the protocol says, and another app's messages go on meanwhile.
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { onboardApp } from "@croft/engine";
import { expect, onTestFinished, test } from "vitest";
import { deliveryScene } from "./support/delivery-scene.ts";
import { waitUntil } from "./support/wait-until.ts";
import { type Reply, webhookReceiver } from "./support/webhook-receiver.ts";

const OTHERS = 12;

/** The app that is ill has a file to be told of; a second app, which is well, gets messages one after the other. */
async function scene(flags: Record<string, string> = {}, hosts: readonly string[] = []) {
  const well = await webhookReceiver();
  const quick = { "deliveries.retries": "50ms,50ms", ...flags };
  const made = await deliveryScene(quick, [well.host, ...hosts]);
  const { engine, query } = made;
  const other = await onboardApp(engine, {
    ...{ name: "other", email: "b@example.com", description: "", delivery_slots: 4 },
    base_url: well.url,
  });
  /** So many more reach it, though they come after what the other app was to be told. */
  const othersGoOn = async () => {
    const before = well.received.length;
    for (let number = 0; number < OTHERS; number++) {
      await query(
        "insert into croft.delivery (id, app_id, type, data) values (gen_random_uuid(), $1, 'ping', '{}')",
        [other.id],
      );
    }
    await query("select pg_notify('croft_delivery', '')");
    await waitUntil("the other app's messages", () => well.received.length === before + OTHERS);
  };
  const own = async () => {
    const [row] = await query<{ state: string; status_code: number | null; code: string | null }>(
      "select state, status_code, error ->> 'code' as code from croft.delivery where files is not null",
    );
    return row;
  };
  const endpoint = async () => {
    const [row] = await query<{ failures: number; closed: boolean; gone: boolean }>(
      `select endpoint_failures as failures, coalesce(endpoint_closed_until > croft.now() + interval '50 minutes', false) as closed,
         endpoint_gone_at is not null as gone from croft.app where id = $1`,
      [made.app.id],
    );
    return row;
  };
  return { ...made, othersGoOn, own, endpoint };
}

/** Never ends, and says nothing of it: what was not asked for any more is not sent. */
function pour(response: ServerResponse, bytesMax: number): { sent(): number } {
  let sent = 0;
  const piece = Buffer.alloc(65_536, "x");
  const more = () => {
    if (response.destroyed || sent >= bytesMax) return;
    sent += piece.length;
    response.write(piece, more);
  };
  more();
  return { sent: () => sent };
}

test.each([
  ["500", { status: 500, body: "broken" }],
  ["a redirect", { status: 302, headers: { location: "http://127.0.0.1:1/" } }],
  ["503 without Retry-After", { status: 503 }],
] as const)(
  "%s is tried again with the same id, by the schedule, and then given up",
  async (_, reply: Reply) => {
    const { receiver, start, sync, othersGoOn, own } = await scene();
    receiver.answer = () => reply;
    await sync({ "a.md": "a" });
    start();
    await othersGoOn();
    await waitUntil("the end", async () => (await own())?.state === "failed");
    expect(await own()).toMatchObject({ status_code: reply.status, code: `http-${reply.status}` });
    expect(receiver.received.length).toBe(3);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
  },
);

test("where a redirect leads to is not asked", async () => {
  const target = await webhookReceiver();
  const { receiver, start, sync, own } = await scene();
  receiver.answer = () => ({ status: 307, headers: { location: target.url } });
  await sync({ "a.md": "a" });
  start();
  await waitUntil("the end", async () => (await own())?.state === "failed");
  expect(target.received).toEqual([]);
});

test("429 with Retry-After closes the address for that long, and nobody else's", async () => {
  const { receiver, start, sync, othersGoOn, own, endpoint } = await scene();
  receiver.answer = () => ({ status: 429, headers: { "retry-after": "3600" } });
  await sync({ "a.md": "a", "b.md": "b" }, { filesMax: 1 });
  start();
  await waitUntil("the pause", async () => (await endpoint())?.closed === true);
  const asked = receiver.received.length;
  await othersGoOn();
  expect(receiver.received.length).toBe(asked);
  expect(await own()).toMatchObject({ state: "pending" });
});

test("410 stops the address; what was to be sent waits", async () => {
  const { receiver, start, sync, othersGoOn, own, endpoint } = await scene();
  receiver.answer = () => ({ status: 410 });
  await sync({ "a.md": "a" });
  start();
  await waitUntil("the end", async () => (await endpoint())?.gone === true);
  await othersGoOn();
  expect(receiver.received.length).toBe(1);
  expect(await own()).toMatchObject({ state: "pending", status_code: 410 });
});

test("while one app keeps all its requests hanging the other's messages go on; then it has failed to answer", async () => {
  const { receiver, start, sync, othersGoOn, query } = await scene({ "deliveries.timeout": "5s" });
  receiver.answer = () => undefined;
  const names = ["a", "b", "c", "d", "e", "f"];
  await sync(Object.fromEntries(names.map((name) => [name, name])), { filesMax: 1 });
  start();
  await waitUntil("all its turns to be taken", () => receiver.received.length === 4);
  await othersGoOn();
  await othersGoOn();
  expect(receiver.received.length).toBe(4); // none of them was over by then
  receiver.answer = () => ({ status: 204 });
  const left = () => query("select from croft.delivery where state <> 'delivered'");
  await waitUntil("all to be told", async () => (await left()).length === 0, 60_000);
  const codes = await query<{ code: string }>(
    "select distinct error ->> 'code' as code from croft.delivery_attempt where error is not null",
  );
  expect(codes).toEqual([{ code: "timeout" }]);
});

test("a connection that is reset, or closed at once, is no answer", async () => {
  const { receiver, start, sync, othersGoOn, own } = await scene();
  receiver.answer = (_, response) => {
    if (receiver.received.length === 1) response.socket?.resetAndDestroy();
    else if (receiver.received.length === 2) response.socket?.destroy();
    else return { status: 204 };
    return undefined;
  };
  await sync({ "a.md": "a" });
  start();
  await othersGoOn();
  await waitUntil("the third try", async () => (await own())?.state === "delivered");
  expect(receiver.received.length).toBe(3);
});

test("of an answer of 1 GB only its beginning is read, and its status counts", async () => {
  const { receiver, start, sync, othersGoOn, own } = await scene();
  const poured: { sent(): number }[] = [];
  receiver.answer = (_, response) => {
    response.writeHead(200, { "content-length": String(1024 ** 3) });
    poured.push(pour(response, 1024 ** 3));
    return undefined;
  };
  await sync({ "a.md": "a" });
  start();
  await othersGoOn();
  await waitUntil("its end", async () => (await own())?.state === "delivered");
  expect(poured.length).toBe(1);
  expect(poured[0]?.sent()).toBeLessThan(64 * 1024 * 1024); // what the sockets between us take
});

test("a slow loris, who sends its head letter by letter, is cut off like one who says nothing", async () => {
  const loris = createSocketServer((socket) => {
    socket.on("error", () => {}); // cut off
    let at = 0;
    const head = `HTTP/1.1 200 OK\r\nx-long: ${"y".repeat(100_000)}`;
    const timer = setInterval(() => socket.write(head[at++] ?? "y"), 20);
    socket.on("close", () => clearInterval(timer));
  });
  loris.listen(0, "127.0.0.1");
  await once(loris, "listening");
  onTestFinished(() => void loris.close());
  const { port } = loris.address() as AddressInfo;
  const host = `127.0.0.1:${port}`;
  const { app, start, sync, othersGoOn, query } = await scene({ "deliveries.timeout": "3s" }, [
    host,
  ]);
  await query("update croft.app set base_url = $2 where id = $1", [app.id, `http://${host}/`]);
  await sync({ "a.md": "a" });
  start();
  await othersGoOn();
  const errors = () =>
    query<{ code: string }>("select error ->> 'code' as code from croft.delivery_attempt");
  await waitUntil("its end", async () => (await errors()).some(({ code }) => code === "timeout"));
});
