// What a job leaves behind in its process: no other job feels it, and no process that cannot work is started for ever.
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HandlerScene, handlerScene } from "../../test/support/handler-scene.ts";
import { waitUntil } from "../../test/support/wait-until.ts";

const LATER = "await new Promise((done) => setTimeout(done, 300));";
const NEXT = `async ({ log }) => { ${LATER} log('well'); return process.pid; }`;

const DAMAGES: readonly [string, string][] = [
  ["ends its process later", "setTimeout(() => process.exit(3), 100);"],
  ["blocks it later", "setTimeout(() => { for (;;); }, 100);"],
  [
    "takes all memory later",
    "setTimeout(() => { const all = []; for (;;) all.push(new Array(1e5).fill(1)); }, 100);",
  ],
  ["never stops ticking", "setInterval(() => {}, 10);"],
  ["goes on listening", "require('node:net').createServer().listen(0, '127.0.0.1');"],
  ["puts toJSON on all objects", "Object.prototype.toJSON = () => 1;"],
  ["replaces what promises are made of", "Promise.prototype.then = () => {};"],
  ["replaces a function of everybody's", "globalThis.setTimeout = () => {};"],
  ["takes its output", "process.stdout.write = () => true;"],
  [
    "hears nothing of errors any more",
    "process.removeAllListeners('unhandledRejection'); process.removeAllListeners('uncaughtException');",
  ],
  ["hears all of them itself", "process.prependListener('uncaughtException', () => {});"],
  ["closes its output", "const fs = require('node:fs'); fs.closeSync(1); fs.closeSync(2);"],
  [
    "puts a file in the place of its output",
    "const fs = require('node:fs'); fs.closeSync(1); fs.openSync(ctx.directory + '/x', 'w');",
  ],
];

describe("the next job has another process, and is well, after a handler that", () => {
  const clearUps: (() => Promise<void>)[] = [];
  let scene: HandlerScene;

  beforeAll(async () => {
    const bad = DAMAGES.map(([, does], index) => {
      return [`bad-${index}`, `async (ctx) => { const pid = process.pid; ${does} return pid; }`];
    });
    const handlers = { ...Object.fromEntries(bad), next: NEXT };
    const flags = { "worker.slots": "1", "handler.memory": "64" };
    scene = await handlerScene({ handlers, flags }, (clearUp) => clearUps.unshift(clearUp));
  });
  afterAll(async () => {
    for (const clearUp of clearUps) await clearUp();
  });

  test.each(DAMAGES.map(([what], index) => [what, `bad-${index}`]))("%s", async (_what, type) => {
    const bad = await scene.run(type);
    const next = await scene.run("next");
    expect(next).toMatchObject({ status: "done", error: null });
    expect(await scene.logOf(next.id)).toBe("well\n");
    expect(next.result).not.toBe(bad.result);
  });
});

test("what is only kept for later, and is over by then, costs a process nothing", async () => {
  const own = await handlerScene({
    handlers: {
      tidy: `async ({ log }) => {
        const timer = setTimeout(() => {}, 60_000);
        setTimeout(() => {}, 60_000).unref();
        await new Promise((done) => setTimeout(done, 5));
        clearTimeout(timer);
        require('node:fs').readFile('/dev/null', () => {});
        require('node:child_process').execFileSync('/bin/true');
        globalThis.seen = true;
        log('well');
        return process.pid;
      }`,
    },
    flags: { "worker.slots": "1" },
  });
  const pids = new Set<unknown>();
  for (let nth = 0; nth < 5; nth++) pids.add((await own.run("tidy")).result);
  expect(pids.size).toBe(1);
});

test("an error of an earlier job that comes late is told as such, and its process has no job after that", async () => {
  const own = await handlerScene({
    handlers: {
      leak: `async () => {
        const { AsyncResource } = require('node:async_hooks');
        globalThis.fire = AsyncResource.bind(() => void Promise.reject(new Error('of before')));
        return process.pid;
      }`,
      next: "async () => { globalThis.fire?.(); await new Promise((done) => setTimeout(done, 10)); return process.pid; }",
    },
    flags: { "worker.slots": "1" },
  });
  const leak = await own.run("leak");
  const next = await own.run("next");
  expect(next).toMatchObject({ status: "done", result: leak.result });
  expect(await own.logOf(next.id)).toContain("of an earlier job: of before");
  expect((await own.run("next")).result).not.toBe(leak.result);
});

test("one that fell while it had no job is noticed, and the next job goes elsewhere", async () => {
  const own = await handlerScene({
    handlers: {
      bad: "async () => { setTimeout(() => process.exit(3), 300).unref(); require('node:net').createServer().listen(0).unref(); return process.pid; }",
      next: NEXT,
    },
    flags: { "worker.slots": "1" },
  });
  const first = await own.run("bad");
  await waitUntil("its end", () => !isAlive(Number(first.result)));
  expect(await own.run("next")).toMatchObject({ status: "done" });
});

/** After its word that it is ready, and before it can hear of a job: no timer falls into that gap for sure. */
const EXIT_WHEN_READY = `const { write } = Socket.prototype;
  Socket.prototype.write = function (text, ...others) {
    write.call(this, text, ...others);
    if (String(text).includes('"ready"')) process.exit(7);
  }`;

test.each([
  ["as soon as it is loaded", "process.exit(7)", "ended at its start"],
  ["when it has been loaded", EXIT_WHEN_READY, "ended with exit code 7 when it was loaded"],
  [
    "by a rejected promise that it leaves behind",
    "void Promise.reject(new Error('of the file'))",
    "cannot load it: of the file",
  ],
])(
  "a project that ends its process %s fails the job, is started once a try, and is well again later",
  async (_when, does, told) => {
    const config = `import { defineConfig, defineHandler, z } from "croft";
      import { appendFileSync, existsSync } from "node:fs";
      import { Socket } from "node:net";
      if (process.argv[1].includes("handler-child") && existsSync("spoilt")) {
        appendFileSync("spoilt", "x");
        ${does};
      }
      export default defineConfig({ handlers: { x: defineHandler({ input: z.looseObject({}), run: () => 1 }) } });`;
    const own = await handlerScene({ config, flags: { "worker.slots": "1" } });
    expect(await own.run("x")).toMatchObject({ status: "done" }); // what checks the input stays from now on
    const spoilt = join(own.directory, "spoilt");
    await writeFile(spoilt, "");
    const job = await own.run("x", { owner: "app:other" });
    expect(job).toMatchObject({ status: "failed", error: { class: "transient" } });
    expect(job.error?.message).toContain(told);
    expect(await readFile(spoilt, "utf8")).toBe("x");
    await rm(spoilt);
    expect(await own.run("x", { owner: "app:other" })).toMatchObject({ status: "done" });
  },
);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
