// Runs from the command line, as real processes: run, approve, retry, cancel.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import type { RunDetail, RunList } from "@croft/contract";
import { expect, onTestFinished, test } from "vitest";
import { runCroft, startServer } from "./support/croft-process.ts";
import { makeRepository } from "./support/make-repository.ts";
import { scratchDatabase } from "./support/scratch-database.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { getJson } from "./support/sign-in.ts";
import { waitUntil } from "./support/wait-until.ts";

async function scene() {
  const root = await scratchDirectory();
  const data = join(root, "data");
  const repository = await makeRepository(root, "small", { files: 1 });
  const env = { CROFT_GIT_ALLOW_LOCAL: "true", DATABASE_URL: await scratchDatabase() };
  const server = await startServer(data, { env });
  onTestFinished(async () => void (await server.stop()));
  const begin = (...args: string[]) => runCroft(args, { env: { CROFT_DATA: data } });
  return {
    ...{ begin, data, server },
    croft: async (...args: string[]) => {
      const process = begin(...args);
      const code = await process.exit;
      return { code, stdout: process.stdout(), output: process.output() };
    },
    pipeline: async (text: string) => {
      const file = join(root, "pipeline.yaml");
      await writeFile(file, `repository: ${repository}\n${text}`);
      return file;
    },
    run: (id: string) => getJson(server, `/api/runs/${id}`) as Promise<RunDetail>,
  };
}

test("a pipeline runs, its steps are told, and the exit code is its result", async () => {
  const { croft, pipeline, run } = await scene();
  const file = await pipeline(`
inputs: { who: { type: string, default: world } }
steps:
  greet: { run: 'echo "Hello, $WHO!"', env: { WHO: "\${{ inputs.who }}" } }
  loud: { needs: [greet], run: "true" }
`);
  const good = await croft("run", file, "-i", "who=Ada", "--source-task-id", "talk-1");
  expect(good.code).toBe(0);
  expect(good.output).toMatch(/✓ greet done \d+\.\d s\n(?:.*\n)*✓ loud done/);
  const { steps, inputs, source_task_id } = await run(good.stdout.trim());
  expect(source_task_id).toBe("talk-1");
  expect(inputs).toEqual({ who: "Ada" });
  const log = await croft("logs", steps[0]?.job_id ?? "");
  expect(log.stdout).toContain("Hello, Ada!");
  const shown = await croft("runs", good.stdout.trim());
  expect(shown.stdout).toMatch(/ done\n(?:.*\n)*.*greet.*\n.*loud/);
  const list = await croft("runs", "--status", "done");
  expect(list.stdout.split("\t").slice(0, 3)).toEqual([good.stdout.trim(), "done", "pipeline #1"]);
  expect((await croft("runs", "--source-task-id", "talk-1")).stdout).toBe(list.stdout);
  expect((await croft("runs", "--source-task-id", "talk-2")).stdout).toBe("");
  const none = await croft("runs", "--status", "failed");
  expect(none).toMatchObject({ code: 0, stdout: "" });
  const wrong = await croft("run", file, "-i", "whom=Ada");
  expect(wrong).toMatchObject({ code: 1, output: expect.stringContaining("did you mean 'who'") });
}, 60_000);

