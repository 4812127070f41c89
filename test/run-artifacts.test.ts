// What steps hand to each other: artifacts as files and as texts, variables, and what is told when something is missing.
import { listAssets } from "@croft/engine";
import { expect, test } from "vitest";
import { type RunScene, runScene } from "./support/run-scene.ts";

type Detail = Awaited<ReturnType<RunScene["detail"]>>;

function step({ steps }: Detail, name: string, item: string | null = null) {
  return steps.find((each) => each.step === name && each.item === item);
}

async function logOf({ query }: RunScene, detail: Detail, name: string): Promise<string> {
  const rows = await query("select text from croft.job_log where job_id = $1 order by seq", [
    step(detail, name)?.job_id,
  ]);
  return rows.map(({ text }) => String(text)).join("");
}

test("in a step's variables 'env' is the pipeline's, in its script both, and outputs have artifacts", async () => {
  const scene = await runScene();
  const detail = await scene.run(`
env: { A: pipe, B: other }
outputs: { text: "\${{ artifacts.say.note }}", missing: "\${{ artifacts.never.note }}" }
steps:
  say:
    env: { A: step, C: "\${{ env.A }}" }
    run: |
      echo "expressions=\${{ env.A }} \${{ env.B }} \${{ env.C }}" >> $CROFT_OUTPUT
      echo "variables=$A $B $C" >> $CROFT_OUTPUT
      printf noted > "note-\${{ env.A }}.txt"
    artifacts: { note: "note-\${{ env.A }}.txt" }
    checks: [{ command: 'test "\${{ env.A }} \${{ env.C }}" = "step pipe"' }]
    outputs: [expressions, variables]
  never: { if: "false", run: "true", artifacts: { note: note.txt } }
`);
  expect(step(detail, "say")).toMatchObject({
    error: null,
    outputs: { expressions: "step other pipe", variables: "step other pipe" },
  });
  expect(detail.outputs).toEqual({ text: "noted", missing: null });
}, 60_000);

test("files of steps are found by what their run was made for", async () => {
  const scene = await runScene();
  const text = `
steps:
  make:
    matrix: { v: [one, two] }
    run: 'echo "\${{ matrix.v }}" > a.txt; git add a.txt; git commit -qm more'
    artifacts: { a: a.txt }
`;
  const { status, source_task_id } = await scene.run(text, { sourceTaskId: "talk-1" });
  expect({ status, source_task_id }).toEqual({ status: "done", source_task_id: "talk-1" });
  await scene.run(text.replaceAll("a.txt", "b.txt"));
  const wanted = { source_task_id: "talk-1", limit: 9 };
  const { assets } = await listAssets(scene.engine.database, { owner: "local" }, wanted);
  const found = assets.map(({ kind, item }) => `${kind} ${item}`).sort();
  expect(found).toEqual(["artifact one", "artifact two", "bundle one", "bundle two"]);
}, 60_000);

test("what is injected and not there is an error, or told", async () => {
  const scene = await runScene();
  const detail = await scene.run(`
steps:
  bad: { run: exit 1, continue-on-error: true, artifacts: { a: a.txt } }
  some:
    matrix: { v: [one, two] }
    run: 'test "\${{ matrix.v }}" = one || echo 2 > a.txt'
    artifacts: { a: { path: a.txt, optional: true }, none: { path: none.txt, optional: true } }
  single: { needs: [bad], inject: { bad.a: in.txt }, run: "true", continue-on-error: true }
  many:
    needs: [some]
    inject: { some.a: in, some.none: empty/ }
    run: 'test "$(ls in)" = two && test -d empty && test -z "$(ls -A empty)"'
`);
  expect(step(detail, "single")).toMatchObject({
    status: "failed",
    error: { code: "artifact-missing", message: expect.stringContaining("'a' of step 'bad'") },
  });
  expect(step(detail, "many")).toMatchObject({ status: "done", error: null });
  const log = await logOf(scene, detail, "many");
  expect(log).toContain("inject: 'some.a': not there for one\n");
  expect(log).toContain("inject: 'some.none': no item has it\n");
}, 60_000);

test("an artifact that may be missing and is, is told of where it is injected", async () => {
  const scene = await runScene();
  const detail = await scene.run(`
steps:
  make: { run: "true", artifacts: { a: { path: a.txt, optional: true } } }
  use: { needs: [make], inject: { a: in.txt }, run: test ! -e in.txt }
`);
  expect(detail.status).toBe("done");
  expect(await logOf(scene, detail, "use")).toContain("'a' of step 'make' is not there");
}, 60_000);

