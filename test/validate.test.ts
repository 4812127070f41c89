// `croft validate` as a process of its own: what it says, where, and how it ends. No server runs.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../scripts/source-files.ts";
import { runCroft } from "./support/croft-process.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";

/** Runs the command in a directory with these files. */
async function validate(files: Record<string, string>, ...args: string[]) {
  const cwd = await scratchDirectory();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, name)), { recursive: true });
    await writeFile(join(cwd, name), text);
  }
  const croft = runCroft(["validate", ...args], { cwd });
  const code = await croft.exit;
  return { code, stdout: croft.stdout(), stderr: croft.output().replace(croft.stdout(), "") };
}

const GOOD = "steps: { a: { run: x } }\n";
const BAD = "steps:\n  a:\n    run: x\n    need: [b]\n";

test("right files are found by themselves and end with 0", async () => {
  expect(
    await validate({ ".croft/a.yaml": GOOD, ".croft/b.yml": GOOD, "croft.yaml": GOOD }),
  ).toEqual({
    code: 0,
    stdout: "",
    stderr: "✓ 3 files, 0 problems\n",
  });
});

test("a problem is told as compilers do, and ends with 1", async () => {
  expect(await validate({ "x.yaml": BAD, "y.yaml": GOOD }, "x.yaml", "y.yaml")).toEqual({
    code: 1,
    stdout: "x.yaml:4:5: unknown key 'need' (did you mean 'needs'?)\n",
    stderr: "✗ 2 files, 1 problem\n",
  });
});

test("a warning is marked and ends with 0", async () => {
  const text = `steps: { a: { run: x, env: { V: 1.10 } } }`;
  expect(await validate({ "x.yaml": text }, "x.yaml")).toMatchObject({
    code: 0,
    stdout: "x.yaml:1:33: warning: 1.10 is read as the number 1.1 (put it in quotes)\n",
  });
});

test("as JSON it is all in one object", async () => {
  const { code, stdout } = await validate({ "x.yaml": BAD }, "--json", "x.yaml");
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    ok: false,
    files: [
      {
        file: "x.yaml",
        problems: [
          {
            ...{ file: "x.yaml", line: 4, column: 5, message: "unknown key 'need'" },
            ...{ suggestion: "did you mean 'needs'?", path: "steps.a.need" },
          },
        ],
        warnings: [],
      },
    ],
  });
});

test("files that cannot be read are told too; no files at all is a failure", async () => {
  const { code, stdout } = await validate({ "d/x.yaml": GOOD }, "nowhere.yaml", "d");
  expect(code).toBe(1);
  expect(stdout).toBe(
    "nowhere.yaml:1:1: cannot be read: there is no such file\nd:1:1: cannot be read: it is a directory\n",
  );
  const none = await validate({});
  expect(none).toMatchObject({ code: 1, stdout: "" });
  expect(none.stderr).toContain("no pipelines here");
});

test("a pipeline that is used is checked together with its use", async () => {
  const child = `
inputs: { version: { required: true }, level: { type: number } }
concurrency: deploy
outputs: { url: "\${{ steps.a.outputs.url }}" }
steps: { a: { run: x, outputs: [url] } }
`;
  const parent = `steps:
  a: { uses: sub/child.yaml, with: { versoin: 1, level: high }, outputs: [ulr] }
`;
  const { code, stdout } = await validate({ "p.yaml": parent, "sub/child.yaml": child }, "p.yaml");
  expect(code).toBe(1);
  expect(stdout.trimEnd().split("\n")).toEqual([
    "p.yaml:2:38: 'child' has no input 'versoin' (did you mean 'version'?)",
    "p.yaml:2:50: expected a number",
    "p.yaml:2:8: 'child' requires the input 'version'",
    "p.yaml:2:75: 'child' has no output 'ulr' (did you mean 'url'?)",
    "p.yaml:2:8: warning: 'concurrency' of 'child' is ignored: it runs in the lane of the pipeline that uses it",
  ]);
});

test("pipelines that use each other in a circle are refused", async () => {
  const files = {
    "a.yaml": "steps: { s: { uses: b.yaml } }",
    "b.yaml": "steps: { s: { uses: a.yaml } }",
  };
  const { code, stdout } = await validate(files, "a.yaml");
  expect(code).toBe(1);
  expect(stdout).toContain(
    "a.yaml:1:15: pipelines use each other in a circle: a.yaml → b.yaml → a.yaml",
  );
});

test("what a file says cannot give orders to the terminal", async () => {
  const text = 'steps: { a: { run: x, "\\e[2J\\e]0;owned\\a": 1 } }';
  const { stdout } = await validate({ "x.yaml": text }, "x.yaml");
  expect(stdout).toContain("unknown key");
  expect([...stdout].filter((character) => character < " " && character !== "\n")).toEqual([]);
});

test("a file of gigabytes is refused at once", async () => {
  const { code, stdout } = await validate({}, "/dev/zero");
  expect(code).toBe(1);
  expect(stdout).toContain("the file is too large: at most 1048576 bytes");
});

test("the examples are right", async () => {
  const names = [
    ...["hello", "matrix-packages", "plan-fan-out", "nightly", "parallel-agents"],
    "review-pull-requests",
  ];
  const paths = names.map((name) => join(projectRoot, "examples", `${name}.yaml`));
  expect(await validate({}, ...paths)).toMatchObject({ code: 0, stdout: "" });
});
