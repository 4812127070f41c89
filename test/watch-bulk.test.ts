// An app that was down for long asks for what it missed: all that was given up, or everything, over HTTP.
import { BulkRunner } from "@croft/engine";
import { expect, onTestFinished, test } from "vitest";
import { waitUntil } from "./support/wait-until.ts";
import { watchedRepository } from "./support/watched-repository.ts";

async function scene() {
  const parts = await watchedRepository({ files: 30 });
  const runner = BulkRunner.start(parts.engine);
  onTestFinished(() => runner.close());
  const app = await parts.onboard("docs");
  const bulk = async (body: object, token = app.token) => {
    const made = await parts.ask(token, "POST", "/api/bulk", { body });
    expect(made.status).toBe(202);
    const url = String(made.headers["location"]);
    await waitUntil(
      "its end",
      async () => (await parts.ask(token, "GET", url)).json().status !== "running",
    );
    return (await parts.ask(token, "GET", url)).json();
  };
  return { ...parts, app, bulk };
}

test("all that was given up comes under the ids it had, and a re-sync brings every file", async () => {
  const { app, bulk, watch, told, query, receiver } = await scene();
  receiver.answer = () => ({ status: 500 });
  const { id } = await watch(app.id);
  const given = "select 1 from croft.delivery where state = 'failed'";
  await waitUntil("it to be given up", async () => (await query(given)).length > 0);
  const [first] = receiver.received;
  const count = receiver.received.length;
  receiver.answer = () => ({ status: 204 });
  expect(await bulk({ action: "replay", filter: { watch: id } })).toMatchObject({
    ...{ action: "replay", filter: { watch: id }, status: "done", total: 1, done: 1, skipped: 0 },
  });
  await told(id);
  expect(receiver.received.slice(count).map((each) => each.id)).toEqual([first?.id]);
  expect(await bulk({ action: "replay", filter: {} })).toMatchObject({ total: 0, done: 0 });

  expect(await bulk({ action: "resync", filter: { app: app.id } })).toMatchObject({ done: 1 });
  await waitUntil("every file again", () =>
    receiver.received.some(
      ({ body }) => (body.data["sync"] as { resync?: boolean } | undefined)?.resync === true,
    ),
  );
  expect(receiver.received.at(-1)?.body.data.files).toHaveLength(30);
});

test("what is no action, or no filter of it, is refused", async () => {
  const { app, ask } = await scene();
  for (const body of [
    { action: "explode", filter: {} },
    { action: "replay", filter: { state: "delivered" } },
    { action: "replay", filter: { search: "x" } },
    { action: "replay", filter: { status: "failed" } },
    { action: "resync", filter: { watch: app.id } },
    { action: "resync", filter: { app: "x" } },
    { action: "resync" },
    { filter: {} },
    { action: "resync", filter: { search: "a\u0000" } },
  ]) {
    const { status, json } = await ask(app.token, "POST", "/api/bulk", { body });
    expect([status, json().code]).toEqual([422, "invalid-input"]);
  }
  const searched = await ask(app.token, "GET", "/api/repositories?search=%00");
  expect(searched.json()).toMatchObject({ status: 422, code: "invalid-input" });
});
