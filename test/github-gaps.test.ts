// Events that never arrived are found in GitHub's own list, asked for again, and handled once.
import { type Engine, startDispatching } from "@croft/engine";
import { expect, onTestFinished, test } from "vitest";
import { Dispatcher } from "../engine/dispatch/dispatcher.ts";
import { GapRunner } from "../engine/github/gap-runner.ts";
import { type GapLimits, type GapParts, repairGaps } from "../engine/github/repair-gaps.ts";
import type { FakeGithub } from "./support/fake-github.ts";
import { scratchDatabase } from "./support/scratch-database.ts";
import { engineOn } from "./support/scratch-engine.ts";
import { scratchServer } from "./support/scratch-server.ts";
import { startFakeGithub } from "./support/start-fake-github.ts";
import { waitUntil } from "./support/wait-until.ts";

const HOUR_MS = 3_600_000;

async function scene() {
  const github = await startFakeGithub();
  const databaseUrl = await scratchDatabase();
  const engine = await engineOn(databaseUrl, github.settings);
  const listen = async () => {
    const server = await scratchServer(engine);
    await server.listen({ host: "127.0.0.1", port: 0 });
    const { port } = server.server.address() as { port: number };
    github.webhookUrl = `http://127.0.0.1:${port}/webhooks/github`;
  };
  const query = async <T>(text: string) => (await engine.database.pool.query(text)).rows as T[];
  const known = async () => {
    const rows = await query<{ delivery_id: string }>(
      "select delivery_id from croft.inbox order by place",
    );
    return rows.map(({ delivery_id }) => delivery_id);
  };
  const payload = (number: number) => ({ zen: `no. ${number}` });
  const lose = async (count: number) => {
    const lost: string[] = [];
    for (let n = 0; n < count; n++) lost.push(await github.lose("ping", payload(n)));
    return lost;
  };
  const parts = await gapParts(engine);
  const repair = async (of: GapParts = parts, limits?: GapLimits) => {
    const done = await repairGaps(of, new AbortController().signal, limits);
    await github.state.settled();
    return done;
  };
  return { github, engine, databaseUrl, listen, query, known, payload, lose, parts, repair };
}

async function gapParts(engine: Engine): Promise<GapParts> {
  const { database, log, config, github } = engine;
  if (github === undefined) throw new Error("there is no App");
  const dispatcher = await Dispatcher.start(engine);
  onTestFinished(() => dispatcher.close());
  return { database, log, config, github, dispatcher };
}

/** A fault that holds requests until it is opened. */
function gate(of: RegExp) {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { fault: { kind: "gate", opened, of, times: 1 } as const, open: () => open() };
}

const asked = ({ requests }: FakeGithub) =>
  requests.filter(({ line }) => line.endsWith("/attempts")).length;

test("what was lost between what arrived is asked for, the oldest first, and only that", async () => {
  const { github, listen, known, payload, repair } = await scene();
  await listen();
  const lost: string[] = [];
  for (let number = 0; number < 12; number++) {
    if (number % 3 === 0) await github.send(undefined, "ping", payload(number));
    else lost.push(await github.lose("ping", payload(number)));
  }
  expect(await repair()).toEqual({ listed: 12, missing: 8, asked: 8, isMore: false });
  const arrived = await known();
  expect(arrived.slice(4).sort()).toEqual([...lost].sort());
  const redelivered = github.deliveries.filter(({ redelivery }) => redelivery);
  expect(redelivered.map(({ guid }) => guid).sort()).toEqual([...lost].sort());
  expect(await repair()).toMatchObject({ missing: 0, asked: 0 });
  expect(asked(github)).toBe(8);
});

