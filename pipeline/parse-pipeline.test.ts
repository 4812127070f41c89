// A pipeline file becomes a model, or a list of problems that each name their line and column.
import { describe, expect, test } from "vitest";
import { parsePipeline, parsePipelineBytes } from "./parse-pipeline.ts";
import { problemText } from "./problem.ts";

function problemsOf(text: string): string[] {
  return parsePipeline(text).problems.map(problemText);
}

const FIX_ISSUES = `
name: fix-issues
on: { github: [issues.labeled], schedule: "0 6 * * *", change: { paths: ["docs/**"] } }
repository: https://github.com/ada/engine
inputs: { issue: { type: string, required: true } }
concurrency: { key: "repo:\${{ repository.name }}", limit: 1 }
steps:
  plan:
    run: ./plan.sh > out/tasks.json
    artifacts: { tasks: out/tasks.json }
    checks: [ { json-schema: schemas/tasks.json, of: tasks }, { not-empty: tasks } ]
    timeout: 10m
  build:
    needs: [plan]
    matrix: { task: "\${{ fromJSON(artifacts.plan.tasks).tasks }}", id: "\${{ matrix.task.id }}", max-parallel: 4 }
    workspace: { from: plan, branch: "fix/\${{ matrix.task.id }}" }
    inject: { tasks: in/tasks.json }
    run: ./implement.sh
    retry: { attempts: 3, backoff: exponential, delay: 5s }
  merge:   { needs: [build], integrate: build }
  approve: { needs: [merge], approval: { timeout: 24h } }
  push:    { needs: [approve], publish: { from: merge, branch: "fix/\${{ run.id }}" } }
`;

describe("a pipeline that is right", () => {
  test("is plain data with all defaults", () => {
    const { pipeline, problems, warnings } = parsePipeline(FIX_ISSUES);
    expect(problems).toEqual([]);
    expect(warnings.map(({ message }) => message)).toEqual([
      "no schedule can give input 'issue': a server will not store this",
      "no event of GitHub can give input 'issue'",
    ]);
    expect(JSON.parse(JSON.stringify(pipeline))).toEqual(pipeline);
    expect(pipeline?.steps.map(({ id, kind }) => `${id}: ${kind}`)).toEqual([
      ...["plan: run", "build: run", "merge: integrate", "approve: approval", "push: publish"],
    ]);
    const [plan, build, merge, approve] = pipeline?.steps ?? [];
    expect(plan).toMatchObject({
      timeoutMs: 600_000,
      sandbox: "auto",
      network: false,
      shell: "sh",
    });
    expect(plan?.retry).toMatchObject({ attempts: 3, on: ["transient"] });
    expect(build).toMatchObject({
      timeoutMs: 3_600_000,
      retry: { attempts: 3, delayMs: 5000, on: ["transient", "command", "timeout", "check"] },
      inject: [{ step: "plan", artifact: "tasks", path: "in/tasks.json" }],
      matrix: { maxParallel: 4, failFast: false },
    });
    expect(merge).toMatchObject({ from: ["build"], onConflict: "fail" });
    expect(approve).toMatchObject({ timeoutMs: 86_400_000 });
  });

  test("has the name of its file unless it has one", () => {
    const text = "steps: { a: { run: x } }";
    expect(parsePipeline(text, { file: ".croft/nightly.yaml" }).pipeline?.name).toBe("nightly");
    expect(parsePipeline(text).pipeline?.name).toBe("pipeline");
  });

  test("passes defaults on to its steps, which may say otherwise", () => {
    const { pipeline } = parsePipeline(`
defaults: { timeout: 5m, retry: none, sandbox: on, network: true, workspace: { kind: clone, lfs: true } }
secrets: [token]
steps:
  a: { run: x }
  b: { run: x, timeout: 1m, retry: patient, network: false, workspace: { kind: overlay }, secrets: { KEY: key } }
`);
    expect(pipeline?.steps).toMatchObject([
      {
        timeoutMs: 300_000,
        retry: { attempts: 1 },
        sandbox: "on",
        network: true,
        workspace: { kind: "clone" },
      },
      {
        timeoutMs: 60_000,
        retry: { attempts: 3, delayMs: 5000, maxDelayMs: 90_000 },
        network: false,
        workspace: { kind: "overlay", lfs: true },
        secrets: { files: ["token"], env: { KEY: "key" } },
      },
    ]);
  });

  test("may have several repositories, inputs without details, and anchors", () => {
    const { pipeline, problems } = parsePipeline(`
inputs: { plain: , level: { type: choice, options: [low, high], default: low } }
steps:
  a:
    run: x
    env: &env { A: 1, B: true }
    workspace: { repositories: { lib: https://example.org/lib, web: { url: https://example.org/web, path: deps/web } } }
  b: { run: x, env: *env }
`);
    expect(problems).toEqual([]);
    expect(pipeline?.inputs).toMatchObject({
      plain: { type: "string", required: false },
      level: { default: "low" },
    });
    expect(pipeline?.steps).toMatchObject([
      {
        env: { A: "1", B: "true" },
        workspace: { repositories: { lib: { path: "lib" }, web: { path: "deps/web" } } },
      },
      { env: { A: "1", B: "true" } },
    ]);
  });
});

