// Checks with patterns that would take forever: they fail, and everything else goes on meanwhile.
import { expect, test } from "vitest";
import { runScene } from "../../test/support/run-scene.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { askCheckThread, CheckGaveUp } from "./ask-check-thread.ts";
import { cancelRun } from "./change-runs.ts";

const CEILING_MS = 120_000;
const LONG = `${"a".repeat(100)}!`;
const SLOW_SCHEMA = JSON.stringify({ pattern: "^(a+)+$" });
const SLOW_GLOB = "*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*c";

test(
  "a schema's pattern and a glob that take forever fail their checks; other runs go on",
  async () => {
    const { start, until, run } = await runScene();
    const slow = await start(`
steps:
  schema:
    run: echo '"${LONG}"' > a.json; echo '${SLOW_SCHEMA}' > schema.json
    artifacts: { a: a.json }
    checks: [{ json-schema: schema.json, of: a }]
  inline:
    run: echo '"${LONG}"' > a.json
    artifacts: { a: a.json }
    checks: [{ json-schema: ${SLOW_SCHEMA}, of: a }]
    timeout: 4s
  glob:
    run: touch ${"a".repeat(200)}
    checks: [{ no-diff-outside: ["${SLOW_GLOB}"] }]
  warned:
    run: touch ${"a".repeat(200)}
    checks: [{ no-diff-outside: ["${SLOW_GLOB}"], on-failure: warn }]
`);
    expect((await run("steps: { other: { run: 'true' } }")).status).toBe("done");
    const { steps } = await until(slow, "failed");
    const errorOf = (name: string) => steps.find(({ step }) => step === name)?.error;
    const late = "took too long: more than 10 s";
    expect(errorOf("schema")).toMatchObject({
      ...{ code: "check-failed", message: `check 'json-schema': ${late}` },
    });
    expect(errorOf("glob")).toMatchObject({
      ...{ code: "check-failed", message: `check 'no-diff-outside': ${late}` },
    });
    expect(errorOf("inline")).toMatchObject({ code: "step-timeout" });
    expect(steps.find(({ step }) => step === "warned")).toMatchObject({
      ...{ status: "done", attempt: 1, report: { warnings: [`no-diff-outside: ${late}`] } },
    });
  },
  CEILING_MS,
);

test("a run whose check takes forever can be cancelled", { timeout: CEILING_MS }, async () => {
  const { engine, start, until, query } = await runScene();
  const id = await start(`
steps:
  schema:
    run: echo '"${LONG}"' > a.json; echo made
    artifacts: { a: a.json }
    checks: [{ json-schema: ${SLOW_SCHEMA}, of: a }]
`);
  const isMade = async () =>
    (await query("select from croft.job_log where text like '%made%'")).length > 0;
  await waitUntil("its script to end", isMade, CEILING_MS);
  await cancelRun(engine, { owner: undefined }, id);
  expect((await until(id, "cancelled")).steps[0]?.status).toBe("cancelled");
});

test("a thread ends at the signal, and when it takes too much memory", async () => {
  const slow = { kind: "schema", schema: SLOW_SCHEMA, value: JSON.stringify(LONG) } as const;
  const reason = new Error("enough");
  const stopping = new AbortController();
  const stopped = askCheckThread(slow, stopping.signal);
  setTimeout(() => stopping.abort(reason), 1000);
  await expect(stopped).rejects.toBe(reason);
  await expect(askCheckThread(slow, stopping.signal)).rejects.toBe(reason);
  const many = JSON.stringify(new Array(4_000_000).fill(0));
  const large = { kind: "schema", schema: '{"items":{"type":"string"}}', value: many } as const;
  const full = askCheckThread(large, new AbortController().signal);
  await expect(full).rejects.toThrow(CheckGaveUp);
}, 60_000);

test("what a schema says is told; one that answers later or has no end is refused", async () => {
  const ask = (schema: object, value: unknown) =>
    askCheckThread(
      { kind: "schema", schema: JSON.stringify(schema), value: JSON.stringify(value) },
      new AbortController().signal,
    );
  expect(await ask({ type: "object", required: ["a"] }, { a: 1 })).toMatchObject({ count: 0 });
  expect(await ask({ items: { type: "string" } }, new Array(12).fill(1))).toMatchObject({
    ...{ count: 12, faults: { length: 10, 0: "/0 must be string" } },
  });
  expect(await ask({ $async: true, type: "string" }, 1)).toMatchObject({ kind: "unusable" });
  expect(await ask({ $ref: "#" }, 1)).toMatchObject({ kind: "unusable" });
  expect(await ask({ type: "nothing" }, 1)).toMatchObject({ kind: "unusable" });
}, 60_000);