test("many pages are read, and what was compared once is not read again", async () => {
  const { github, engine, payload, repair } = await scene();
  for (let number = 0; number < 150; number++) await github.lose("ping", payload(number));
  const listings = () =>
    github.requests.filter(({ line }) => line === "GET /app/hook/deliveries").length;
  expect(await repair()).toMatchObject({ listed: 150, missing: 150, asked: 150 });
  expect(listings()).toBe(2);
  for (const listed of [151, 2]) {
    github.advance(HOUR_MS);
    await engine.github?.login(); // whose clock it is now is known
    const last = await github.lose("ping", payload(listed));
    expect(await repair()).toMatchObject({ listed, asked: 1 });
    expect(github.deliveries.at(-1)).toMatchObject({ guid: last, redelivery: true });
  }
  const before = listings();
  expect(await repair()).toMatchObject({ asked: 0 });
  expect(listings()).toBe(before + 1);
});

test("what does not arrive is asked for again, ever more seldom, and given up after three days", async () => {
  const { github, engine, query, known, payload, repair } = await scene();
  const guid = await github.lose("ping", payload(1));
  const later = (ms: number) =>
    engine.database.pool.query(
      "update croft.gap set asked_at = asked_at - make_interval(secs => $1), found_at = found_at - make_interval(secs => $1)",
      [ms / 1000],
    );
  expect(await repair()).toMatchObject({ asked: 1 });
  expect(await repair()).toMatchObject({ asked: 0 });
  await later(HOUR_MS);
  expect(await repair()).toMatchObject({ asked: 1 });
  await later(10 * 60_000);
  expect(await repair()).toMatchObject({ asked: 0 });
  const [first, ...others] = github.deliveries;
  expect(await query("select github_id, delivered_at from croft.gap")).toEqual([
    { github_id: String(others.at(-1)?.id), delivered_at: new Date(first?.deliveredAt ?? 0) },
  ]); // the newest attempt, and the time of the first
  github.advance(4 * 24 * HOUR_MS);
  await later(4 * 24 * HOUR_MS);
  await engine.database.pool.query("update croft.gap_check set checked_until = now()");
  await repair();
  const { rows } = await engine.database.pool.query("select from croft.gap");
  expect(rows).toEqual([]);
  expect(await known()).not.toContain(guid);
});

test.each([400, 403, 500, 502])(
  "one that GitHub refuses with %i keeps no other from being asked for, and is itself asked for again later",
  async (status) => {
    const { github, listen, query, known, lose, repair } = await scene();
    await listen();
    const [refused, ...others] = await lose(4);
    const { id } = github.deliveries[0] ?? {};
    github.faults = [{ kind: "status", status, of: new RegExp(`/${id}/attempts$`) }];
    expect(await repair()).toMatchObject({ missing: 4, asked: 3, isMore: false });
    expect((await known()).sort()).toEqual([...others].sort());
    expect(await repair()).toMatchObject({ missing: 1, asked: 0 });
    expect(await query("select delivery_id, asked from croft.gap")).toEqual([
      { delivery_id: refused, asked: 1 },
    ]);
    github.faults = [];
    await query("update croft.gap set asked_at = asked_at - interval '1 hour'");
    expect(await repair()).toMatchObject({ asked: 1 });
    expect(await known()).toContain(refused);
  },
);

test.each([
  ["a limit", { kind: "rate-limit", resetInMs: HOUR_MS }],
  ["a refused key", { kind: "status", status: 401 }],
  ["an answer that breaks off", { kind: "cut" }],
] as const)("%s ends the round: what is true of all is not asked of each", async (_, fault) => {
  const { github, query, lose, repair } = await scene();
  await lose(3);
  github.faults = [{ ...fault, of: /attempts$/ }];
  await expect(repair()).rejects.toThrow();
  expect(asked(github)).toBe(1);
  const [row] = await query<{ known: number }>("select count(*)::integer as known from croft.gap");
  expect(row?.known).toBe(3);
});

test("what GitHub has no more is given up", async () => {
  const { github, query, lose, repair } = await scene();
  await lose(1);
  github.faults = [{ kind: "status", status: 404, of: /attempts$/, times: 1 }];
  expect(await repair()).toMatchObject({ missing: 1, asked: 0 });
  expect(await query("select from croft.gap")).toEqual([]);
});

