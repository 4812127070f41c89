// Handlers that do what they should not: only their own job fails, the next one on that slot works, nothing stays.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findProcesses } from "../../test/support/find-processes.ts";
import { type HandlerScene, handlerScene } from "../../test/support/handler-scene.ts";
import { sourceWith } from "../../test/support/source-with.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { cancelJob } from "../jobs/change-jobs.ts";

const GOOD = "async ({ log }) => { log('well'); return { pid: process.pid }; }";

/** One slot, so that the next job comes where the bad one was. */
async function sceneWith(bad: string, flags: Record<string, string> = {}): Promise<HandlerScene> {
  const handlers = { bad, good: GOOD };
  return await handlerScene({ handlers, flags: { "worker.slots": "1", ...flags } });
}

async function expectWell({ run, logOf }: HandlerScene) {
  const next = await run("good");
  expect(next).toMatchObject({ status: "done", error: null });
  expect(await logOf(next.id)).toContain("well\n");
}

const FAILURES: readonly [string, string, string, string][] = [
  ["throws", "() => { throw new Error('the lid is off'); }", "failed", "the lid is off"],
  ["rejects", "async () => { throw new Error('no bread'); }", "failed", "no bread"],
  ["throws null", "async () => { throw null; }", "failed", "null"],
  ["throws nothing", "async () => { throw undefined; }", "failed", "undefined"],
  [
    "throws what cannot be described",
    "async () => { throw { get message() { throw 1; }, toJSON() { throw 2; } }; }",
    "failed",
    "cannot be described",
  ],
  [
    "throws an object without a prototype",
    "async () => { throw Object.create(null); }",
    "failed",
    "{}",
  ],
  ["calls process.exit", "() => process.exit(0)", "handler-ended", "exit code 0"],
  [
    "kills its process",
    "() => process.kill(process.pid, 'SIGKILL')",
    "handler-ended",
    "by SIGKILL",
  ],
  ["calls process.abort", "() => process.abort()", "handler-ended", "SIGABRT"],
  [
    "throws in a timer",
    "() => new Promise(() => { setTimeout(() => { throw new Error('late'); }, 10); })",
    "failed",
    "late",
  ],
  [
    "leaves a rejected promise behind",
    "async () => { Promise.reject(new Error('forgotten')); return 1; }",
    "failed",
    "forgotten",
  ],
  [
    "returns a circle",
    "() => { const a = {}; a.a = a; return a; }",
    "invalid-result",
    "must be JSON",
  ],
  ["returns a function", "() => () => 1", "invalid-result", "must be JSON"],
  ["returns a bigint", "() => 1n", "invalid-result", "must be JSON"],
  ["returns too much", "() => 'x'.repeat(3e6)", "invalid-result", "too long"],
  ["returns a text with NUL", "() => '\\0'", "invalid-result", "U+0000"],
  [
    "writes junk to the worker",
    "() => { require('node:fs').writeSync(3, 'junk\\n'); return new Promise(() => {}); }",
    "handler-ended",
    "no JSON",
  ],
  [
    "writes an odd message to the worker",
    `() => { require('node:fs').writeSync(3, '{"kind":"done","run":"1"}\\n'); return new Promise(() => {}); }`,
    "handler-ended",
    "none of Croft's",
  ],
  [
    "asks for what there is not",
    "(ctx) => ctx.workspace({ repository: 'https://example.org/a', root: '/' })",
    "invalid-request",
    "not valid",
  ],
  [
    "closes the way to the worker",
    "() => { require('node:fs').closeSync(3); return new Promise(() => {}); }",
    "handler-ended",
    "its process ended",
  ],
];

const STUCK: readonly [string, string, string][] = [
  ["hangs", "hang", "new Promise(() => {})"],
  ["blocks the event loop", "block", "(() => { for (;;); })()"],
  [
    "blocks it when it is told to stop",
    "block-later",
    "new Promise(() => { ctx.signal.onabort = () => { for (;;); }; })",
  ],
];

const DAEMON_ENDS: readonly [string, string][] = [
  ["is done", "return pid;"],
  ["fails", "throw new Error(String(pid));"],
  ["is ended", "ctx.log(String(pid)); for (;;);"],
];

