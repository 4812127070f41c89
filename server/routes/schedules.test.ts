// Schedules over HTTP: everybody keeps their own, and nonsense is refused.
import type { Schedule } from "@croft/contract";
import { createApp } from "@croft/engine";
import { expect, test } from "vitest";
import { noopType } from "../../test/support/job-scene.ts";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { scratchServer } from "../../test/support/scratch-server.ts";

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
    method: "GET" | "POST" | "PATCH" | "DELETE",
    path: string,
    body?: unknown,
  ) => {
    const response = await app.inject({
      ...{ method, url: `/api/schedules${path}` },
      headers: {
        authorization: `Bearer ${tokens[who]}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    const { statusCode: status, body: text, headers } = response;
    return { status, headers, body: text === "" ? undefined : JSON.parse(text) };
  };
  return { engine, ask };
}

const NIGHTLY = { name: "nightly", cron: "0 3 * * *", job: { type: "noop", input: { a: 1 } } };

test("made, shown, changed, deleted", async () => {
  const { ask } = await scene();
  const made = await ask("one", "POST", "", { ...NIGHTLY, time_zone: "Europe/Berlin" });
  expect(made).toMatchObject({
    status: 201,
    body: {
      ...{ name: "nightly", time_zone: "Europe/Berlin", overlap: "skip", paused: false },
      ...{ last_at: null, last_job_id: null, last_error: null, next_at: expect.any(String) },
      job: { type: "noop", input: { a: 1 }, priority: "normal" },
    },
  });
  const schedule = made.body as Schedule;
  expect(made.headers["location"]).toBe(`/api/schedules/${schedule.id}`);
  expect((await ask("one", "GET", `/${schedule.id}`)).body).toEqual(schedule);
  const change = { cron: "0 4 * * *", overlap: "queue", job: { type: "noop", key: "k" } };
  const changed = await ask("one", "PATCH", `/${schedule.id}`, change);
  expect(changed).toMatchObject({ status: 200, body: { cron: "0 4 * * *", overlap: "queue" } });
  expect(changed.body.job).toEqual({ type: "noop", input: {}, priority: "normal", key: "k" });
  expect(changed.body.next_at).not.toBe(schedule.next_at);
  const paused = await ask("one", "PATCH", `/${schedule.id}`, { paused: true });
  expect(paused.body).toMatchObject({ paused: true, next_at: null });
  expect((await ask("one", "PATCH", `/${schedule.id}`, {})).body).toEqual(paused.body);
  expect(await ask("one", "DELETE", `/${schedule.id}`)).toMatchObject({ status: 204 });
  expect(await ask("one", "DELETE", `/${schedule.id}`)).toMatchObject({ status: 404 });
});

test("a name is taken once by each owner", async () => {
  const { ask } = await scene();
  expect((await ask("one", "POST", "", NIGHTLY)).status).toBe(201);
  const again = await ask("one", "POST", "", NIGHTLY);
  expect(again).toMatchObject({ status: 409, body: { code: "name-taken" } });
  expect((await ask("other", "POST", "", NIGHTLY)).status).toBe(201);
  const { body } = await ask("one", "POST", "", { ...NIGHTLY, name: "weekly" });
  const renamed = await ask("one", "PATCH", `/${body.id}`, { name: "nightly" });
  expect(renamed).toMatchObject({ status: 409, body: { code: "name-taken" } });
});

test("a foreign schedule answers like one that is missing; admins see all", async () => {
  const { ask } = await scene();
  const { body } = await ask("one", "POST", "", NIGHTLY);
  const missing = "01890000-0000-7000-8000-000000000000";
  for (const [method, change] of [["GET"], ["PATCH", { paused: true }], ["DELETE"]] as const) {
    const [foreign, none] = [
      await ask("other", method, `/${body.id}`, change),
      await ask("other", method, `/${missing}`, change),
    ];
    expect(foreign.status).toBe(404);
    expect({ ...foreign.body, request_id: "" }).toEqual({ ...none.body, request_id: "" });
  }
  expect((await ask("other", "GET", "")).body).toEqual({ schedules: [], next_cursor: null });
  expect((await ask("local", "GET", "")).body.schedules).toEqual([body]);
  expect((await ask("local", "PATCH", `/${body.id}`, { paused: true })).body.owner).toBe(
    body.owner,
  );
});

test("the list comes in pages", async () => {
  const { ask } = await scene();
  for (let nth = 0; nth < 5; nth++) await ask("one", "POST", "", { ...NIGHTLY, name: `s${nth}` });
  const names: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const path = `?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`;
    const { body } = await ask("one", "GET", path);
    names.push(...body.schedules.map(({ name }: Schedule) => name));
    cursor = body.next_cursor;
  }
  expect(names).toEqual(["s4", "s3", "s2", "s1", "s0"]);
});

const HOSTILE: readonly [what: string, change: object][] = [
  ["no job", { job: undefined }],
  ["an unknown type", { job: { type: "nothing" } }],
  ["a time of its own", { job: { type: "noop", run_at: "2030-01-01T00:00:00Z" } }],
  ["a dedupe key", { job: { type: "noop", dedupe: "x" } }],
  ["an unknown member", { more: 1 }],
  ["an input that is refused", { job: { type: "command", input: { nonsense: true } } }],
  ["a character that cannot be stored", { job: { type: "noop", input: { a: "\u0000" } } }],
  ["a name of two lines", { name: "a\nb" }],
  ["no name", { name: "" }],
  ["too long a line", { cron: "0,".repeat(200) }],
  ["a line of many parts", { cron: `${"0,".repeat(90)}0 * * * ; drop table croft.schedule` }],
  ["a time that never comes", { cron: "0 0 30 2 *" }],
  ["no line", { cron: 5 }],
  ["a zone that is none", { time_zone: "Europe/../../etc" }],
  ["an overlap that is none", { overlap: "explode" }],
];

test.each(HOSTILE)("%s is refused, when it is made and when it is changed", async (_, change) => {
  const { ask } = await scene();
  const refused = await ask("one", "POST", "", { ...NIGHTLY, ...change });
  expect(refused.status).toBe(422);
  expect(refused.headers["content-type"]).toContain("application/problem+json");
  const { body } = await ask("one", "POST", "", NIGHTLY);
  const [member] = Object.values(change);
  if (member !== undefined) {
    expect((await ask("one", "PATCH", `/${body.id}`, change)).status).toBe(422);
  }
  expect((await ask("one", "GET", `/${body.id}`)).body).toEqual(body);
});

test.each(["?cursor=x", "?limit=0", "?limit=1e9", "?owner=local", "/x", "/..%2f"])(
  "GET %s is refused",
  async (path) => {
    const { ask } = await scene();
    expect([404, 422]).toContain((await ask("one", "GET", path)).status);
  },
);