const SMALL: GapLimits = { pages: 1, asked: 100 };

interface Attempted {
  readonly agoMs: number;
  readonly statusCode: number;
  readonly redelivery?: boolean;
}

/** Attempts of GitHub's at which this database was not there, the oldest first. */
function attempted({ state }: FakeGithub, guid: string, ...attempts: readonly Attempted[]) {
  for (const { agoMs, statusCode, redelivery = false } of attempts) {
    state.deliveries.push({
      ...{ id: state.nextId(), guid, event: "ping", payload: {}, redelivery, statusCode },
      deliveredAt: state.now() - agoMs,
    });
  }
}

test("a new database asks for nothing that was answered before it came, also when it looks again", async () => {
  const { github, parts, query, repair } = await scene();
  const MINUTE_MS = 60_000;
  // On three pages, so that what became of one is known only from another.
  attempted(github, "failed", { agoMs: 50 * HOUR_MS, statusCode: 500 });
  attempted(github, "sent again", { agoMs: 49 * HOUR_MS, statusCode: 0 });
  attempted(github, "answered", { agoMs: 48 * HOUR_MS, statusCode: 202 });
  for (let n = 0; n < 200; n++) {
    attempted(github, `handled-${n}`, { agoMs: 24 * HOUR_MS, statusCode: 200 });
  }
  attempted(github, "sent again", { agoMs: HOUR_MS, statusCode: 202, redelivery: true });
  attempted(github, "answered", { agoMs: HOUR_MS, statusCode: 502, redelivery: true });
  attempted(github, "last", { agoMs: MINUTE_MS, statusCode: 202 });
  for (let round = 0; round < 3; round++) await repair(parts, SMALL);
  expect(await query("select delivery_id, asked from croft.gap")).toEqual([
    { delivery_id: "failed", asked: 1 },
  ]);
  expect(await repair()).toMatchObject({ listed: 2, missing: 1, asked: 0 }); // the end of the list once more
  attempted(github, "since", { agoMs: -1000, statusCode: 202 });
  expect(await repair()).toMatchObject({ missing: 2, asked: 1 }); // that one should be here
  expect(asked(github)).toBe(2);
});

test("a restored database asks for what nobody answered, and for what the last minutes before may have lost", async () => {
  const { github, listen, query, known, payload, repair } = await scene();
  await listen();
  await github.send(undefined, "ping", payload(1));
  await repair();
  await query("update croft.gap_check set checked_until = checked_until - interval '2 days'");
  await query("update croft.event_floor set cluster = 'another', era = 'another'");
  attempted(github, "done-elsewhere", { agoMs: 30 * HOUR_MS, statusCode: 202 });
  attempted(github, "not-answered", { agoMs: 29 * HOUR_MS, statusCode: 503 });
  attempted(github, "lost-at-last", { agoMs: 60_000, statusCode: 202 });
  expect(await repair()).toMatchObject({ missing: 2, asked: 2 });
  expect((await known()).slice(1).sort()).toEqual(["lost-at-last", "not-answered"]);
  expect(await query("select from croft.gap where is_answered")).toEqual([]);
  expect(await repair()).toMatchObject({ missing: 0, asked: 0 });
});

test("a list longer than a round goes on where it was, whatever arrives meanwhile; then the oldest are asked for", async () => {
  const { github, parts, query, lose, repair } = await scene();
  const lost = await lose(250);
  const found = async () => (await query("select from croft.gap")).length;
  expect(await repair(parts, SMALL)).toMatchObject({ listed: 100, asked: 0, isMore: true });
  const later = await lose(30);
  expect(await repair(parts, SMALL)).toMatchObject({ listed: 100, asked: 0, isMore: true });
  expect(await repair(parts, SMALL)).toMatchObject({ listed: 50, asked: 100, isMore: true });
  expect(await found()).toBe(250);
  const redelivered = () => github.deliveries.filter(({ redelivery }) => redelivery);
  expect(redelivered().map(({ guid }) => guid)).toEqual(lost.slice(0, 100));
  for (let round = 0; round < 20; round++) {
    if ((await repair(parts, SMALL))?.isMore === false) break;
  }
  expect(await found()).toBe(280);
  expect(new Set(redelivered().map(({ guid }) => guid))).toEqual(new Set([...lost, ...later]));
});

