// Runs on the real queue: steps are jobs, the lane is the run's, and every process can go on with it.
import { expect, test } from "vitest";
import { checkQueue } from "../../test/support/check-queue.ts";
import { COMMIT, heldRuns } from "../../test/support/held-runs.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import { cancelRun, decideApproval, retryRun } from "./change-runs.ts";

const ALL = { owner: undefined };

async function runScene() {
  const scene = await heldRuns({ uses: { "child.yaml": CHILD } });
  return {
    ...scene,
    statusOf: async (id: string) =>
      (await scene.query("select status from croft.run where id = $1", [id]))[0]?.["status"],
    begun: (...names: string[]) => Promise.all(names.map((name) => scene.begun(name))),
  };
}

const CHILD = `
name: child
inputs: { what: { type: string } }
outputs: { said: "\${{ steps.say.outputs.word }}" }
steps:
  say: { run: echo, outputs: [word] }
`;

test("steps run in their order, with their outputs, and the end is told", async () => {
  const { start, begun, ended, steps, query, engine } = await runScene();
  const id = await start(`
outputs: { all: "\${{ steps.a.outputs.n }}-\${{ steps.b.outputs.n }}" }
steps:
  a: { run: x, outputs: [n] }
  b: { needs: [a], if: "\${{ needs.a.outputs.n == '1' }}", run: x, outputs: [n] }
  c: { needs: [a], if: "\${{ needs.a.outputs.n == '2' }}", run: x }
`);
  const [a] = await begun("a");
  a?.succeed({ outputs: { n: "1" }, commit: COMMIT });
  const [b] = await begun("b");
  b?.succeed({ outputs: { n: "2" } });
  await ended(id, "done");
  expect(await steps(id)).toEqual({ a: "done", b: "done", c: "skipped" });
  const [run] = await query("select outputs, commit, attempt from croft.run where id = $1", [id]);
  expect(run).toEqual({ outputs: { all: "1-2" }, commit: COMMIT, attempt: 1 });
  const events = await query(
    "select seq, type, data ->> 'step' as step from croft.event where subject = $1 order by seq",
    [id],
  );
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events[0]?.["type"]).toBe("run.queued");
  expect(events.at(-1)?.["type"]).toBe("run.done");
  expect(await checkQueue(engine.database.pool)).toEqual([]);
});

test("a run keeps its lane from its start to its end; while it waits for a person others have it", async () => {
  const { start, begun, ended, statusOf, engine, query } = await runScene();
  const text = (name: string) => `
name: ${name}
concurrency: release
steps:
  ${name}: { run: x }
  ask: { needs: [${name}], approval: {} }
  ${name}2: { needs: [ask], run: x }
`;
  const one = await start(text("one"));
  const other = await start(text("other"));
  const [first] = await begun("one");
  expect(await statusOf(other)).toBe("queued");
  expect(await query("select count(*)::int as n from croft.lane_hold")).toEqual([{ n: 1 }]);
  first?.succeed({});
  await ended(one, "waiting");
  const [second] = await begun("other"); // it has got the lane
  await decideApproval(engine, ALL, one, { step: "ask", isApproved: true, by: "ada" });
  await ended(one, "queued");
  expect(await checkQueue(engine.database.pool)).toEqual([]);
  second?.succeed({});
  await ended(other, "waiting");
  const [third] = await begun("one2");
  third?.succeed({});
  await ended(one, "done");
  await decideApproval(engine, ALL, other, { step: "ask", isApproved: false, by: "ada" });
  await ended(other, "failed");
  expect(await query("select count(*)::int as n from croft.lane_hold")).toEqual([{ n: 0 }]);
  expect(await checkQueue(engine.database.pool)).toEqual([]);
});

