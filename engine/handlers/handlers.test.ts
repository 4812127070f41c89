// What a handler can do: its input, its files, workspaces, repositories, other jobs, and what it must not see.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { handlerScene } from "../../test/support/handler-scene.ts";
import { sourceWith } from "../../test/support/source-with.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { listAssets, openAsset, readAsset } from "../assets/read-assets.ts";
import { listJobs } from "../jobs/list-jobs.ts";

const EVERYBODY = { owner: undefined };

async function contentOf(scene: Awaited<ReturnType<typeof handlerScene>>, id: string) {
  const asset = await readAsset(scene.engine.database, EVERYBODY, id);
  const parts: Buffer[] = [];
  for await (const part of (await openAsset(scene.engine.assets, asset)).stream()) parts.push(part);
  return { ...asset, text: Buffer.concat(parts).toString("utf8") };
}

test("the input is read by its schema where the handler runs, and its result is the job's", async () => {
  const scene = await handlerScene({
    config: `import { defineConfig, defineHandler, z } from "croft";
      enum Tone { low = 1 }
      export default defineConfig({ handlers: { "note.make": defineHandler({
        description: "Makes a note.",
        input: z.object({ day: z.iso.date().transform((text) => new Date(text)), tone: z.string().default("low") }),
        run: async ({ input, key, owner, attempt, id }) =>
          ({ year: input.day.getUTCFullYear(), tone: input.tone, key, owner, attempt, id, number: Tone.low }),
      }) } });`,
  });
  const job = await scene.run("note.make", { input: { day: "2031-05-06" }, key: "k" });
  expect(job.result).toEqual({
    ...{ year: 2031, tone: "low", key: "k", owner: "local", attempt: 1, id: job.id, number: 1 },
  });
  await expect(scene.submit("note.make", { input: { day: "yesterday" } })).rejects.toMatchObject({
    code: "invalid-input",
    message: expect.stringContaining("input.day"),
  });
});

test("a process is used again by its owner, by no other, and each attempt has a directory of its own", async () => {
  const scene = await handlerScene({
    handlers: {
      where: `async ({ directory }) => {
        const fs = await import("node:fs/promises");
        const before = await fs.readdir(directory);
        await fs.writeFile(directory + "/left", "x");
        globalThis.count = (globalThis.count ?? 0) + 1;
        return { pid: process.pid, before, count: globalThis.count };
      }`,
    },
    flags: { "worker.slots": "1" },
  });
  const mine = { owner: "app:one" };
  const first = (await scene.run("where", mine)).result as { pid: number };
  const again = (await scene.run("where", mine)).result;
  const other = (await scene.run("where", { owner: "app:two" })).result as { pid: number };
  expect(first).toMatchObject({ before: [], count: 1 });
  expect(again).toEqual({ pid: first.pid, before: [], count: 2 });
  expect(other).toMatchObject({ before: [], count: 1 });
  expect(other.pid).not.toBe(first.pid);
});

test("a process has fifty jobs, and a hundred at most", async () => {
  const scene = await handlerScene({
    handlers: { pid: "() => process.pid" },
    flags: { "worker.slots": "1" },
  });
  const ids = await Promise.all(Array.from({ length: 101 }, () => scene.submit("pid")));
  const pids = await Promise.all(ids.map(async (id) => (await scene.ended(id)).result));
  const counts = [...new Set(pids)].map((pid) => pids.filter((each) => each === pid).length);
  expect(counts.length).toBeGreaterThan(1);
  expect(Math.max(...counts)).toBeLessThanOrEqual(100);
  expect(counts.filter((count) => count < 50).length).toBeLessThanOrEqual(1); // the last, whose time has not come
});

test("nothing of the server's environment is there but what is named, and that is blotted out of the log", async () => {
  const scene = await handlerScene({
    handlers: {
      look: `({ log }) => { log(JSON.stringify(process.env)); log(process.argv.join(" ")); return Object.keys(process.env).sort(); }`,
    },
    flags: { "handler.environment": "PAINT_KEY,ABSENT" },
    env: {
      PAINT_KEY: "a-long-paint-secret",
      OTHER_KEY: "another-secret",
      CROFT_METRICS_TOKEN: "a-token-for-metrics",
    },
  });
  const job = await scene.run("look");
  const names = ["CROFT_WORKSPACE", "HOME", "LANG", "PAINT_KEY", "PATH", "PWD", "TMPDIR"];
  const extra = (job.result as string[]).filter((name) => !names.includes(name));
  expect(extra.filter((name) => !["SHLVL", "OLDPWD", "_"].includes(name))).toEqual([]); // what a shell sets
  const log = await scene.logOf(job.id);
  for (const secret of ["paint-secret", "another-secret", "a-token", "postgres"]) {
    expect(log).not.toContain(secret);
  }
});