test("a round that is cut short has lost nothing of the pages it had; a refused page begins anew", async () => {
  const { github, databaseUrl, parts, query, lose, repair } = await scene();
  await lose(250);
  const cursors = () =>
    query("select next_cursor from croft.gap_check where next_cursor is not null");
  const pages = { ...SMALL, pages: 2 };
  expect(await repair(parts, SMALL)).toMatchObject({ isMore: true });
  github.faults = [{ kind: "rate-limit", resetInMs: HOUR_MS, of: /deliveries$/, times: 1 }];
  await expect(repair(parts, pages)).rejects.toMatchObject({ code: "github-rate-limit" });
  expect(await cursors()).toHaveLength(1);
  const other = await gapParts(await engineOn(databaseUrl, github.settings));
  github.faults = [{ kind: "status", status: 422, of: /deliveries$/, times: 1 }];
  await expect(repair(other, pages)).rejects.toMatchObject({ status: 422 });
  expect(await cursors()).toEqual([]);
  expect(await repair(other)).toMatchObject({ listed: 250 });
  expect(await query("select from croft.gap")).toHaveLength(250);
});

test("while there is more to list or to ask for, the next round comes at once", async () => {
  const { listen, parts, known, lose } = await scene();
  await listen();
  const lost = await lose(230);
  const runner = GapRunner.start(parts, { pages: 1, asked: 60 });
  onTestFinished(() => runner.close());
  await waitUntil("all to arrive", async () => (await known()).length === lost.length);
});

test("two processes never ask at once, and what a dead one had is taken up", async () => {
  const { github, engine, databaseUrl, listen, query, known, lose, repair } = await scene();
  await listen();
  const second = await gapParts(await engineOn(databaseUrl, github.settings));
  const [guid] = await lose(1);
  const { fault, open } = gate(/deliveries$/);
  github.faults = [fault];
  const first = repair();
  await waitUntil("the first to ask", () =>
    github.requests.some(({ line }) => line.endsWith("/deliveries")),
  );
  expect(await repair(second)).toBeUndefined();
  // Nothing of the pool is kept for it meanwhile.
  const { pool } = engine.database;
  await waitUntil("all connections to be free", () => pool.idleCount === pool.totalCount);
  open();
  expect(await first).toMatchObject({ asked: 1 });
  expect(await known()).toEqual([guid]);
  await query("update croft.gap_check set dispatcher_id = croft.new_id()");
  expect(await repair(second)).toMatchObject({ missing: 0 });
});

test("a process that begins asks for what it missed, and goes on asking", async () => {
  const github = await startFakeGithub();
  const databaseUrl = await scratchDatabase();
  const flags = { ...github.settings, "github.redeliverEvery": "1s" };
  const engine = await engineOn(databaseUrl, flags);
  const server = await scratchServer(engine);
  await server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.server.address() as { port: number };
  github.webhookUrl = `http://127.0.0.1:${port}/webhooks/github`;
  const lost = [await github.lose("ping", { zen: "while it was away" })];
  const dispatching = await startDispatching(engine);
  onTestFinished(() => dispatching.close(0));
  const arrived = async () => {
    const { rows } = await engine.database.pool.query<{ delivery_id: string }>(
      "select delivery_id from croft.inbox where status = 'ignored' order by place",
    );
    return rows.length === lost.length && rows.map(({ delivery_id }) => delivery_id);
  };
  expect(await waitUntil("what was lost", arrived)).toEqual(lost);
  lost.push(await github.lose("ping", { zen: "while the way was blocked" }));
  expect(await waitUntil("what was lost", arrived)).toEqual(lost);
});
