// Handlers that say more than anybody can hear: the worker takes as much as it can keep, and only their own job fails.
import { expect, test } from "vitest";
import { handlerScene } from "../../test/support/handler-scene.ts";

const GOOD = "async ({ log }) => { log('well'); return { pid: process.pid }; }";

/** Past Croft's own code, straight into the channel; `false`: nobody has read for a second. */
const SEND = `const fs = require('node:fs');
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  const send = (message) => {
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    let rest = Buffer.from(text + String.fromCharCode(10));
    for (let tries = 0; rest.length > 0; ) {
      try {
        rest = rest.subarray(fs.writeSync(3, rest));
        tries = 0;
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error;
        if (++tries === 200) return false;
        Atomics.wait(nobody, 0, 0, 5);
      }
    }
    return true;
  };`;

async function sceneWith(bad: string) {
  const handlers = { bad: `async (ctx) => { ${SEND} ${bad} }`, good: GOOD };
  const own = await handlerScene({ handlers, flags: { "worker.slots": "1" } });
  const expectWell = async () => {
    const next = await own.run("good");
    expect(next).toMatchObject({ status: "done", error: null });
    expect(await own.logOf(next.id)).toContain("well\n");
  };
  return { ...own, expectWell };
}

test("one that asks and does not read the answers is not listened to any longer", async () => {
  const own = await sceneWith(`
    let asked = 0;
    const question = { name: 'x'.repeat(70), request: null };
    while (asked < 1e5 && send({ kind: 'ask', run: 1, call: ++asked, question }));
    return asked;`);
  const job = await own.run("bad");
  expect(job).toMatchObject({ status: "done" });
  expect(Number(job.result)).toBeLessThan(50_000);
  await own.expectWell();
});

test("messages that only look like Croft's are read for what they are", async () => {
  const own = await sceneWith(`
    send({ kind: 'progress', run: 1, fraction: 1e308, note: 'x'.repeat(1e6) });
    send({ kind: 'progress', run: 1, fraction: -5, note: '\\ud800\\u0000' });
    const requests = [
      ['__proto__', null],
      ['put-asset', { name: 'x', file: '../../../../etc/passwd' }],
      ['put-asset', { name: 'x', file: '..', isDraft: true }],
      ['put-asset', { name: 'x', file: '.', isDraft: true }],
    ];
    for (const [name, request] of requests) send({ kind: 'ask', run: 1, call: 1e6, question: { name, request } });
    const deep = '['.repeat(5000) + ']'.repeat(5000);
    send('{"kind":"ask","run":1,"call":6,"question":{"name":"enqueue","request":' + deep + '}}');
    send({ kind: 'ready' });
    send({ kind: 'unfit', message: 'x' });
    send({ kind: 'failed', run: 1, error: { message: 'a'.repeat(1e5) + '\\ud800\\u0000', stack: 'y'.repeat(5e6) + '\\ud83d', class: 'invalid', code: 'odd' } });
    return new Promise(() => {});`);
  const job = await own.run("bad");
  expect(job).toMatchObject({ status: "failed", error: { code: "odd", class: "invalid" } });
  expect(job.error?.message.length).toBeLessThan(3000);
  await own.expectWell();
});

test.each([
  [
    "a result that is too deep",
    `'{"kind":"done","run":1,"isWorn":false,"result":' + '['.repeat(4e6) + ']'.repeat(4e6) + '}'`,
    "invalid-result",
  ],
  ["more than a message may be", "'x'.repeat(17e6)", "handler-ended"],
])("%s costs its own job only", async (_what, text, code) => {
  const own = await sceneWith(`send(${text}); return new Promise(() => {});`);
  const job = await own.run("bad");
  expect(job).toMatchObject({ status: "failed", error: { code } });
  await own.expectWell();
});

test("a note of megabytes is kept as far as anybody reads it", async () => {
  const own = await sceneWith(
    "send({ kind: 'progress', run: 1, fraction: 0.5, note: 'n'.repeat(15e6) }); return 1;",
  );
  const job = await own.run("bad");
  expect(job).toMatchObject({ status: "done", result: 1 });
  expect(JSON.stringify(job).length).toBeLessThan(20_000);
  await own.expectWell();
});

test("what goes on printing after its job does not hold it up", async () => {
  const writer =
    "const fs = require('fs'); const b = Buffer.alloc(4096, 120); for (;;) for (const to of [1, 2]) try { fs.writeSync(to, b); } catch {}";
  const own = await sceneWith(`
    const { spawn } = require('node:child_process');
    for (let nth = 0; nth < 2; nth++) {
      spawn(process.execPath, ['-e', ${JSON.stringify(writer)}], { stdio: ['ignore', 'inherit', 'inherit'] }).unref();
    }
    await new Promise((done) => setTimeout(done, 500));
    return 1;`);
  expect(await own.run("bad")).toMatchObject({ status: "done", result: 1 });
  await own.expectWell();
});

test("files are counted when they are asked for, not when they are there", async () => {
  const own = await sceneWith(`
    const put = (nth) => ctx.assets.put('file-' + nth, 'x').then(() => 'put', (error) => error.code);
    const told = await Promise.all(Array.from({ length: 1010 }, (_, nth) => put(nth)));
    return { put: told.filter((each) => each === 'put').length, rest: [...new Set(told)] };`);
  const job = await own.run("bad");
  expect(job).toMatchObject({
    ...{ status: "done", result: { put: 1000, rest: ["put", "too-many"] } },
  });
});