test("files are there when the job is done, with what they were made from; without it they never were", async () => {
  const scene = await handlerScene({
    handlers: {
      write: `async ({ assets, directory, input }) => {
        const fs = await import("node:fs/promises");
        await fs.writeFile(directory + "/own.txt", "own");
        const commit = "a".repeat(40);
        const made = [
          await assets.put("text.txt", "text", { mediaType: "text/plain", commit }),
          await assets.put("bytes", new Uint8Array([104, 105])),
          await assets.put("stream", (async function* () { yield "a"; yield Buffer.from("b"); })()),
          await assets.put("own", { path: directory + "/own.txt" }),
          await assets.put("config", { path: "croft.config.ts" }),
        ];
        if (input.fail) throw new Error("no");
        return made.map(({ id }) => id);
      }`,
      copy: `async ({ assets, input }) => {
        const fs = await import("node:fs/promises");
        const { path, name, bytes } = await assets.get(input.id);
        return { name, bytes, text: await fs.readFile(path, "utf8") };
      }`,
    },
  });
  await scene.run("write", { input: { fail: true } });
  const query = { limit: 50 };
  expect((await listAssets(scene.engine.database, EVERYBODY, query)).assets).toEqual([]);
  const job = await scene.run("write", { owner: "app:one", source_task_id: "task-7" });
  const ids = job.result as string[];
  expect([...job.result_assets].sort()).toEqual([...ids].sort());
  const contents = await Promise.all(ids.map((id) => contentOf(scene, id)));
  expect(contents.map(({ text }) => text).slice(0, 4)).toEqual(["text", "hi", "ab", "own"]);
  expect(contents[0]).toMatchObject({
    ...{ name: "text.txt", kind: "generated", owner: "app:one", job_id: job.id },
    ...{ commit: "a".repeat(40), source_task_id: "task-7" },
  });
  const id = ids[0];
  const copy = await scene.run("copy", { owner: "app:one", input: { id } });
  expect(copy.result).toEqual({ name: "text.txt", bytes: 4, text: "text" });
  const foreign = await scene.run("copy", { owner: "app:two", input: { id } });
  const missing = await scene.run("copy", { owner: "app:two", input: { id: job.id } });
  expect(foreign.error).toMatchObject({ code: "not-found", class: "invalid" });
  expect(foreign.error).toEqual(missing.error);
});

test("a repository is read at a commit, and a workspace runs commands and gives files, but no link", async () => {
  const files = { "README.md": "# Hello\n", "docs/a.md": "a", "docs/b.md": "b" };
  const url = await sourceWith(files);
  const scene = await handlerScene({
    handlers: {
      read: `async ({ repository, input }) => {
        const { commit, list, read } = await repository(input.url);
        const files = await list("docs/");
        const text = (await read("README.md")).toString();
        return { commit, files: files.map(({ path, bytes }) => path + ":" + bytes), text, none: (await read("gone")) === undefined };
      }`,
      work: `async ({ workspace, assets, input }) => {
        const copy = await workspace({ repository: input.url });
        const { stdout } = await copy.run("cat README.md; echo made > made.txt; ln -s /etc/passwd link");
        await assets.put("made.txt", copy.file("made.txt"), { commit: copy.commit });
        const refused = await assets.put("link", copy.file("link")).catch((error) => error.code);
        const failed = await copy.run(["false"]).catch(({ code, class: kind }) => [code, kind]);
        return { stdout, refused, failed, path: copy.path };
      }`,
    },
    flags: { "git.allowLocal": "true" },
  });
  const input = { url };
  const read = await scene.run("read", { input });
  expect(read.error).toBeNull();
  expect(read.result).toMatchObject({
    files: ["docs/a.md:1", "docs/b.md:1"],
    text: "# Hello\n",
    none: true,
  });
  const work = await scene.run("work", { input });
  expect(work.error).toBeNull();
  expect(work.result).toMatchObject({ stdout: "# Hello\n", refused: "asset-unsafe-path" });
  expect(work.result).toMatchObject({ failed: ["command-failed", "command"] });
  expect((await contentOf(scene, work.result_assets[0] ?? "")).text).toBe("made\n");
  expect(existsSync((work.result as { path: string }).path)).toBe(false);
  const app = await scene.run("read", { input, owner: "app:one" });
  expect(app.error).toMatchObject({ code: "invalid-remote", class: "invalid" });
});

