// Whatever values turn out to be, a run comes to its end: its step fails, or the run, and in the worst case it is given up.
import { expect, test } from "vitest";
import { heldRuns } from "../../test/support/held-runs.ts";
import { waitUntil } from "../../test/support/wait-until.ts";

const BAD_ENV = `env: { X: "\${{ fromJSON(inputs.x) }}" }\ninputs: { x: { type: string, default: "{" } }\n`;
const CHILD = "name: child\ninputs: { what: { type: string } }\nsteps:\n  say: { run: echo }\n";

async function errorOf(query: Awaited<ReturnType<typeof heldRuns>>["query"], id: string) {
  const [run] = await query("select error from croft.run where id = $1", [id]);
  return run?.["error"];
}

test.each([
  ["an approval", "ask: { approval: true }"],
  ["a matrix", "many: { run: x, matrix: { n: [1, 2] } }"],
  ["a sub-pipeline", "use: { uses: child.yaml, with: { what: a } }"],
  ["a condition", "if: { run: x, if: \"inputs.x == 'y'\" }"],
])("variables that have no value fail %s", async (_, step) => {
  const { start, ended, query } = await heldRuns({ uses: { "child.yaml": CHILD } });
  const id = await start(`${BAD_ENV}steps:\n  ${step}\n`);
  await ended(id, "failed");
  expect(await errorOf(query, id)).toMatchObject({ message: expect.stringContaining("fromJSON") });
});

test.each([
  ["U+0000", '["a\\u0000b"]'],
  ["half of a surrogate pair", '["\\ud800"]'],
  ["a key with U+0000", '[{"id": "a", "b\\u0000": 1}]'],
])("an item of a matrix that has %s fails its step", async (_, list) => {
  const { start, begun, ended, query } = await heldRuns();
  const id = await start(`steps:
  plan: { run: x, outputs: [list] }
  many: { needs: [plan], run: x, matrix: { n: "\${{ fromJSON(needs.plan.outputs.list) }}" } }
`);
  (await begun("plan")).succeed({ outputs: { list } });
  await ended(id, "failed");
  expect(await errorOf(query, id)).toMatchObject({
    message: expect.stringMatching(/step 'many': its matrix: item .* cannot be kept/),
  });
});

test("values for a sub-pipeline that cannot be kept fail its step, and outputs of that kind the run", async () => {
  const { start, begun, ended, query } = await heldRuns({ uses: { "child.yaml": CHILD } });
  const nothing = `"\${{ fromJSON(steps.a.outputs.n) }}"`;
  const id = await start(`steps:
  a: { run: x, outputs: [n] }
  use: { needs: [a], uses: child.yaml, with: { what: ${nothing} } }
`);
  (await begun("a")).succeed({ outputs: { n: '"\\u0000"' } });
  await ended(id, "failed");
  expect(await errorOf(query, id)).toMatchObject({
    message: expect.stringContaining("input 'what' has the character U+0000"),
  });
  const other = await start(`outputs: { x: ${nothing} }\nsteps:\n  a: { run: x, outputs: [n] }\n`);
  const isOfOther = () =>
    query("select from croft.job where run_id = $1 and step = 'a' and status = 'running'", [other]);
  await waitUntil("the other's step", async () => (await isOfOther()).length === 1);
  (await begun("a")).succeed({ outputs: { n: '"\\ud800"' } });
  await ended(other, "failed");
  expect(await errorOf(query, other)).toMatchObject({
    message: expect.stringContaining("outputs: 'x' has"),
  });
  const asked = start("inputs: { x: { type: string } }\nsteps:\n  a: { run: x }\n", {
    inputs: { x: "\0" },
  });
  await expect(asked).rejects.toMatchObject({ code: "invalid-input" });
});

test("a run that cannot go on whatever is tried is given up, and what it has begun ends; the count outlives a restart", async () => {
  const { start, begun, ended, query, advancer, steps } = await heldRuns({ advancers: 0 });
  const first = advancer();
  const id = await start("concurrency: one\nsteps:\n  a: { run: x }\n  b: { run: x }\n");
  const a = await begun("a");
  const b = await begun("b");
  await query("update croft.run set text = 'steps: 7' where id = $1", [id]); // as another version may find it
  a.succeed({});
  const failures = async () =>
    (await query("select advance_failures as n from croft.run where id = $1", [id]))[0]?.["n"];
  await waitUntil("it to fail once", async () => (await failures()) === 1);
  await first.close();
  await query(
    `update croft.run set advance_failures = 4, advance_failing_since = now() - interval '1 hour' where id = $1`,
    [id],
  );
  advancer(); // another process
  await ended(id, "failed");
  expect(await errorOf(query, id)).toMatchObject({ code: "internal" });
  await waitUntil("the other step to be told", () => b.attempt.signal.aborted);
  expect(await steps(id)).toEqual({ a: "cancelled", b: "cancelled" });
  expect(await query("select from croft.lane_hold")).toEqual([]);
});

test("a run that went on again is not held to its old failures", async () => {
  const { start, begun, ended, query } = await heldRuns();
  const id = await start("steps:\n  a: { run: x }\n  b: { needs: [a], run: x }\n");
  const a = await begun("a");
  await query(
    "update croft.run set advance_failures = 4, advance_failing_since = now() - interval '1 hour' where id = $1",
    [id],
  );
  a.succeed({});
  const b = await begun("b");
  const [run] = await query("select advance_failures as n from croft.run where id = $1", [id]);
  expect(run).toEqual({ n: 0 });
  b.succeed({});
  await ended(id, "done");
});