test("items of a matrix are jobs of their own; a retry keeps what has ended well", async () => {
  const { start, begun, ended, steps, held, engine, query } = await runScene();
  const id = await start(`
steps:
  plan: { run: x, outputs: [list] }
  build:
    needs: [plan]
    run: x
    matrix: { n: "\${{ fromJSON(needs.plan.outputs.list) }}", id: "\${{ matrix.n }}" }
  last: { needs: [build], run: x }
`);
  const [plan] = await begun("plan");
  plan?.succeed({ outputs: { list: '["a", "b"]' } });
  const [a, b] = await begun("build/a", "build/b");
  a?.succeed({});
  b?.fail(new Error("no"));
  await waitUntil(
    "the retries of the fault",
    () => held.filter(({ name }) => name === "build/b").length === 2,
    30_000,
  );
  await engine.database.pool.query(
    "select croft.cancel(array_agg(id)) from croft.job where step = 'build/b'",
  );
  await ended(id, "failed");
  expect(await steps(id)).toMatchObject({ build: "failed", "build/a": "done", last: "skipped" });
  const before = held.length;
  await retryRun(engine, ALL, id);
  await waitUntil("the item again", () => held.length > before);
  expect(held.slice(before).map(({ name }) => name)).toEqual(["build/b"]);
  held.at(-1)?.succeed({});
  const [last] = await begun("last");
  last?.succeed({});
  await ended(id, "done");
  expect(await query("select attempt from croft.run where id = $1", [id])).toEqual([
    { attempt: 2 },
  ]);
  expect(await checkQueue(engine.database.pool)).toEqual([]);
});

test("a sub-pipeline is a run of its own, and gives its outputs back", async () => {
  const { start, begun, ended, query } = await runScene();
  const id = await start(`
steps:
  use: { uses: child.yaml, with: { what: bread }, outputs: [said] }
  after: { needs: [use], if: "\${{ needs.use.outputs.said == 'hi' }}", run: x }
`);
  const [say] = await begun("say");
  say?.succeed({ outputs: { word: "hi" } });
  const [after] = await begun("after");
  after?.succeed({});
  await ended(id, "done");
  const [child] = await query(
    "select status, inputs, outputs from croft.run where parent_id = $1",
    [id],
  );
  expect(child).toEqual({ status: "done", inputs: { what: "bread" }, outputs: { said: "hi" } });
});

test("a cancelled run ends with everything it started, also before it has begun", async () => {
  const { start, begun, ended, steps, engine, query } = await runScene();
  const text = `\nconcurrency: one\nsteps:\n  a: { run: x }\n  b: { needs: [a], run: x }\n`;
  const first = await start(text);
  const second = await start(text);
  await begun("a");
  await cancelRun(engine, ALL, second);
  await ended(second, "cancelled");
  await cancelRun(engine, ALL, first);
  await ended(first, "cancelled");
  expect(await steps(first)).toEqual({ a: "cancelled", b: "cancelled" });
  expect(await query("select count(*)::int as n from croft.lane_hold")).toEqual([{ n: 0 }]);
  expect(await checkQueue(engine.database.pool)).toEqual([]);
  await expect(cancelRun(engine, ALL, first)).rejects.toMatchObject({ code: "job-ended" });
  await expect(cancelRun(engine, { owner: "app:x" }, first)).rejects.toMatchObject({
    code: "not-found",
  });
});

test("a run that is to be done again and is cancelled before it begins leaves no step open", async () => {
  const { start, begun, ended, steps, engine } = await runScene();
  const id = await start(`
concurrency: one
steps:
  ask: { approval: {} }
  later: { approval: {} }
  many: { needs: [ask], run: x, matrix: { n: [1, 2] } }
`);
  await ended(id, "waiting");
  await decideApproval(engine, ALL, id, { step: "ask", isApproved: true, by: "ada" });
  await begun("many/1", "many/2");
  await cancelRun(engine, ALL, id);
  await ended(id, "cancelled");
  const other = await start(`concurrency: one\nsteps:\n  a: { run: x }\n`);
  const [a] = await begun("a"); // it has the lane
  await retryRun(engine, ALL, id);
  await cancelRun(engine, ALL, id);
  await ended(id, "cancelled");
  const all = await steps(id);
  expect(
    Object.values(all).filter((each) => !["done", "cancelled"].includes(String(each))),
  ).toEqual([]);
  a?.succeed({});
  await ended(other, "done");
});

