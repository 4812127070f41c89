// Triggers of croft.config.ts: read when Croft starts, refused with what is wrong.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { loadConfig } from "../config/load-config.ts";
import { requireTriggers } from "./project-triggers.ts";

const job = { type: "note" };

async function load(text: string) {
  const directory = await scratchDirectory();
  await writeFile(join(directory, "croft.config.ts"), text);
  const uid = process.getuid?.();
  return await loadConfig({ flags: {}, env: {}, directory, uid, home: directory });
}

test("a project's triggers, with what they leave out and names of their own", async () => {
  const { triggers, project } = await load(`
    import { defineConfig } from "croft";
    export default defineConfig({
      triggers: [
        { on: "push", branches: "main", job: { type: "note", input: { to: "\${{ event.after }}" } } },
        { on: ["push"], job: { type: "note" } },
        { on: "issue_comment", command: "/go", pipeline: "go", inputs: { n: 1 } },
        { name: "third", on: "push", pipeline: "go" },
      ],
    });`);
  expect(project).toBeUndefined();
  expect(triggers.map(({ name }) => name)).toEqual(["job:note", "job:note:2", "run:go", "third"]);
  expect(triggers[0]).toMatchObject({
    trigger: { events: ["push"], branches: ["main"], paths: [], drafts: true, forks: "untrusted" },
    work: { kind: "job", type: "note", input: { to: `\${{ event.after }}` } },
  });
  expect(triggers[2]).toMatchObject({
    trigger: { command: "/go", supersede: false },
    work: { kind: "pipeline", pipeline: "go", inputs: { n: 1 } },
  });
  expect((await load("export default {};")).triggers).toEqual([]);
});

test("what is wrong is told with its place and its file, before anything starts", async () => {
  const wrong = load(
    `export default { triggers: [{ on: "push", job: { type: "x" }, path: "a" }] };`,
  );
  await expect(wrong).rejects.toMatchObject({ code: "config-invalid" });
  await expect(wrong).rejects.toThrow(/triggers\[0\].*path.*croft\.config\.ts/);
});

test.each<[unknown, string]>([
  [{}, "triggers must be a list"],
  [[7], "triggers[0]: "],
  [[{ job }], "triggers[0].on"],
  [[{ on: "Push", job }], "triggers[0].on: 'Push': expected an event"],
  [[{ on: [], job }], "triggers[0].on: names no event"],
  [[{ on: "push" }], "triggers[0] must have either 'job' or 'pipeline'"],
  [[{ on: "push", job, pipeline: "x" }], "triggers[0] must have either 'job' or 'pipeline'"],
  [[{ on: "push", job, inputs: {} }], "triggers[0].inputs: is for a pipeline"],
  [[{ on: "push", job, supersede: true }], "triggers[0].supersede: 'push' has no pull request"],
  [[{ on: "push", job, paths: "a[" }], "triggers[0].paths: 'a[' is no valid glob"],
  [[{ on: "push", job, key: `\${{ event` }], `triggers[0].key: '\${{' has no '}}'`],
  [
    [{ on: "push", job: { type: "x", input: { a: { b: [`\${{ evnt.x }}`] } } } }],
    "triggers[0].job.input.a.b.0: ",
  ],
  [[{ on: "push", pipeline: "x", inputs: { a: `\${{ inputs.a }}` } }], "triggers[0].inputs.a: "],
  [
    [
      { on: "push", job, name: "x" },
      { on: "push", job, name: "x" },
    ],
    "triggers[1].name: another trigger is called 'x' already",
  ],
  [[{ on: "push", job, name: "a b" }], "triggers[0].name"],
])("%j is refused: %s", (value, message) => {
  expect(() => requireTriggers(value)).toThrow(message);
});
