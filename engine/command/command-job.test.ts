// Whose files a command may be given: paths of the machine are for its own people, whatever is allowed them.
import type { Job } from "@croft/contract";
import { expect, onTestFinished, test } from "vitest";
import { startGitServer } from "../../test/support/git-server.ts";
import { makeRepository } from "../../test/support/make-repository.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { readJob } from "../jobs/read-jobs.ts";
import { startWorker } from "../worker/start-worker.ts";

test("an address of this machine's network is refused to an app that names it, unless the operator allows it", async () => {
  const root = await scratchDirectory();
  await makeRepository(root, "inner", { files: 1 });
  const remote = await startGitServer(root);
  for (const allowed of [false, true]) {
    const engine = await scratchEngine({
      ...{ "git.allowHttp": remote.host, ...(allowed ? { allowPrivate: remote.host } : {}) },
    });
    const worker = await startWorker(engine);
    onTestFinished(() => worker.close(0));
    const run = async (owner: string) => {
      const input = { repository: remote.url("inner"), command: "true" };
      const job = { type: "command", input, owner, priority: "normal" as const };
      const { id } = await engine.intake.submit(job);
      return await waitUntil("its end", async () => {
        const read = await readJob(engine.database, { owner: undefined }, id);
        return read.finished_at === null ? undefined : read;
      });
    };
    expect(await run("local")).toMatchObject({ status: "done" });
    expect(await run("app:1")).toMatchObject(
      allowed
        ? { status: "done" }
        : { status: "failed", attempt: 1, error: { code: "private-address", class: "invalid" } },
    );
  }
});

test("a remote that takes no more requests is left alone for a minute, however often the job may fail", async () => {
  const root = await scratchDirectory();
  await makeRepository(root, "asked", { files: 1 });
  const remote = await startGitServer(root);
  remote.fault = { kind: "status", status: 429 };
  const engine = await scratchEngine({ "git.allowHttp": remote.host });
  const worker = await startWorker(engine);
  onTestFinished(() => worker.close(0));
  const input = { repository: remote.url("asked"), command: "true" };
  const job = { type: "command", input, owner: "local", priority: "normal" as const, attempts: 1 };
  const { id } = await engine.intake.submit(job);
  const until = (what: string, is: (read: Job) => boolean) =>
    waitUntil(what, async () => {
      const read = await readJob(engine.database, { owner: undefined }, id);
      return is(read) ? read : undefined;
    });
  const refused = await until("its first failure", ({ error }) => error !== null);
  expect(refused).toMatchObject({ status: "queued", error: { code: "busy", class: "transient" } });
  const { rows } = await engine.database.pool.query<{ waits_s: number }>(
    "select extract(epoch from run_at - croft.now())::float8 as waits_s from croft.job",
  );
  expect(rows[0]?.waits_s).toBeGreaterThan(30);
  remote.fault = undefined;
  await engine.database.pool.query("update croft.job set run_at = croft.now()"); // a minute has passed
  await engine.database.pool.query("notify croft_wake");
  const ended = await until("its end", ({ finished_at }) => finished_at !== null);
  expect(ended).toMatchObject({ status: "done", attempt: 2 });
});

test("a path of this machine is refused to an app, and taken from its own people", async () => {
  const engine = await scratchEngine({ "git.allowLocal": true });
  const repository = await makeRepository(await scratchDirectory(), "app", { files: 1 });
  const worker = await startWorker(engine);
  onTestFinished(() => worker.close(0));
  const run = async (owner: string) => {
    const job = { type: "command", input: { repository, command: "true" }, owner };
    const { id } = await engine.intake.submit({ ...job, priority: "normal" });
    return await waitUntil("its end", async () => {
      const read = await readJob(engine.database, { owner: undefined }, id);
      return read.finished_at === null ? undefined : read;
    });
  };
  expect(await run("app:1")).toMatchObject({
    ...{ status: "failed", attempt: 1 },
    error: { code: "invalid-remote", class: "invalid" },
  });
  expect(await run("local")).toMatchObject({ status: "done" });
});
