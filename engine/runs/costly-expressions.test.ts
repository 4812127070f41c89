// Expressions that cost too much fail their step, or are refused at the start; what makes an advance fail is counted.
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { heldRuns } from "../../test/support/held-runs.ts";
import { waitUntil } from "../../test/support/wait-until.ts";

const MANY = `[${Array.from({ length: 100_000 }, () => "1").join(",")}]`;
const X = "inputs: { x: { type: string } }\n";
const COSTLY = `\${{ contains(fromJSON(inputs.x), 'a') }}`.repeat(12);
const TOO_MUCH = expect.stringContaining("read or make too much");

test("a text that many expressions parse is parsed once", async () => {
  const { start, begun } = await heldRuns();
  const same = `\${{ fromJSON(inputs.x)[0] }}`.repeat(60);
  await start(
    `${X}steps:\n  many: { run: x, matrix: { n: [a, b, c, d], id: "\${{ matrix.n }}-${same}" } }\n`,
    {
      inputs: { x: MANY },
    },
  );
  for (const n of ["a", "b", "c", "d"]) await begun(`many/${n}-${"1".repeat(60)}`);
});

test.each([
  ["a matrix", `many: { run: x, matrix: { n: [1, 2], id: "\${{ matrix.n }}${COSTLY}" } }`],
  ["what items depend on", `many: { run: x, matrix: { n: [1, 2], depends-on: "${COSTLY}" } }`],
  ["an approval", `ask: { approval: { message: "${COSTLY}" } }`],
  ["a sub-pipeline", `use: { uses: c.yaml, with: { what: "${COSTLY}" } }`],
])("%s that costs too much fails its step, and the run ends", async (_, step) => {
  const uses = { "c.yaml": "inputs: { what: { type: string } }\nsteps:\n  say: { run: x }\n" };
  const { start, ended, query } = await heldRuns({ uses });
  const id = await start(`${X}steps:\n  ${step}\n`, { inputs: { x: MANY } });
  await ended(id, "failed");
  const [run] = await query("select error from croft.run where id = $1", [id]);
  expect(run?.["error"]).toMatchObject({ code: "expression", message: TOO_MUCH });
});

test("variables that cost too much are not evaluated for every step", async () => {
  const { start, ended, query } = await heldRuns();
  const steps = Array.from({ length: 300 }, (_, n) => `  s${n}: { run: x, if: "inputs.x" }`);
  const text = `${X}env: { A: "${COSTLY}" }\nsteps:\n${steps.join("\n")}\n`;
  const id = await start(text, { inputs: { x: MANY } });
  await ended(id, "failed");
  const found = await query("select distinct status from croft.run_step where run_id = $1", [id]);
  expect(found).toEqual([{ status: "failed" }]);
});

test("a lane or an address that costs too much is refused before there is a run", async () => {
  const { start, query } = await heldRuns({ advancers: 0 });
  const refused = { code: "invalid-input", message: TOO_MUCH };
  const inputs = { x: MANY };
  const key = `${X}concurrency: "${COSTLY}"\nsteps:\n  a: { run: x }\n`;
  await expect(start(key, { inputs })).rejects.toMatchObject(refused);
  const text = `${X}repository: "https://example.com/${COSTLY}"\nsteps:\n  a: { run: x }\n`;
  await expect(start("", { text, inputs })).rejects.toMatchObject(refused);
  expect(await query("select from croft.run")).toEqual([]);
});

test("an advance that its own slowness made fail is counted, though it looks as if the database were away", async () => {
  const { start, begun, ended, query, engine } = await heldRuns({ advancers: 1 });
  const id = await start("steps:\n  a: { run: x }\n");
  const a = await begun("a");
  const other = new pg.Client(engine.database.target);
  await other.connect();
  onTestFinished(() => other.end());
  await other.query("set idle_in_transaction_session_timeout = 0");
  await other.query("begin");
  await other.query("select from croft.run_step where run_id = $1 for update", [id]);
  a.succeed({});
  const failures = async () =>
    (await query("select advance_failures as n from croft.run where id = $1", [id]))[0]?.["n"];
  await waitUntil("it to be counted", async () => (await failures()) === 1);
  await other.query("rollback");
  await ended(id, "done");
});