test("the log says where in the project an error was thrown, and not where the project lies", async () => {
  const scene = await handlerScene({ handlers: { bad: "() => { throw new Error('the lid'); }" } });
  const log = await scene.logOf((await scene.run("bad")).id);
  expect(log).toMatch(/Error: the lid\n.*\(croft\.config\.ts:\d+:\d+\)/);
  expect(log).not.toContain(scene.directory);
  expect(log).not.toContain(scene.data);
});

test("a handler goes for an app to public addresses only", async () => {
  const scene = await handlerScene({
    handlers: {
      read: "({ repository, input }) => repository(input.url)",
      work: "({ workspace, input }) => workspace({ repository: input.url })",
    },
    flags: { "git.allowHttp": "127.0.0.1:1" },
  });
  for (const type of ["read", "work"]) {
    const input = { url: "http://127.0.0.1:1/inner.git" };
    const app = await scene.run(type, { input, owner: "app:one" });
    expect(app.error).toMatchObject({ code: "private-address", class: "invalid" });
    const own = await scene.run(type, { input, attempts: 1 });
    expect(own.error).toMatchObject({ code: "network" }); // it was asked, and nobody is there
  }
});

test("jobs that it enqueues are the owner's, and tried again it gets the same", async () => {
  const scene = await handlerScene({
    handlers: {
      many: `async ({ enqueue, attempt, input }) => {
        const ids = [];
        for (const n of [1, 1, 2]) ids.push((await enqueue({ type: "leaf", input: { n } })).id);
        if (attempt < input.until) throw Object.assign(new Error(ids.join(" ")), { retryAfterMs: 1 });
        return ids;
      }`,
      leaf: "({ input }) => input.n",
      wrong: "({ enqueue }) => enqueue({ type: 'nothing' })",
    },
  });
  const job = await scene.run("many", { owner: "app:one", attempts: 3, input: { until: 3 } });
  expect(job).toMatchObject({ status: "done", attempt: 3 });
  const { jobs } = await listJobs(
    scene.engine.database,
    { owner: "app:one" },
    { type: "leaf", limit: 50 },
  );
  expect(jobs.map(({ id }) => id).sort()).toEqual([...(job.result as string[])].sort());
  expect(new Set(job.result as string[]).size).toBe(3);
  const wrong = await scene.run("wrong");
  expect(wrong.error).toMatchObject({ code: "unknown-type", class: "invalid" });
});

test("what a job was made for goes on to the jobs that it enqueues and to their files, unless it names another", async () => {
  const scene = await handlerScene({
    handlers: {
      first: `async ({ enqueue, source_task_id }) => {
        await enqueue({ type: "leaf" });
        await enqueue({ type: "leaf", source_task_id: "other" });
        return source_task_id;
      }`,
      leaf: "async ({ assets, source_task_id }) => void (await assets.put(String(source_task_id), 'x'))",
    },
  });
  const job = await scene.run("first", { source_task_id: "talk-1" });
  expect(job.result).toBe("talk-1");
  const { database } = scene.engine;
  const leaves = async () =>
    (await listJobs(database, EVERYBODY, { type: "leaf", status: "done", limit: 9 })).jobs;
  await waitUntil("both to be done", async () => (await leaves()).length === 2);
  for (const source_task_id of ["talk-1", "other"]) {
    const { assets } = await listAssets(database, EVERYBODY, { source_task_id, limit: 9 });
    expect(assets).toMatchObject([{ name: source_task_id, source_task_id }]);
  }
  await scene.run("first");
  await waitUntil("two more", async () => (await leaves()).length === 4);
  const names = (await listAssets(database, EVERYBODY, { limit: 9 })).assets.map(
    ({ name }) => name,
  );
  expect(names.sort()).toEqual(["other", "other", "talk-1", "undefined"]);
});

test("an error says how it failed, and where in the project, but not where that is", async () => {
  const scene = await handlerScene({
    handlers: {
      picky:
        "() => { throw Object.assign(new Error('not that'), { class: 'invalid', code: 'bad-taste' }); }",
    },
  });
  const job = await scene.run("picky", { attempts: 3 });
  expect(job).toMatchObject({ attempt: 1, error: { code: "bad-taste", class: "invalid" } });
  const log = await scene.logOf(job.id);
  expect(log).toContain("croft.config.ts:");
  expect(log).not.toContain(scene.directory);
});

test("the code lies where only Croft reads it, and goes with the process", async () => {
  const scene = await handlerScene({ handlers: { pid: "() => process.pid" } });
  await scene.run("pid");
  const home = join(scene.data, "run/handlers");
  const [own = ""] = readdirSync(home);
  expect(statSync(join(home, own)).mode & 0o777).toBe(0o700);
  expect(statSync(join(home, own, "config.mjs")).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(home, own, "config.mjs"), "utf8")).toContain("process.pid");
});