const DAEMON_STARTS: readonly [string, string][] = [
  [
    "with an environment of its own",
    "const { pid } = spawn('/bin/sleep', ['1003'], { detached: true, stdio: 'ignore', env: {}, cwd: '/' });",
  ],
  [
    "that has let go of everything",
    `const script = 'env -i setsid sleep 1004 </dev/null >/dev/null 2>&1 & echo $!';
     const shell = spawn('/bin/sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'], env: {}, cwd: '/' });
     const pid = Number(await new Promise((done) => shell.stdout.once('data', done)));
     if (shell.exitCode === null) await new Promise((done) => shell.once('exit', done));`,
  ],
];

const DAEMONS = DAEMON_STARTS.flatMap(([what, begin], start) =>
  DAEMON_ENDS.map(([how, end], nth) => ({ what, how, name: `daemon-${start}-${nth}`, begin, end })),
);

const HANDLERS: Readonly<Record<string, string>> = {
  good: GOOD,
  ...Object.fromEntries(FAILURES.map(([, bad], index) => [`bad-${index}`, bad])),
  ...Object.fromEntries(
    STUCK.map(([, name, bad]) => [name, `(ctx) => { ctx.log("begun"); return ${bad}; }`]),
  ),
  ...Object.fromEntries(
    DAEMONS.map(({ name, begin, end }) => [
      name,
      `async (ctx) => { const { spawn } = require('node:child_process'); ${begin} ${end} }`,
    ]),
  ),
  flood: `async (ctx) => {
    for (let i = 0; i < 1e5; i++) ctx.progress(i / 1e5, 'step ' + i);
    const asked = Array.from({ length: 300 }, () => ctx.assets.get('0197a8c1-0000-7000-8000-000000000000').catch((e) => e.code));
    return [...new Set(await Promise.all(asked))];
  }`,
  daemons: `async () => {
    const { spawn } = require('node:child_process');
    spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' }).unref();
    spawn('sh', ['-c', '(setsid sleep 1001 &) ; sleep 1002'], { stdio: 'inherit' }).unref();
    await new Promise((done) => setTimeout(done, 200));
  }`,
  deep: `({ directory }) => {
    const fs = require('node:fs');
    process.chdir(directory);
    for (let depth = 0; depth < 40; depth++) { fs.mkdirSync('d'.repeat(200)); process.chdir('d'.repeat(200)); }
    return directory;
  }`,
};

/** All in one place: a scene of its own for each would take most of the time. */
describe("beside others on one slot", () => {
  const clearUps: (() => Promise<void>)[] = [];
  let scene: HandlerScene;

  beforeAll(async () => {
    const options = { handlers: HANDLERS, flags: { "worker.slots": "1" } };
    scene = await handlerScene(options, (clearUp) => clearUps.unshift(clearUp));
  });
  afterAll(async () => {
    for (const clearUp of clearUps) await clearUp();
  });

  test.each(FAILURES.map(([what, , ...told], index) => [what, `bad-${index}`, ...told] as const))(
    "its own job fails, and no other, for a handler that %s",
    async (_what, type, code, message) => {
      const job = await scene.run(type);
      expect(job).toMatchObject({ status: "failed", error: { code } });
      expect(job.error?.message).toContain(message);
      await expectWell(scene);
    },
  );

  test.each(STUCK)(
    "a handler that %s is ended when its time is over, and when it is cancelled",
    async (_what, type) => {
      await scene.run("good"); // there is a process then: its start takes none of the time
      const late = await scene.run(type, { timeout_ms: 2000 });
      expect(late).toMatchObject({ status: "failed", error: { code: "timeout" } });
      expect(await scene.logOf(late.id)).toContain("begun");
      const id = await scene.submit(type);
      await waitUntil("its start", async () => (await scene.logOf(id)).includes("begun"));
      await cancelJob(scene.engine.database, { owner: undefined }, id);
      expect(await scene.ended(id)).toMatchObject({ status: "cancelled" });
      await expectWell(scene);
    },
  );

  test("a flood of progress and questions is taken as it can be", async () => {
    const job = await scene.run("flood");
    expect(job).toMatchObject({ status: "done", result: ["not-found"] });
    const { rows } = await scene.engine.database.pool.query(
      "select count(*)::int as count from croft.event where subject = $1 and type = 'job.progress'",
      [job.id],
    );
    expect(rows[0].count).toBeLessThan(100);
    await expectWell(scene);
  });

  test("processes that a handler leaves behind end with its job, daemons too", async () => {
    expect(await scene.run("daemons")).toMatchObject({ status: "done" });
    const left = () => findProcesses([scene.data]).filter((found) => /sleep 100\d/.test(found));
    await waitUntil("their end", () => left().length === 0);
    await expectWell(scene);
  });

  test.each(DAEMONS)("a daemon $what ends, too, when its job $how", async ({ name: type }) => {
    await scene.run("good"); // there is a process then: its start takes none of the time
    const job = await scene.run(type, { timeout_ms: 2000 });
    const said = `${job.result} ${job.error?.message} ${await scene.logOf(job.id)}`;
    const pid = Number(/\d+/.exec(said)?.[0]);
    expect(pid).toBeGreaterThan(1);
    await waitUntil("its end", () => !isAlive(pid));
    await expectWell(scene);
  });

  test("directories deeper than a path can tell cost a handler neither its result nor the disk", async () => {
    const job = await scene.run("deep");
    expect(job).toMatchObject({ status: "done", error: null });
    expect(existsSync(String(job.result))).toBe(false);
    await expectWell(scene);
  });
});

