// Messages reach the app, signed, in order for each path; what is not accepted is tried again, divided or set aside.
import { createHash } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { deliveryScene } from "../../test/support/delivery-scene.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import type { WebhookReceiver } from "../../test/support/webhook-receiver.ts";
import { newId } from "../new-id.ts";
import { CHUNK_BYTES } from "./delivery-files.ts";
import { readDelivery } from "./read-deliveries.ts";
import { replayDelivery } from "./replay-delivery.ts";

const ALL = { owner: undefined };
function pathsOf({ received }: WebhookReceiver): string[][] {
  return received.map(({ body }) => (body.data.files ?? []).map(({ path }) => path));
}

test("a sync is sent as signed messages that an independent library accepts", async () => {
  const { app, receiver, start, sync, settled, states } = await deliveryScene();
  const commit = await sync({
    "old.md": null,
    "a.md": "hello\n",
    "b.bin": Buffer.from([0, 255, 1]),
  });
  start();
  await settled();
  expect(await states()).toEqual(["delivered", "delivered"]);
  for (const { raw, headers } of receiver.received) {
    new Webhook(app.signing_secret).verify(raw.toString("utf8"), { ...headers });
  }
  expect(pathsOf(receiver)).toEqual([["old.md"], ["a.md", "b.bin"]]);
  expect(receiver.received[1]?.body).toMatchObject({
    type: "files.changed",
    data: {
      ...{
        commit,
        previous_commit: null,
        watch: { url: "https://example.com/r", ref: "refs/heads/main" },
      },
      sync: { resync: false, reset: false, messages: 2, message: 1 },
      files: [
        {
          path: "a.md",
          change: "created",
          mode: "100644",
          size: 6,
          content: "hello\n",
          encoding: "utf-8",
        },
        { path: "b.bin", size: 3, content: "AP8B", encoding: "base64" },
      ],
    },
  });
});

test("what is not accepted is tried again with the same id and body, then given up, and sent again by hand", async () => {
  const { engine, receiver, start, sync, settled, states, query } = await deliveryScene();
  receiver.answer = () => ({ status: 500, body: "broken" });
  await sync({ "a.md": "a" });
  start();
  await settled();
  expect(await states()).toEqual(["failed"]);
  expect(receiver.received.length).toBe(4);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
  expect(new Set(receiver.received.map(({ raw }) => raw.toString("hex"))).size).toBe(1);
  const [{ id = "" } = {}] = await query<{ id: string }>("select id from croft.delivery");
  const details = await readDelivery(engine.database.pool, ALL, id);
  expect(details.attempts.length).toBe(4);
  expect(details).toMatchObject({
    ...{ state: "failed", status_code: 500, error: { code: "http-500" } },
    attempts: [{ response: { status: 500, body: "broken" } }, {}, {}, {}],
  });
  receiver.answer = () => ({ status: 204 });
  await query("update croft.app set endpoint_closed_until = null");
  expect(await replayDelivery(engine.database, ALL, id)).toBe(id);
  await settled();
  expect(await states()).toEqual(["delivered"]);
  expect(receiver.received.at(-1)?.id).toBe(receiver.received[0]?.id);
});

test("a refused message is divided until the file to blame is alone; the rest is delivered", async () => {
  const { receiver, start, sync, settled, query } = await deliveryScene();
  receiver.answer = ({ body }) => {
    const isPoison = body.data.files?.some(({ path }) => path === "f5.md") === true;
    return { status: isPoison ? 422 : 204 };
  };
  await sync(Object.fromEntries(Array.from({ length: 8 }, (_, nth) => [`f${nth}.md`, `${nth}`])));
  start();
  await settled();
  const rows = await query<{ state: string; paths: string }>(
    `select state, (select string_agg(f ->> 'path', ',') from jsonb_array_elements(files) f) as paths
     from croft.delivery where state <> 'split' order by paths`,
  );
  expect(rows.find(({ state }) => state === "quarantined")?.paths).toBe("f5.md");
  const delivered = rows
    .filter(({ state }) => state === "delivered")
    .flatMap(({ paths }) => paths.split(","));
  expect(delivered.sort()).toEqual(["f0.md", "f1.md", "f2.md", "f3.md", "f4.md", "f6.md", "f7.md"]);
  const [sync1] = await query<{ state: string; unsettled: number }>(
    "select state, unsettled from croft.sync",
  );
  expect(sync1).toEqual({ state: "settled", unsettled: 0 });
});

test("order is kept for each path, and other paths do not wait", async () => {
  const { receiver, start, sync, settled } = await deliveryScene({
    "deliveries.retries": "200ms,200ms,200ms,200ms",
  });
  let refusals = 0;
  receiver.answer = ({ body }) => {
    const [file] = body.data.files ?? [];
    if (file?.path === "a.md" && file.content === "1" && refusals++ < 2) return { status: 500 };
    return { status: 204 };
  };
  await sync({ "a.md": "1" });
  await sync({ "a.md": "2" });
  await sync({ "b.md": "x" });
  await sync({ "a.md": null });
  start();
  await settled();
  const accepted = receiver.received.map(({ body }) => {
    const [file] = body.data.files ?? [];
    return `${file?.path} ${file?.content ?? "-"}`;
  });
  expect(accepted.filter((text) => text.startsWith("a"))).toEqual([
    ...["a.md 1", "a.md 1", "a.md 1", "a.md 2", "a.md -"],
  ]);
  expect(accepted.indexOf("b.md x")).toBeLessThan(accepted.lastIndexOf("a.md 1"));
});

