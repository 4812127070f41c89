// Inputs are checked where a project's code does no harm: whatever a schema does costs its own submission, and no other.
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findProcesses } from "../../test/support/find-processes.ts";
import { type HandlerScene, handlerScene } from "../../test/support/handler-scene.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { SlowCheck } from "../jobs/input-schema.ts";

function configWith(schemas: Readonly<Record<string, string>>, before = ""): string {
  const handlers = Object.entries(schemas).map(
    ([name, schema]) =>
      `${JSON.stringify(name)}: defineHandler({ input: ${schema}, run: () => process.pid }),`,
  );
  return `import { defineConfig, defineHandler, z } from "croft";
    ${before}
    export default defineConfig({ handlers: { ${handlers.join("\n")} } });`;
}

const GOOD = "z.object({ name: z.string().min(1) })";
const input = { name: "rye" };

function refining(does: string): string {
  return `z.looseObject({}).refine(async () => { ${does} })`;
}

const SCHEMAS: readonly [string, string, string, string][] = [
  ["throws", refining("throw new Error('the lid is off');"), "invalid-input", "the lid is off"],
  ["throws null", refining("throw null;"), "invalid-input", "its check failed: null"],
  ["exits", refining("process.exit(0);"), "invalid-input", "ended with exit code 0"],
  ["kills", refining("process.kill(process.pid, 'SIGKILL');"), "invalid-input", "by SIGKILL"],
  [
    "leaves a rejected promise behind",
    refining("Promise.reject(new Error('forgotten')); return true;"),
    "invalid-input",
    "forgotten",
  ],
  [
    "throws in a timer",
    refining("setTimeout(() => { throw new Error('late'); }); return new Promise(() => {});"),
    "invalid-input",
    "late",
  ],
  ["never ends", refining("return new Promise(() => {});"), "unavailable", "takes too long"],
  ["blocks", refining("for (;;);"), "unavailable", "takes too long"],
  [
    "takes all memory",
    refining("const all = []; for (;;) all.push(new Array(1e5).fill(1));"),
    "invalid-input",
    "handler.memory",
  ],
  [
    "says more than anybody reads",
    "z.looseObject({}).superRefine((_, c) => { for (let i = 0; i < 1e4; i++) c.addIssue({ code: 'custom', message: 'wrong' + i }); })",
    "invalid-input",
    "and 9980 more",
  ],
];

describe("a submission is refused, and the next is well, when its schema", () => {
  const clearUps: (() => Promise<void>)[] = [];
  let scene: HandlerScene;

  beforeAll(async () => {
    const bad = SCHEMAS.map(([, schema], index) => [`bad-${index}`, schema]);
    const config = configWith({ good: GOOD, ...Object.fromEntries(bad) });
    const flags = { "handler.memory": "64" };
    scene = await handlerScene({ config, flags }, (clearUp) => clearUps.unshift(clearUp));
  });
  afterAll(async () => {
    for (const clearUp of clearUps) await clearUp();
  });

  test.each(SCHEMAS.map(([what, , ...told], index) => [what, `bad-${index}`, ...told] as const))(
    "%s",
    async (_what, type, code, message) => {
      const refused = scene.submit(type);
      const beside = scene.submit("good", { input });
      await expect(refused).rejects.toMatchObject({
        ...{ code, message: expect.stringContaining(message) },
      });
      if (code === "unavailable") await untilSlow(refused, () => scene.submit(type));
      await beside;
      await scene.submit("good", { input });
      await expect(scene.submit("good", { input: { name: "" } })).rejects.toMatchObject({
        ...{ code: "invalid-input", message: expect.stringContaining("input.name") },
      });
    },
  );
});

/** Told only of a schema that had all its time: on a busy machine the start of its process may take a part of that. */
async function untilSlow(first: Promise<unknown>, again: () => Promise<unknown>): Promise<void> {
  let refused = first;
  await waitUntil("a check that had all its time", async () => {
    const error: unknown = await refused.catch((reason: unknown) => reason);
    if (error instanceof SlowCheck) return true;
    refused = again();
    refused.catch(() => {}); // looked at in the next turn
    return false;
  });
}

test("what a schema leaves behind is not there for the next check, and its children end", async () => {
  const does = "globalThis.seen = 1; setInterval(() => {}, 10); return true;";
  const spawns =
    "require('node:child_process').spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' }).unref(); return true;";
  const own = await handlerScene({
    config: configWith({
      ...{ bad: refining(does), spawns: refining(spawns) },
      good: "z.looseObject({}).refine(() => globalThis.seen === undefined, 'is not alone')",
    }),
  });
  await own.submit("bad");
  await own.submit("good");
  await own.submit("spawns");
  await own.submit("good");
  await waitUntil("the end of its child", () => {
    return !findProcesses([own.data]).some((found) => found.includes("sleep 1000"));
  });
});

test("many are checked at a time, each with its own answer", async () => {
  const slow =
    "z.looseObject({}).refine(async () => { await new Promise((done) => setTimeout(done, 50)); return true; })";
  const own = await handlerScene({ config: configWith({ good: GOOD, slow }) });
  const asked = Array.from({ length: 200 }, (_, index) => {
    if (index % 20 === 0) return own.submit("slow", { input: { index } });
    return own.submit("good", { input: { name: index % 2 === 0 ? "rye" : "" } });
  });
  const told = await Promise.allSettled(asked);
  const refused = told.flatMap(({ status }, index) => (status === "rejected" ? [index] : []));
  expect(refused).toEqual(asked.flatMap((_, index) => (index % 2 === 0 ? [] : [index])));
});

test("a project that cannot be loaded there any more is told to whoever submits, is not started again and again, and built-in types do not care", async () => {
  const before = `import { appendFileSync, existsSync } from "node:fs";
    if (process.argv[1].includes("handler-child") && existsSync("spoilt")) { appendFileSync("spoilt", "x"); process.exit(7); }`;
  const bad = refining("process.exit(1);");
  const own = await handlerScene({ config: configWith({ good: GOOD, bad }, before) });
  await own.submit("good", { input });
  const spoilt = join(own.directory, "spoilt");
  await writeFile(spoilt, "");
  const told = { code: "unavailable", message: expect.stringContaining("ended at its start") };
  await expect(own.submit("bad")).rejects.toMatchObject(told); // it ends the one that was there
  await expect(own.submit("good", { input })).rejects.toMatchObject(told);
  await own.submit("diagram", { input: { language: "mermaid", source: "graph TD; a-->b" } });
  expect((await readFile(spoilt, "utf8")).length).toBeLessThanOrEqual(2);
  await rm(spoilt);
  await waitUntil("that it can be loaded", () =>
    own.submit("good", { input }).catch((error: unknown) => {
      expect(error).toMatchObject(told);
      return undefined;
    }),
  );
});

test("what the environment keeps secret is not told to whoever submits", async () => {
  const own = await handlerScene({
    config: configWith({ bad: refining("throw new Error(process.env.TOKEN_OF_MINE);") }),
    flags: { "handler.environment": "TOKEN_OF_MINE" },
    env: { TOKEN_OF_MINE: "s3cret-of-the-mill" },
  });
  const refused = await own.submit("bad").catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "invalid-input" });
  expect(JSON.stringify({ ...(refused as object), text: String(refused) })).not.toContain("mill");
});