test("a run that waits for its lane with a question still open, and is cancelled, asks no more", async () => {
  const { start, begun, ended, steps, engine } = await runScene();
  const text = (name: string) => `
name: ${name}
concurrency: one
steps:
  ask: { approval: {} }
  later: { approval: {} }
  ${name}: { needs: [ask], run: x }
`;
  const id = await start(text("first"));
  await ended(id, "waiting");
  const other = await start(`concurrency: one\nsteps:\n  a: { run: x }\n`);
  const [a] = await begun("a"); // it has the lane
  await decideApproval(engine, ALL, id, { step: "ask", isApproved: true, by: "ada" });
  await ended(id, "queued");
  await cancelRun(engine, ALL, id);
  await ended(id, "cancelled");
  expect(await steps(id)).toEqual({ ask: "done", later: "cancelled", first: "cancelled" });
  a?.succeed({});
  await ended(other, "done");
});

test("what is wrong is said before anything runs", async () => {
  const { start, query } = await runScene();
  await expect(start(`steps:\n  a: { run: x, neds: [b] }\n`)).rejects.toMatchObject({
    code: "invalid-pipeline",
    message: expect.stringMatching(/3:\d+: .*neds/),
  });
  const homeless = { text: "steps:\n  a: { run: x }\n" }; // it names no repository
  await expect(start("", homeless)).rejects.toMatchObject({ code: "invalid-input" });
  await expect(start(`steps:\n  a: { run: x }\n`, { inputs: { b: 1 } })).rejects.toMatchObject({
    code: "invalid-input",
  });
  expect(await query("select count(*)::int as n from croft.run")).toEqual([{ n: 0 }]);
});

test("a run that cannot go on does not hold up the others", async () => {
  const { start, begun, ended, query } = await runScene();
  const text = `steps:\n  a: { run: x }\n`;
  const broken = await start(text);
  const [first] = await begun("a");
  await query("update croft.run set text = 'steps: 7' where id = $1", [broken]); // as another version may find it
  first?.succeed({});
  const good = await start(text.replaceAll("a:", "b:"));
  const [second] = await begun("b");
  second?.succeed({});
  await ended(good, "done");
  expect(await query("select status from croft.run where id = $1", [broken])).toEqual([
    { status: "running" },
  ]);
});

test("values that turn out wrong fail their step or the run, and never stop it half-way", async () => {
  const { start, begun, ended, steps, query } = await runScene();
  const id = await start(`
outputs: { broken: "\${{ fromJSON(steps.a.outputs.n) }}" }
steps:
  a: { run: x, outputs: [n] }
  use: { needs: [a], uses: child.yaml, with: { what: "\${{ fromJSON(needs.a.outputs.n) }}" } }
  tolerated: { needs: [a], continue-on-error: true, uses: child.yaml, with: { what: "\${{ fromJSON(needs.a.outputs.n) }}" } }
`);
  const [a] = await begun("a");
  a?.succeed({ outputs: { n: "not JSON" } });
  await ended(id, "failed");
  expect(await steps(id)).toEqual({ a: "done", use: "failed", tolerated: "failed" });
  const other = await start(`
outputs: { broken: "\${{ fromJSON(steps.b.outputs.n) }}" }
steps:
  b: { run: x, outputs: [n] }
`);
  const [b] = await begun("b");
  b?.succeed({ outputs: { n: "not JSON" } });
  await ended(other, "failed");
  const [run] = await query("select error ->> 'message' as message from croft.run where id = $1", [
    other,
  ]);
  expect(run?.["message"]).toContain("outputs: ");
  const keyed = start(`concurrency: "\${{ fromJSON('{') }}"\nsteps:\n  a: { run: x }\n`);
  await expect(keyed).rejects.toMatchObject({ code: "invalid-input" });
});

test("a run fails with the error of what made it fail, not of a step whose failure it does not mind", async () => {
  const { start, begun, ended, query } = await runScene();
  const id = await start(`
steps:
  a: { run: x, continue-on-error: true }
  b: { run: x, needs: [a] }
`);
  for (const name of ["a", "b"]) {
    const [step] = await begun(name);
    step?.fail(new JobFailure("invalid", "bad", `${name} ended badly`));
  }
  await ended(id, "failed");
  const [run] = await query("select error ->> 'message' as message from croft.run where id = $1", [
    id,
  ]);
  expect(run?.["message"]).toBe("step 'b': b ended badly");
});