test("a large file comes in verified pieces, goes on where it was cut off, and back when it is asked to", async () => {
  const { receiver, start, sync, settled } = await deliveryScene();
  const content = Buffer.alloc(CHUNK_BYTES * 3 + 17, "0123456789");
  let isCut = false;
  let isAsked = false;
  receiver.answer = ({ body }) => {
    const index = (body.data["transfer"] as { index: number } | undefined)?.index;
    if (index === 1 && !isCut) {
      isCut = true;
      return { status: 500 };
    }
    if (index === 3 && !isAsked) {
      isAsked = true;
      return { status: 409, headers: { "croft-resume-from": "2" } };
    }
    return { status: 204 };
  };
  await sync({ "large.bin": content });
  start();
  await settled();
  const indexes = receiver.received.map(
    ({ body }) => (body.data["transfer"] as { index: number } | undefined)?.index,
  );
  expect(indexes).toEqual([0, 1, 1, 2, 3, 2, 3, undefined]);
  const pieces = new Map<number, Buffer>();
  for (const { body } of receiver.received) {
    const transfer = body.data["transfer"] as { index: number; sha256: string } | undefined;
    if (transfer === undefined) continue;
    const piece = Buffer.from(String(body.data["content"]), "base64");
    expect(createHash("sha256").update(piece).digest("hex")).toBe(transfer.sha256);
    pieces.set(transfer.index, piece);
  }
  expect(
    Buffer.concat([0, 1, 2, 3].map((index) => pieces.get(index) ?? Buffer.alloc(0))).equals(
      content,
    ),
  ).toBe(true);
  expect(receiver.received.at(-1)?.body.data.files).toMatchObject([
    {
      path: "large.bin",
      chunked: true,
      sha256: createHash("sha256").update(content).digest("hex"),
    },
  ]);
});

test("410 stops the address, Retry-After all messages of the app", async () => {
  const { receiver, start, sync, query } = await deliveryScene();
  receiver.answer = () => ({ status: 429, headers: { "retry-after": "3600" } });
  await sync({ "a.md": "a" });
  start();
  const closed = () =>
    query<{ closed: boolean; gone: boolean }>(
      "select endpoint_closed_until > croft.now() + interval '50 minutes' as closed, endpoint_gone_at is not null as gone from croft.app",
    );
  await waitUntil("the pause", async () => (await closed())[0]?.closed === true);
  expect(receiver.received.length).toBe(1);
  receiver.answer = () => ({ status: 410 });
  await query("update croft.app set endpoint_closed_until = null");
  await query("update croft.delivery set due_at = croft.now()");
  await query("select pg_notify('croft_delivery', '')");
  await waitUntil("the end", async () => (await closed())[0]?.gone === true);
  expect((await query<{ state: string }>("select state from croft.delivery"))[0]?.state).toBe(
    "pending",
  );
  expect(receiver.received.length).toBe(2);
});

test("an answer without end, no answer and a cut line cost the app its turn, and nobody else", async () => {
  const { receiver, start, sync, settled, states } = await deliveryScene({
    "deliveries.timeout": "300ms",
  });
  let nth = 0;
  receiver.answer = (_, response) => {
    nth++;
    if (nth === 1) return undefined; // hangs
    if (nth === 2) response.socket?.destroy();
    if (nth === 3) {
      response.writeHead(200);
      const endless = () =>
        response.write(Buffer.alloc(65_536, "x"), () => response.destroyed || endless());
      endless();
    }
    return nth > 3 ? { status: 204 } : undefined;
  };
  await sync({ "a.md": "a" });
  start();
  await settled();
  expect(await states()).toEqual(["delivered"]);
  expect(nth).toBe(3); // its status was enough
});

test("what a dead dispatcher had in its hands is sent by another, under the same id", async () => {
  const { engine, receiver, start, sync, settled, query } = await deliveryScene();
  await sync({ "a.md": "a" });
  const dead = newId();
  await query(
    `insert into croft.dispatcher (id, host, pid, process_start, lease_until) values ($1, $2, 999999, 'x', croft.now() + interval '1 hour')`,
    [dead, engine.hostId],
  );
  await query("update croft.delivery set state = 'sending', dispatcher_id = $1, attempt = 1", [
    dead,
  ]);
  start();
  await settled();
  expect(receiver.received.length).toBe(1);
  expect(await query("select attempt, state from croft.delivery")).toEqual([
    { attempt: 2, state: "delivered" },
  ]);
});

test("an answer counts by its status, though its body breaks off", async () => {
  const { receiver, start, sync, settled, states } = await deliveryScene();
  receiver.answer = (_, response) => {
    response.writeHead(200, { "content-length": "1000" });
    response.write("half", () => response.socket?.destroy());
    return undefined;
  };
  await sync({ "a.md": "a" });
  start();
  await settled();
  expect(await states()).toEqual(["delivered"]);
  expect(receiver.received.length).toBe(1);
});

test("nothing is sent without a signature: an app that is being deleted has none", async () => {
  const { receiver, start, sync, query } = await deliveryScene();
  await query("delete from croft.signing_secret");
  await sync({ "a.md": "a" });
  start();
  const error = () => query<{ error: { code: string } | null }>("select error from croft.delivery");
  await waitUntil("the reason", async () => (await error())[0]?.error?.code === "not-sent");
  expect(receiver.received).toEqual([]);
});