describe("what is wrong is told with its place and, where it can be guessed, with what was meant", () => {
  test.each([
    ["steps:\n  a:\n    run: x\n    need: [b]", "4:5: unknown key 'need' (did you mean 'needs'?)"],
    ["step:\n  a: { run: x }", "1:1: 'steps' is missing"],
    ["steps: { a: { run: x, timeout: 10 minutes } }", "1:32: expected a duration such as"],
    ["steps: { a: { run: x, retry: standrd } }", "(did you mean 'standard'?)"],
    [
      "steps: { a: { run: x, matrix: { v: [1], max_parallel: 2 } } }",
      "(did you mean 'max-parallel'?)",
    ],
    ["steps: { a: { run: 5 } }", "1:20: expected a text, found the number 5 (put it in quotes)"],
    ["steps: { a: { run: } }", "1:20: expected a text, found nothing"],
    ["steps: [ { run: x } ]", "1:8: expected a map of steps by their names"],
    ["steps: { }", "1:8: a pipeline needs at least one step"],
    ["steps: { a: { name: x } }", "1:10: step 'a' does nothing"],
    [
      "steps: { a: { run: x, uses: y.yaml } }",
      "1:23: a step does one thing: 'run' and 'uses' are two",
    ],
    [
      "steps: { a: { approval: true, workspace: {} } }",
      "1:31: 'workspace' has no meaning for 'approval'",
    ],
    ["steps: { 1a: { run: x } }", "1:10: '1a': a name begins with a letter"],
    [
      "steps: { a: { run: x, env: { LD_PRELOAD: x } } }",
      "1:30: variables that begin with LD_ cannot be set",
    ],
    [
      "steps: { a: { run: x, env: { CROFT_X: x } } }",
      "variables that begin with CROFT_ cannot be set",
    ],
    [
      "steps: { a: { run: x, artifacts: { r: ../x } } }",
      "1:39: '../x' must stay inside the workspace",
    ],
    ["steps: { a: { run: x, artifacts: { r: /etc/x } } }", "must be relative to the workspace"],
    [
      "steps: { a: { run: x, workspace: { branch: a..b } } }",
      "1:44: 'a..b' is no valid name of a branch or ref",
    ],
    ["steps: { a: { run: x, checks: [{ no-diff-outside: ['[a'] }] } }", "'[a' is no valid glob"],
    [
      `steps: { a: { run: x, checks: [{ no-diff-outside: "${"+(".repeat(300)}a${")".repeat(300)}" }] } }`,
      "is too long for a glob",
    ],
    [
      `steps: { a: { run: x, checks: [{ no-diff-outside: "${"+(".repeat(40)}a${")".repeat(40)}" }] } }`,
      "has too many groups for a glob",
    ],
    ["steps: { a: { run: x, checks: [{ not-empty: r }] } }", "1:45: step 'a' has no artifact 'r'"],
    [
      "on: { schedule: 0 6 * * }\nrepository: x\nsteps: { a: { run: x } }",
      "1:17: a cron line has five fields",
    ],
    ["on: { schedule: 0 6 * * * }\nsteps: { a: { run: x } }", "1:7: a schedule needs 'repository'"],
    ["repository: https://u:p@h/x\nsteps: { a: { run: x } }", "must not contain a password"],
    [
      "inputs: { a: { type: choice } }\nsteps: { a: { run: x } }",
      "1:11: input 'a' is a choice without 'options'",
    ],
    [
      "inputs: { a: { type: number, default: x } }\nsteps: { a: { run: x } }",
      "1:39: expected a number",
    ],
    ["steps: { a: { run: x }, a: { run: y } }", "1:25: 'a' is given twice"],
    ["steps: { a: !!str { run: x } }", "tags ('tag:yaml.org,2002:str') are not allowed"],
    ["steps: { a: { run: x, __proto__: { x: 1 } } }", "1:23: '__proto__' cannot be used as a name"],
    ["steps: { constructor: { run: x } }", "1:10: 'constructor' cannot be used as a name"],
    ["steps: { a: { run: x } }\n---\nsteps: {}", "a second document starts here"],
    ["steps: { a: { <<: *b } }", "1:15: merge keys ('<<') are not part of YAML 1.2"],
    ["steps: &s { a: *s }", "1:16: the alias '*s' stands inside its own anchor"],
    ["steps: { a: *b }", "1:13: the alias '*b' has no anchor before it"],
    ["", "1:1: the file is empty"],
    ["a: [", "not valid YAML"],
    ["just text", "1:1: a pipeline is a map with 'steps' in it"],
  ])("%j", (text, expected) => {
    expect(problemsOf(text).join("\n")).toContain(expected);
    expect(parsePipeline(text).pipeline).toBeUndefined();
  });

  test("needs and references", () => {
    expect(
      problemsOf(`
steps:
  a: { run: x, needs: [a, plna] }
  plan: { run: x, artifacts: { tasks: t } }
  m: { run: x, matrix: { v: [1, 2] }, needs: plan, inject: { task: x, plan.tsks: y } }
  n: { run: x, workspace: { from: plan } }
  o: { run: x, needs: m, workspace: { from: m } }
  p: { needs: m, publish: { from: m, branch: b } }
  q: { needs: [m, w], integrate: [m, w] }
  w: { needs: m, approval: true }
`),
    ).toEqual([
      "3:24: step 'a' needs itself",
      "3:27: there is no step 'plna' (did you mean 'plan'?)",
      "5:62: no step that 'm' needs has an artifact 'task' (did you mean 'tasks'?)",
      "5:71: step 'plan' has no artifact 'tsks' (did you mean 'tasks'?)",
      "6:35: 'n' does not need 'plan' (add 'plan' to its needs)",
      "7:45: step 'm' has a matrix, so it leaves several results (bring them together with an 'integrate' step)",
      "8:35: step 'm' has a matrix, so it leaves several results (bring them together with an 'integrate' step)",
      "9:38: step 'w' ('approval') leaves no commit that 'q' could take",
    ]);
  });

  test("a circle is named with its way round", () => {
    const text =
      "steps:\n  a: { run: x, needs: c }\n  b: { run: x, needs: a }\n  c: { run: x, needs: [b] }";
    expect(problemsOf(text)).toEqual(["2:23: steps need each other in a circle: a → c → b → a"]);
  });

  test("ids of a matrix in the file must differ; an empty one is allowed", () => {
    const step = (list: string) => `steps: { a: { run: x, matrix: { v: ${list} } } }`;
    expect(problemsOf(step("[a/b, a-b]")).join()).toContain(
      "two items of the matrix have the id 'a-b'",
    );
    expect(problemsOf(step("[]"))).toEqual([]);
    expect(problemsOf(step(`[${Array(300).fill(1)}]`)).join()).toContain("at most 256 items");
  });

  test("all mistakes are told at once, also in a step that has others, but not more than 100", () => {
    const text = `steps:\n  a: { run: 1, needs: zz, env: { X: "\${{ foo }}" }, shel: sh }`;
    expect(problemsOf(text)).toHaveLength(4);
    const many = Array.from({ length: 500 }, (_, index) => `  s${index}: { rum: x }`).join("\n");
    expect(problemsOf(`steps:\n${many}`)).toHaveLength(100);
  });

  test("what is doubtful is a warning", () => {
    const { pipeline, warnings } = parsePipeline(
      `steps:\n  a:\n    env: { V: 1.10, W: 0o7 }\n    run: echo \${{ event.issue.title }}`,
    );
    expect(pipeline).toBeDefined();
    expect(warnings.map(problemText)).toEqual([
      "3:15: 1.10 is read as the number 1.1 (put it in quotes)",
      "3:24: 0o7 is read as the number 7 (put it in quotes)",
      "4:19: 'event' becomes part of the script and could run as a command (put it into 'env' and use the variable)",
    ]);
  });
});

test("bytes that are no UTF-8 are refused at their place", () => {
  const bytes = Buffer.concat([
    Buffer.from("name: ä\nsteps: "),
    Buffer.from([0xff]),
    Buffer.from(" x"),
  ]);
  expect(parsePipelineBytes(bytes).problems).toMatchObject([
    { line: 2, column: 8, message: "the file is not UTF-8 text" },
  ]);
  expect(parsePipelineBytes(Buffer.from("\ufeffsteps: { a: { run: x } }")).problems).toEqual([]);
});
