// Bulk actions over HTTP: made, followed, aborted; by their owner and by admins.
import { BulkRunner, createApp } from "@croft/engine";
import { expect, onTestFinished, test } from "vitest";
import { noopType } from "../../test/support/job-scene.ts";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { scratchServer } from "../../test/support/scratch-server.ts";
import { waitUntil } from "../../test/support/wait-until.ts";

async function scene() {
  const engine = await scratchEngine({}, [noopType]);
  const app = await scratchServer(engine);
  const tokens = {
    local: engine.localToken,
    one: (await createApp(engine.database, "one")).token,
    other: (await createApp(engine.database, "other")).token,
  };
  const ask = async (
    who: keyof typeof tokens,
    method: "GET" | "POST",
    path: string,
    payload?: unknown,
  ) => {
    const { statusCode, body, headers } = await app.inject({
      ...{ method, url: `/api${path}` },
      headers: {
        authorization: `Bearer ${tokens[who]}`,
        ...(payload === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(payload === undefined ? {} : { payload: JSON.stringify(payload) }),
    });
    return { status: statusCode, headers, body: JSON.parse(body) };
  };
  const run = () => {
    const runner = BulkRunner.start(engine);
    onTestFinished(() => runner.close());
  };
  return { engine, ask, run };
}

test("made, followed to its end", async () => {
  const { ask, run } = await scene();
  for (const who of ["one", "other", "one"] as const) {
    await ask(who, "POST", "/jobs", { type: "noop" });
  }
  const made = await ask("one", "POST", "/bulk", { action: "cancel", filter: { type: "noop" } });
  expect(made).toMatchObject({
    status: 202,
    body: { status: "running", total: 2, done: 0, skipped: 0, filter: { type: "noop" } },
  });
  const path = `/bulk/${made.body.id}`;
  expect(made.headers["location"]).toBe(`/api${path}`);
  run();
  const isDone = async () => (await ask("one", "GET", path)).body.status === "done";
  await waitUntil("the end", isDone);
  expect((await ask("local", "GET", path)).body).toMatchObject({ done: 2, skipped: 0 });
  const { body } = await ask("other", "GET", "/jobs");
  expect(body.jobs.map(({ status }: { status: string }) => status)).toEqual(["queued"]);
  const late = await ask("one", "POST", `${path}/abort`);
  expect(late).toMatchObject({ status: 200, body: { status: "done" } });
});

test("aborted by its owner, and by admins", async () => {
  const { ask } = await scene();
  for (const who of ["one", "local"] as const) {
    const { body } = await ask("one", "POST", "/bulk", { action: "retry", filter: {} });
    const aborted = await ask(who, "POST", `/bulk/${body.id}/abort`);
    expect(aborted).toMatchObject({ status: 200, body: { status: "aborted" } });
    expect(aborted.body.finished_at).not.toBeNull();
  }
});

test("a foreign bulk action answers like one that is missing", async () => {
  const { ask } = await scene();
  const { body } = await ask("one", "POST", "/bulk", { action: "cancel", filter: {} });
  const admins = await ask("local", "POST", "/bulk", { action: "cancel", filter: {} });
  const missing = "01890000-0000-7000-8000-000000000000";
  for (const id of [body.id, admins.body.id]) {
    for (const [method, tail] of [["GET", ""] as const, ["POST", "/abort"] as const]) {
      const foreign = await ask("other", method, `/bulk/${id}${tail}`);
      const none = await ask("other", method, `/bulk/${missing}${tail}`);
      expect(foreign.status).toBe(404);
      expect({ ...foreign.body, request_id: "" }).toEqual({ ...none.body, request_id: "" });
    }
  }
  expect((await ask("one", "GET", `/bulk/${body.id}`)).body.status).toBe("running");
});

test.each([
  ["nothing", {}],
  ["no filter", { action: "cancel" }],
  ["an action that is none", { action: "delete", filter: {} }],
  ["a filter that is none", { action: "cancel", filter: [] }],
  ["an unknown member", { action: "cancel", filter: { id: "x" } }],
  ["SQL for a status", { action: "cancel", filter: { status: "queued' or true --" } }],
  ["a name of two lines", { action: "cancel", filter: { key: "a\nb" } }],
  ["a character that cannot be stored", { action: "cancel", filter: { key: "\u0000" } }],
  ["a retry of what runs", { action: "retry", filter: { status: "running" } }],
  ["a cancel of what is done", { action: "cancel", filter: { status: "done" } }],
])("%s is refused", async (_, payload) => {
  const { ask } = await scene();
  const { status, headers } = await ask("one", "POST", "/bulk", payload);
  expect(status).toBe(422);
  expect(headers["content-type"]).toContain("application/problem+json");
});

test("names that look like SQL are only names", async () => {
  const { ask, run } = await scene();
  await ask("one", "POST", "/jobs", { type: "noop" });
  run();
  const filter = { key: "$1' or true; --", source_task_id: "?", owner: "' or ''='" };
  const { body } = await ask("local", "POST", "/bulk", { action: "cancel", filter });
  expect(body).toMatchObject({ total: 0, filter });
  const isDone = async () => (await ask("local", "GET", `/bulk/${body.id}`)).body.status === "done";
  await waitUntil("the end", isDone);
  expect((await ask("one", "GET", "/jobs?status=queued")).body.jobs).toHaveLength(1);
});
