// A thousand steps, the most there may be, hold nothing up.
import { cancelRun } from "@croft/engine";
import { expect, test } from "vitest";
import { heldRuns } from "../../test/support/held-runs.ts";
import { waitUntil } from "../../test/support/wait-until.ts";

const THOUSAND = Array.from({ length: 1000 }, (_, index) => index);

test.each([
  [
    "a thousand steps whose conditions are not true",
    `inputs: { x: { type: string } }\nsteps:\n${THOUSAND.map((n) => `  s${n}: { if: "inputs.x == 'y'", run: 'true' }`).join("\n")}\n`,
  ],
  [
    "a chain of a thousand steps whose first is skipped",
    `inputs: { x: { type: string } }\nsteps:\n  s0: { if: "inputs.x == 'y'", run: 'true' }\n${THOUSAND.slice(
      1,
    )
      .map((n) => `  s${n}: { needs: [s${n - 1}], run: 'true' }`)
      .join("\n")}\n`,
  ],
  [
    "a chain of a thousand steps that look at each other",
    `inputs: { x: { type: string } }\nsteps:\n  s0: { if: "inputs.x == 'y'", run: 'true' }\n${THOUSAND.slice(
      1,
    )
      .map(
        (n) =>
          `  s${n}: { needs: [s${n - 1}], if: "always() && steps.s${n - 1}.result == 'done'", run: 'true' }`,
      )
      .join("\n")}\n`,
  ],
])("%s: all are decided, and every one is told", async (_, text) => {
  const { start, ended, query, advancer } = await heldRuns({ advancers: 0 });
  const id = await start(text);
  advancer();
  await ended(id, "done");
  const found = await query(
    "select status, count(*)::int as n from croft.run_step where run_id = $1 group by 1",
    [id],
  );
  expect(found).toEqual([{ status: "skipped", n: 1000 }]);
  const [told] = await query(
    "select count(*)::int as n from croft.event where subject = $1 and type = 'run.step'",
    [id],
  );
  expect(told).toEqual({ n: 1000 });
});

test("a thousand steps that start at once become a thousand jobs, each once", async () => {
  const { start, query, held, ended, engine } = await heldRuns();
  const text = `steps:\n${THOUSAND.map((n) => `  s${n}: { run: 'true' }`).join("\n")}\n`;
  const id = await start(text);
  let settled = 0;
  while (settled < 1000) {
    for (const each of held.slice(settled)) {
      each.succeed({});
      settled++;
    }
    await engine.database.pool.query("select 1");
  }
  await ended(id, "done");
  const [jobs] = await query(
    "select count(*)::int as n, count(distinct step)::int as steps from croft.job where run_id = $1 and type = 'step'",
    [id],
  );
  expect(jobs).toEqual({ n: 1000, steps: 1000 });
});

test("a run has ten thousand items at most; matrices beyond fail, and the others go on", async () => {
  const { start, query, engine, ended } = await heldRuns();
  const list = JSON.stringify(Array.from({ length: 256 }, (_, n) => n));
  const matrix = `{ n: "\${{ fromJSON(inputs.list) }}", max-parallel: 1 }`;
  const steps = THOUSAND.slice(0, 45).map((n) => `  s${n}: { run: x, matrix: ${matrix} }`);
  const id = await start(
    `inputs: { list: { type: string, default: "${list}" } }\nsteps:\n${steps.join("\n")}\n`,
  );
  const count = async (condition: string) => {
    const text = `select count(*)::int as n from croft.run_step where run_id = $1 and ${condition}`;
    return (await query(text, [id]))[0]?.["n"];
  };
  await waitUntil(
    "all to be decided",
    async () => (await count("item = '' and status = 'pending'")) === 0,
    60_000,
  );
  expect(await count("item <> ''")).toBe(39 * 256);
  const [failed, ...more] = await query(
    "select step, reason from croft.run_step where run_id = $1 and item = '' and status = 'failed' order by position",
    [id],
  );
  expect(failed).toEqual({
    step: "s39",
    reason: "its matrix: with its 256 items the run would have more than 10000",
  });
  expect(more).toHaveLength(5);
  await cancelRun(engine, { owner: undefined }, id, { force: true });
  await ended(id, "failed");
});