test("one that heeds its signal ends by itself", async () => {
  const own = await sceneWith(
    "({ signal, log }) => new Promise((_, reject) => { log('begun'); signal.onabort = () => { log('stopping'); reject(signal.reason); }; })",
    { "shutdown.killGrace": "20s" },
  );
  const id = await own.submit("bad");
  await waitUntil("its start", async () => (await own.logOf(id)).includes("begun"));
  await cancelJob(own.engine.database, { owner: undefined }, id);
  expect(await own.ended(id)).toMatchObject({ status: "cancelled" });
  expect(await own.logOf(id)).toContain("stopping");
  await expectWell(own);
});

test.each([
  ["of its heap", "() => { const all = []; for (;;) all.push(new Array(1e5).fill(all.length)); }"],
  [
    "outside of its heap",
    "async () => { const all = []; for (;;) { all.push(Buffer.alloc(2e7, 1)); await new Promise((done) => setTimeout(done, 5)); } }",
  ],
  [
    "in a process that it has started",
    `async () => {
      const program = 'const all = []; setInterval(() => { if (all.length < 50) all.push(Buffer.alloc(2e7, 1)); }, 5)';
      const child = require('node:child_process').spawn(process.execPath, ['-e', program], { stdio: 'inherit' });
      await new Promise((done) => child.once('exit', done));
    }`,
  ],
])("a handler that takes all memory %s ends alone", async (_where, bad) => {
  const own = await sceneWith(bad, { "handler.memory": "64" });
  const job = await own.run("bad");
  expect(job).toMatchObject({ status: "failed", error: { code: "handler-ended" } });
  expect(job.error?.message).toContain("handler.memory");
  await expectWell(own);
});

test("a hundred megabytes of output end in a log of bounded size", async () => {
  const own = await sceneWith(
    "async () => { const line = 'x'.repeat(99) + '\\n'; for (let i = 0; i < 1e6; i++) process.stdout.write(line); process.stdout.write('the end\\n'); }",
    { "job.logLimit": String(1024 * 1024) },
  );
  const job = await own.run("bad");
  expect(job).toMatchObject({ status: "done" });
  const log = await own.logOf(job.id);
  expect(Buffer.byteLength(log)).toBeLessThan(1.2 * 1024 * 1024);
  expect(log.slice(-1000)).toContain("the end\n");
  await expectWell(own);
});

test.each([
  ["throws", "throw new Error('no')"],
  ["exits", "process.exit(1)"],
])("a workspace that a handler asked for goes, too, when it %s meanwhile", async (_how, end) => {
  const own = await handlerScene({
    handlers: {
      bad: `(ctx) => { void ctx.workspace(ctx.input); setImmediate(() => { ${end}; }); }`,
    },
    flags: { "worker.slots": "1", "git.allowLocal": "true" },
  });
  const input = { repository: await sourceWith({ "a.txt": "a" }) };
  for (let nth = 0; nth < 5; nth++) await own.run("bad", { input });
  const made = readdirSync(join(own.data, "workspaces")).filter((name) => name !== ".parts");
  expect(made).toEqual([]);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