test("the exit code is the run's, also when nobody reads the output any more", async () => {
  const { begin, croft, pipeline } = await scene();
  const file = await pipeline('steps:\n  bad: { run: "exit 3" }\n');
  for (const more of [[], ["--json"]]) {
    const running = begin("run", file, ...more);
    running.child.stdout?.destroy();
    expect(await running.exit).toBe(1);
  }
  const { stdout } = await croft("run", file);
  const log = await croft("logs", stdout.trim());
  expect(log).toMatchObject({ code: 1, output: expect.stringMatching(/croft logs \S+ {2}# bad/) });
}, 60_000);

test("a run that failed is told with its reason and goes on where it failed", async () => {
  const { croft, pipeline, run } = await scene();
  const file = await pipeline(`
steps:
  good: { run: "true" }
  bad: { needs: [good], run: "test -n \\"$CROFT_SECOND\\" || exit 3" }
`);
  const failed = await croft("run", file, "--json");
  expect(failed.code).toBe(1);
  const detail = JSON.parse(failed.stdout) as RunDetail;
  expect(detail).toMatchObject({ status: "failed", attempt: 1 });
  expect(failed.output).toContain("step 'bad': the command ended with exit code 3");
  const before = detail.steps.find(({ step }) => step === "good")?.job_id;
  expect(await croft("retry", detail.id, "--from", "nothing")).toMatchObject({ code: 1 });
  expect(await croft("retry", detail.id)).toMatchObject({ code: 0 });
  await waitUntil(
    "its second end",
    async () => (await run(detail.id)).finished_at !== null,
    30_000,
  );
  const again = await run(detail.id);
  expect(again).toMatchObject({ status: "failed", attempt: 2 });
  expect(again.steps.find(({ step }) => step === "good")?.job_id).toBe(before);
}, 60_000);

test("a step waits for a person; Ctrl-C cancels the run", async () => {
  const { begin, croft, pipeline, run } = await scene();
  const file = await pipeline(
    "steps:\n  ask: { approval: {} }\n  after: { needs: [ask], run: sleep 60 }\n",
  );
  const running = begin("run", file);
  await waitUntil("its number", () => /^[0-9a-f-]{36}\n/.test(running.stdout()), 30_000);
  const id = running.stdout().trim();
  await waitUntil("the question", () => running.output().includes("? ask waiting"), 30_000);
  expect(running.output()).toContain(`croft approve ${id} ask`);
  expect(await croft("approve", id, "nobody")).toMatchObject({ code: 1 });
  expect(await croft("approve", id, "ask")).toMatchObject({ code: 0, stdout: "approved\n" });
  await waitUntil("the answer", () => running.output().includes("✓ ask done"), 30_000);
  await waitUntil("the next step", () => running.output().includes("▸ after running"), 30_000);
  expect(await run(id)).toMatchObject({ status: "running" });
  running.child.kill("SIGINT");
  expect(await running.exit).toBe(1);
  expect(running.output()).toContain(`croft: run ${id} cancelled`);
  expect((await run(id)).steps.map(({ status }) => status)).toEqual(["done", "cancelled"]);
}, 90_000);

test("a step that is refused fails, and says by whom", async () => {
  const { begin, croft, pipeline, run } = await scene();
  const file = await pipeline("steps:\n  ask: { approval: {} }\n");
  const running = begin("run", file);
  await waitUntil("the question", () => running.output().includes("? ask waiting"), 30_000);
  const id = running.stdout().trim();
  const refused = await croft("approve", id, "ask", "--refuse");
  expect(refused).toMatchObject({ code: 0, stdout: "refused\n" });
  expect(await running.exit).toBe(1);
  const { status, steps } = await run(id);
  expect({ status, step: steps[0]?.status }).toEqual({ status: "failed", step: "failed" });
  expect(steps[0]?.error?.message).toBe("local did not approve it");
}, 60_000);

test("a run whose acknowledgement was lost is asked for again, and is one run", async () => {
  const { data, server, pipeline } = await scene();
  const file = await pipeline('steps:\n  only: { run: "true" }\n');
  let lost = 0;
  const proxy = createServer((client) => {
    const { port, hostname } = new URL(server.url);
    const there = connect(Number(port), hostname);
    let isStart = false;
    client.on("data", (chunk) => {
      isStart ||= chunk.includes("POST /api/runs ");
      there.write(chunk);
    });
    there.on("data", (chunk) => {
      if (!isStart || lost > 0) return void client.write(chunk);
      lost++;
      client.destroy();
    });
    const end = () => [client, there].forEach((socket) => void socket.destroy());
    for (const socket of [client, there]) socket.on("close", end).on("error", end);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => void proxy.close());
  const { port } = proxy.address() as AddressInfo;
  const token = readFileSync(join(data, "run/cli-token"), "utf8").trim();
  const env = { CROFT_URL: `http://127.0.0.1:${port}`, CROFT_TOKEN: token };
  const running = runCroft(["run", file], { env });
  expect({ code: await running.exit, lost }).toEqual({ code: 0, lost: 1 });
  const { runs } = (await getJson(server, "/api/runs")) as RunList;
  expect(runs.map(({ id }) => id)).toEqual([running.stdout().trim()]);
}, 60_000);
