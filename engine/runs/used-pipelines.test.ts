// What a pipeline uses is read once, when it starts, and refused when it could not run.
import { expect, test } from "vitest";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import type { RunRow } from "./run-rows.ts";
import { readUses } from "./used-pipelines.ts";

async function usesOf(files: Readonly<Record<string, string>>, text: string) {
  const { database } = await scratchEngine();
  const run = { owner: "local", file: "main.yaml", text } as RunRow;
  return await readUses(database, run, async (path) => {
    const found = files[path];
    return found === undefined ? undefined : Buffer.from(found);
  });
}

const using = (file: string) => `steps:\n  next: { uses: ${file} }\n`;

test.each([
  ["itself", { "a/cyc.yaml": using("./cyc.yaml") }, "a/cyc.yaml", "a/cyc.yaml → a/cyc.yaml"],
  [
    "one that uses it",
    { "b.yaml": using("c.yaml"), "c.yaml": using("b.yaml") },
    "b.yaml",
    "b.yaml → c.yaml → b.yaml",
  ],
  [
    "the one that runs",
    { "b.yaml": using("main.yaml"), "main.yaml": using("b.yaml") },
    "b.yaml",
    "b.yaml → main.yaml → b.yaml",
  ],
])("a pipeline that uses %s is refused", async (_, files, first, circle) => {
  await expect(usesOf(files, using(first))).rejects.toMatchObject({
    code: "invalid-pipeline",
    message: `pipelines use each other in a circle: ${circle}`,
  });
});

test("pipelines use each other ten deep, not deeper", async () => {
  const chain = (length: number) =>
    Object.fromEntries(
      Array.from({ length }, (_, index) => [
        `p${index + 1}.yaml`,
        index + 1 === length ? "steps:\n  a: { run: x }\n" : using(`p${index + 2}.yaml`),
      ]),
    );
  expect(Object.keys(await usesOf(chain(10), using("p1.yaml")))).toHaveLength(10);
  await expect(usesOf(chain(11), using("p1.yaml"))).rejects.toMatchObject({
    message: "pipelines use each other more than 10 deep",
  });
});

test("what a used pipeline does not know is told with its place, all at once", async () => {
  const child =
    "inputs: { what: { type: string } }\noutputs: { said: x }\nsteps:\n  a: { run: x }\n";
  const text = `steps:
  one: { uses: child.yaml, with: { wat: 1 } }
  two: { uses: child.yaml, outputs: [sad] }
`;
  const refused = usesOf({ "child.yaml": child }, text);
  await expect(refused).rejects.toMatchObject({ code: "invalid-pipeline" });
  await expect(refused).rejects.toThrow(
    /main\.yaml:2:\d+: .*no input 'wat'[\s\S]*main\.yaml:3:\d+: .*no output 'sad'/,
  );
});