test("the error of a run names the item that failed, and a merge those without a result", async () => {
  const scene = await runScene();
  const detail = await scene.run(`
steps:
  build: { matrix: { v: [alpha, beta] }, run: 'test \${{ matrix.v }} = alpha && echo 1 > a.txt' }
  merge: { needs: [build], if: always(), integrate: build }
`);
  expect(detail.error?.message).toMatch(/^step 'build' \(beta\): /);
  expect(step(detail, "merge")?.integration).toEqual({
    ...{ integrated: ["alpha"], conflicts: [] },
    left_out: [{ id: "beta", result: "failed" }],
  });
  const log = await logOf(scene, detail, "merge");
  expect(log).toMatch(/integrated 1 of 2 at/);
  expect(log).toContain("left out: beta: it has no result: failed\n");
}, 60_000);

test("a credential that is not the owner's for that repository ends the run with the reason", async () => {
  const scene = await runScene();
  const named = "0190a000-0000-7000-8000-000000000001";
  const text = (address: string) => `
repository: { url: "${address}", credential: ${named} }
steps:
  a: { run: "true" }
`;
  const own = await scene.run(text(scene.origin), { repository: undefined });
  expect(own).toMatchObject({
    status: "failed",
    error: { code: "unknown-credential", message: expect.stringContaining(named) },
  });
  // Another repository than the pipeline's own: what it names is not for that.
  const other = await scene.run(text("https://example.com/other.git"));
  expect(other.status).toBe("done");
  const beside = await scene.run(`
steps:
  a: { workspace: { repositories: { more: { url: "${scene.origin}", credential: nonsense } } }, run: "true" }
`);
  expect(step(beside, "a")?.error).toMatchObject({
    code: "unknown-credential",
    message: expect.stringContaining("nonsense"),
  });
}, 60_000);

test("more artifacts in expressions than there is memory for fail the step that names them, and only that", async () => {
  const scene = await runScene();
  const names = Array.from({ length: 18 }, (_, index) => `t${index}`);
  const artifacts = names.map((name) => `${name}: ${name}.txt`).join(", ");
  const env = names.map((name) => `V${name}: "\${{ artifacts.make.${name} && 1 }}"`).join(", ");
  const list = names.map((name) => `artifacts.make.${name}`).join(" && ");
  const few = `artifacts.make.t0 != artifacts.make.t1`;
  const detail = await scene.run(`
outputs: { first: "\${{ startsWith(artifacts.make.t0, 't0') }}" }
steps:
  make:
    run: 'for name in ${names.join(" ")}; do { echo $name; head -c 1000000 /dev/zero | tr "\\0" x; } > $name.txt; done'
    artifacts: { ${artifacts} }
  work: { needs: [make], env: { ${env} }, run: "true", continue-on-error: true }
  decide: { needs: [make], if: "${list}", run: "true", continue-on-error: true }
  list: { needs: [make], matrix: { v: "\${{ fromJSON(format('[{0}]', ${list} && 1)) }}" }, run: "true", continue-on-error: true }
  ask: { needs: [make], continue-on-error: true, approval: { message: "\${{ ${list} }}" } }
  few: { needs: [make], if: "${few}", matrix: { v: "\${{ fromJSON(case(${few}, '[1]', '[]')) }}" }, run: "true" }
`);
  expect(detail).toMatchObject({ status: "done", outputs: { first: true } });
  for (const name of ["work", "decide", "list", "ask"]) {
    expect(step(detail, name), name).toMatchObject({
      status: "failed",
      error: {
        code: "expression",
        message: expect.stringMatching(/18 artifacts named have \d+ bytes: at most 16777216/),
      },
    });
  }
  expect(step(detail, "few")?.status).toBe("done");
}, 120_000);

test("the character 0 in an output or a summary is told of by name", async () => {
  const scene = await runScene();
  const detail = await scene.run(`
steps:
  out: { run: 'printf "good=1\\nbad=a\\000b\\n" >> $CROFT_OUTPUT', outputs: [good, bad] }
  sum: { run: 'printf "a\\000b" >> $CROFT_SUMMARY' }
`);
  expect(step(detail, "out")?.error).toMatchObject({
    code: "invalid-output",
    message: "$CROFT_OUTPUT: output 'bad' has the character 0 in it",
  });
  expect(step(detail, "sum")?.error).toMatchObject({
    code: "invalid-output",
    message: "$CROFT_SUMMARY: the character 0 is in it",
  });
}, 60_000);
