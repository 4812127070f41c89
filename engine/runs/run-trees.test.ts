// Runs with very many others below them: how many there may be, how they are cancelled, and that nobody waits for them.
import { cancelRun } from "@croft/engine";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { heldRuns } from "../../test/support/held-runs.ts";
import { waitUntil } from "../../test/support/wait-until.ts";

const ALL = { owner: undefined };
const ASK = "steps:\n  ask: { approval: true }\n";

test("beyond a thousand runs the step that would use one more fails, at whatever depth", async () => {
  const uses = {
    "a.yaml": "steps:\n  b: { uses: b.yaml, matrix: { n: [1, 2, 3] } }\n",
    "b.yaml": ASK,
  };
  const { start, query, advancer, engine, ended } = await heldRuns({ uses, advancers: 0 });
  const id = await start("steps:\n  a: { uses: a.yaml }\n");
  // As if a matrix of it had used so many; there are two places left, and 'a' takes one of them.
  await query(
    `insert into croft.run_step (run_id, step, item, position, status, child_id)
     select $1, 'a', n, n, 'done', gen_random_uuid() from generate_series(1, 998) n`,
    [id],
  );
  advancer();
  const items = () =>
    query(
      "select item, status, reason from croft.run_step where step = 'b' and item <> '' order by item",
    );
  const isDecided = async () => {
    const all = await items();
    return all.length === 3 && all.every(({ status }) => status !== "pending") ? all : undefined;
  };
  const reason = "a run uses at most 1000 others, with all that they use themselves";
  expect(await waitUntil("all to be decided", isDecided)).toEqual([
    { item: "1", status: "running", reason: null },
    { item: "2", status: "failed", reason },
    { item: "3", status: "failed", reason },
  ]);
  await cancelRun(engine, ALL, id);
  await ended(id, "failed");
});

test("a cancel waits for none of those below, and reaches all of them", async () => {
  const list = JSON.stringify(Array.from({ length: 12 }, (_, n) => n));
  const uses = {
    "a.yaml": `steps:\n  b: { uses: b.yaml, matrix: { n: [0, 1] } }\n`,
    "b.yaml": ASK,
  };
  const { start, query, engine, ended } = await heldRuns({ uses });
  const id = await start(`steps:\n  a: { uses: a.yaml, matrix: { n: ${list} } }\n`);
  const asked = () => query("select run_id from croft.run_step where status = 'waiting'");
  await waitUntil("all to wait", async () => (await asked()).length === 24);
  await ended(id, "waiting");
  const busy = new pg.Client(engine.database.target);
  await busy.connect();
  onTestFinished(() => busy.end());
  await busy.query("begin");
  await busy.query("select from croft.run where root_id = $1 and parent_id <> $1 for update", [id]);
  await cancelRun(engine, ALL, id); // whoever goes on with them takes his time
  await busy.query("rollback");
  await ended(id, "cancelled");
  const open = await query(
    "select from croft.run where finished_at is null or status <> 'cancelled'",
  );
  expect(open).toEqual([]);
});

test("what tidies up in a sub-pipeline is spared by the first cancel, also when its parent passes that on", async () => {
  const uses = {
    "a.yaml": "steps:\n  work: { run: x }\n  tidy: { needs: [work], if: always(), uses: b.yaml }\n",
    "b.yaml": "steps:\n  deep: { run: x }\n",
  };
  const { start, begun, query, engine, ended } = await heldRuns({ uses });
  const id = await start("steps:\n  a: { uses: a.yaml }\n");
  await begun("work");
  await cancelRun(engine, ALL, id);
  const deep = await begun("deep");
  await query(
    "select croft.cancel_runs(array(select id from croft.run where parent_id = $1), false)",
    [id],
  );
  await waitUntil(
    "it to be heard",
    async () => (await query("select from croft.run_due")).length === 0,
  );
  expect(deep.attempt.signal.aborted).toBe(false);
  await cancelRun(engine, ALL, id);
  await waitUntil("it to be stopped", () => deep.attempt.signal.aborted);
  await ended(id, "cancelled");
});

test("a second cancel reaches also those that somebody was at work on, though they were told to stop before", async () => {
  const uses = {
    "a.yaml": "steps:\n  work: { run: x }\n  tidy: { needs: [work], if: always(), run: x }\n",
  };
  const { start, begun, query, engine, ended } = await heldRuns({ uses });
  const id = await start("steps:\n  a: { uses: a.yaml }\n");
  await begun("work");
  await cancelRun(engine, ALL, id);
  const tidy = await begun("tidy");
  await waitUntil(
    "it to be quiet",
    async () => (await query("select from croft.run_due")).length === 0,
  );
  const busy = new pg.Client(engine.database.target);
  await busy.connect();
  onTestFinished(() => busy.end());
  await busy.query("begin");
  await busy.query("select from croft.run where parent_id = $1 for update", [id]);
  await cancelRun(engine, ALL, id);
  expect(tidy.attempt.signal.aborted).toBe(false);
  await busy.query("rollback");
  await waitUntil("it to be stopped", () => tidy.attempt.signal.aborted);
  await ended(id, "cancelled");
});

test("owners take turns, and of one owner the runs that are no part of each other", async () => {
  const uses = { "a.yaml": "steps:\n  work: { run: x }\n" };
  const { start, query, advancer } = await heldRuns({ uses, advancers: 0 });
  const due = async (count: number) => {
    const found = () => query("select distinct run_id from croft.run_due");
    await waitUntil(`${count} to be due`, async () => (await found()).length === count);
  };
  const tree = await start("steps:\n  a: { uses: a.yaml, matrix: { n: [1, 2, 3, 4, 5, 6] } }\n");
  await due(1);
  const first = advancer();
  const children = () => query("select from croft.run where parent_id = $1", [tree]);
  await waitUntil("its children", async () => (await children()).length === 6);
  await first.close();
  await query("update croft.run set status = 'running' where parent_id = $1", [tree]);
  await query("delete from croft.run_due");
  await query("delete from croft.event where type = 'run.step'");
  await query("update croft.run_step set status = 'pending', job_id = null where step = 'work'");
  await query("select croft.mark_due(array(select id from croft.run where parent_id = $1))", [
    tree,
  ]);
  const own = await start("steps:\n  own: { run: x }\n");
  await due(7);
  const others = await start("steps:\n  other: { run: x }\n", { owner: "app:other" });
  await due(8);
  advancer();
  const told = () =>
    query("select subject from croft.event where type = 'run.step' order by xid, seq");
  await waitUntil("all to go on", async () => (await told()).length >= 8);
  const order = (await told()).map(({ subject }) => subject);
  expect(order.slice(0, 3)).toEqual([expect.anything(), others, own]);
});
