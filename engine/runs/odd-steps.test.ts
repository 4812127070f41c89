// Steps whose surroundings fail, or that leave odd things: none is done twice for it, and what is checked is what was stored.
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runScene } from "../../test/support/run-scene.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { putSecret } from "../secrets/secret-store.ts";

const CEILING_MS = 120_000;

test(
  "a workspace that cannot be removed is left to the sweep: its step counts, and runs once",
  async () => {
    const { start, until, engine, query } = await runScene();
    const id = await start(
      "steps: { a: { run: 'echo ran; while ! test -e go; do sleep 0.1; done' } }",
    );
    const [found] = await waitUntil("the workspace", async () => {
      const made = await query(
        `select w.entry ->> 'path' as path from croft.workspace w join croft.job_log l on true
         where l.text like '%ran%'`,
      );
      return made.length > 0 && made;
    });
    const trash = join(engine.config.data, "trash");
    renameSync(trash, `${trash}-away`);
    writeFileSync(trash, "");
    try {
      writeFileSync(join(String(found?.["path"]), "go"), "");
      expect((await until(id, "done")).steps).toMatchObject([{ status: "done", attempt: 1 }]);
    } finally {
      rmSync(trash);
      renameSync(`${trash}-away`, trash);
    }
    await (await engine.git()).sweep();
    expect(await query("select from croft.workspace")).toEqual([]);
  },
  CEILING_MS,
);

test("a check is about what was stored, not about what is there later", async () => {
  const { run } = await runScene();
  const { steps, status } = await run(`
steps:
  plan:
    run: |
      printf '{"tasks": "evil"}' > tasks.json; mkdir empty
      printf 'printf "{\\"tasks\\": []}" > tasks.json; touch empty/file' > test.sh
    artifacts: { tasks: tasks.json, empty: empty/ }
    checks:
      - command: sh test.sh
      - { not-empty: empty, on-failure: warn }
      - { json-schema: { properties: { tasks: { type: array } } }, of: tasks }
  use: { needs: plan, run: 'true' }
`);
  expect(status).toBe("failed");
  expect(steps).toMatchObject([
    { step: "plan", attempt: 1, error: { code: "check-failed" } },
    { step: "use", status: "skipped" },
  ]);
  expect(steps[0]?.error?.message).toContain("'tasks' is not as its schema says");
});

test("a schema that is a directory, and an artifact that is too large, fail their checks once", async () => {
  const { run } = await runScene();
  const { steps } = await run(`
steps:
  directory:
    run: "mkdir schema.json; echo '{}' > a.json"
    artifacts: { a: a.json }
    checks: [{ json-schema: schema.json, of: a }]
  large:
    run: truncate -s 17M a.json
    artifacts: { a: a.json }
    checks: [{ not-empty: a, on-failure: warn }]
`);
  expect(steps).toMatchObject([
    { step: "directory", attempt: 1, error: { code: "check-failed", class: "command" } },
    {
      ...{ step: "large", status: "done" },
      report: { warnings: ["not-empty: 'a' is too large to be checked"] },
    },
  ]);
});

test("a script that is too long fails once; a summary that is too long is cut", async () => {
  const { run } = await runScene();
  const { steps } = await run(`
steps:
  script:
    run: true ${"x".repeat(140_000)}
  summary:
    run: head -c 600000 /dev/zero | tr '\\0' '"' > $CROFT_SUMMARY
`);
  expect(steps).toMatchObject([
    { step: "script", attempt: 1, error: { code: "command-too-long", class: "invalid" } },
    { step: "summary", status: "done" },
  ]);
  expect(steps[1]?.summary).toMatch(/^"{100000,}\n\n… \(the rest was cut off: it is too long\)\n$/);
});

test("more secrets than can be looked for are refused", async () => {
  const { run, engine } = await runScene();
  const names = Array.from({ length: 17 }, (_, number) => `S${number}`);
  for (const name of names) {
    await putSecret(engine.vault, "local", { name, value: name + "x".repeat(65_000) });
  }
  const { steps } = await run(`
steps: { a: { run: 'true', secrets: [${names.join(", ")}] } }
`);
  expect(steps).toMatchObject([{ attempt: 1, error: { code: "secrets-too-large" } }]);
});
