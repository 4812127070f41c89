// What runs need around them: their schedules, their directories, their sandbox, what is told of them, and their end.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  decideApproval,
  listRunWorkspaces,
  putPipeline,
  retryRun,
  ScheduleRunner,
  sweepAssets,
} from "@croft/engine";
import { parseRemoteUrl } from "@croft/git";
import { expect, onTestFinished, test } from "vitest";
import { clean } from "../engine/janitor/janitor.ts";
import { wantedRuns } from "../engine/runs/wanted-runs.ts";
import { checkIdleQueue } from "./support/check-queue.ts";
import { runScene } from "./support/run-scene.ts";
import { scratchDatabase } from "./support/scratch-database.ts";
import { engineOn } from "./support/scratch-engine.ts";
import { findDamage, resultsIn } from "./support/stored-repositories.ts";
import { waitUntil } from "./support/wait-until.ts";

const ALL = { owner: undefined };
const examples = join(import.meta.dirname, "../examples");
const isRoot = process.getuid?.() === 0;

test("the example 'nightly' is run by its schedule", async () => {
  const databaseUrl = await scratchDatabase();
  const { engine: tomorrow, origin, query } = await runScene({ databaseUrl, later: "1day" });
  const today = await engineOn(databaseUrl, { "git.allowLocal": true });
  const text = readFileSync(join(examples, "nightly.yaml"), "utf8");
  const stored = await putPipeline(today, {
    ...{ owner: "local", name: "nightly", by: "ada" },
    text: text.replace(/^repository: .*$/m, `repository: ${origin}`),
  });
  expect(stored.on.schedule).toEqual([
    { cron: "30 2 * * *", timezone: "Europe/Berlin", overlap: "skip" },
  ]);
  const runner = ScheduleRunner.start(tomorrow);
  onTestFinished(() => runner.close());
  const runs = () => query("select status, number, started_by, pipeline_id from croft.run");
  await waitUntil("the run", async () => (await runs())[0]?.["status"] === "done", 60_000);
  expect(await runs()).toEqual([
    { status: "done", number: 1, started_by: "schedule", pipeline_id: stored.id },
  ]);
  expect(await query("select name from croft.asset where kind = 'artifact'")).toEqual([
    { name: "report" },
  ]);
}, 120_000);

test("a directory goes from step to step, by one item or by several", async () => {
  const { run, query } = await runScene();
  const detail = await run(`
steps:
  one:
    run: |
      mkdir -p out/deep/empty; echo a > out/a.txt; echo b > out/deep/b; chmod +x out/deep/b; ln -s a.txt out/link
    artifacts: { site: out/, same: out }
    checks: [{ not-empty: site }]
  many:
    matrix: { n: [x, y] }
    run: mkdir d && echo "$CROFT_ITEM" > d/file
    artifacts: { made: d/ }
  use:
    needs: [one, many]
    inject: { site: in/site, made: in/made }
    run: |
      test "$(cat in/site/link)" = a && test -x in/site/deep/b && test -d in/site/deep/empty
      test "$(cat in/made/x/file)$(cat in/made/y/file)" = xy
  hollow: { run: mkdir e, artifacts: { e: e/ }, checks: [{ not-empty: e }] }
  none: { run: "true", artifacts: { no: no/ } }
  maybe: { run: "true", artifacts: { no: { path: no/, optional: true } } }
  piped: { run: "mkdir p; mkfifo p/pipe", artifacts: { p: p/ } }
`);
  expect(
    detail.steps
      .filter(({ item }) => item === null)
      .map(({ step, error }) => [step, error?.message]),
  ).toEqual([
    ["one", undefined],
    ["many", undefined],
    ["use", undefined],
    ["hollow", "check 'not-empty': 'e' is empty"],
    ["none", "artifact 'no': there is no 'no'"],
    ["maybe", undefined],
    ["piped", expect.stringContaining("'p/pipe' is a pipe, socket or device")],
  ]);
  const stored = await query(
    "select name, media_type, sha256 = lag(sha256) over (order by id) as same from croft.asset where step = 'one' and kind = 'artifact' order by id",
  );
  expect(stored).toMatchObject([
    { name: "site", media_type: "application/x-tar" },
    { name: "same", media_type: "application/x-tar", same: true },
  ]);
}, 120_000);

test("an approval says what it is about", async () => {
  const { engine, start, until, query } = await runScene();
  const id = await start(`
steps:
  plan: { run: 'echo "count=3" >> "$CROFT_OUTPUT"', outputs: [count] }
  ask: { needs: [plan], approval: { message: "Delete \${{ needs.plan.outputs.count }} branches?" } }
  bad: { needs: [plan], approval: { message: "\${{ fromJSON(format('{0}x', needs.plan.outputs.count)) }}" } }
  after: { needs: [ask], run: "true" }
`);
  const { steps } = await until(id, "waiting");
  expect(steps.find(({ step }) => step === "ask")).toMatchObject({
    ...{ status: "waiting", message: "Delete 3 branches?" },
  });
  const told = await query(
    "select data from croft.event where subject = $1 and data ->> 'status' = 'waiting'",
    [id],
  );
  expect(told).toContainEqual({
    data: { step: "ask", status: "waiting", message: "Delete 3 branches?" },
  });
  expect(steps.find(({ step }) => step === "bad")).toMatchObject({
    ...{ status: "failed", error: { code: "expression", class: "invalid" } },
  });
  await decideApproval(engine, ALL, id, { step: "ask", isApproved: true, by: "ada" });
  const ended = await until(id, "failed");
  expect(ended.steps.find(({ step }) => step === "after")?.status).toBe("done");
}, 60_000);

test("what could not be merged is told by branch and file, also when that is a failure", async () => {
  const { run } = await runScene();
  const text = (onConflict: string) => `
steps:
  some: { matrix: { n: [a, b, c] }, run: 'echo "$CROFT_ITEM" > same.txt; echo x > "$CROFT_ITEM.txt"' }
  merge: { needs: [some], integrate: { from: some, on-conflict: ${onConflict} } }
`;
  for (const [onConflict, status] of [
    ["warn", "done"],
    ["fail", "failed"],
  ] as const) {
    const detail = await run(text(onConflict));
    const merge = detail.steps.find(({ step }) => step === "merge");
    expect(merge).toMatchObject({ status });
    expect(merge?.integration).toEqual({
      integrated: ["a"],
      left_out: [],
      conflicts: ["b", "c"].map((id) => ({
        ...{ id, reason: expect.any(String), files: ["same.txt"], files_left_out: 0 },
      })),
    });
    expect(detail.error).toEqual(
      status === "done"
        ? null
        : { code: "conflicts", class: "invalid", message: expect.any(String) },
    );
  }
}, 60_000);

test("every line and event about a step's workspace says whose it is and where", async () => {
  const { engine, run, logged, query } = await runScene();
  const detail = await run(`
steps:
  good: { matrix: { n: [a] }, run: "true" }
  bad: { needs: [good], run: exit 3 }
`);
  expect(detail.status).toBe("failed");
  const { workspaces } = await listRunWorkspaces(engine.database, ALL, detail.id);
  expect(
    workspaces.map(({ step, item, state, attempt }) => ({ step, item, state, attempt })),
  ).toEqual([
    { step: "bad", item: null, state: "removed", attempt: 1 },
    { step: "good", item: "a", state: "removed", attempt: 1 },
  ]);
  for (const { id, path, step, job_id, host, removed_at } of workspaces) {
    expect(host).toBe(engine.hostId);
    expect(removed_at).not.toBeNull();
    expect(existsSync(path)).toBe(false);
    const about = { run: detail.id, job: job_id, step, workspace: id, path, attempt: 1 };
    const lines = logged.filter(({ workspace }) => workspace === id);
    expect(lines.map(({ message }) => message)).toEqual([
      "a workspace was made",
      ...(step === "good" ? ["a result was recorded"] : []),
      "a workspace was removed",
    ]);
    for (const line of lines) expect(line).toMatchObject(about);
    const events = await query(
      "select type, data from croft.event where subject = $1 and type like 'workspace.%' order by seq",
      [job_id],
    );
    expect(events.map(({ type }) => type)).toEqual(["workspace.created", "workspace.removed"]);
    for (const { data } of events) {
      const named = step === "good" ? "good/a" : step;
      expect(data).toMatchObject({ workspace: id, path, job_id, run_id: detail.id, step: named });
    }
  }
  await expect(
    listRunWorkspaces(engine.database, { owner: "app:x" }, detail.id),
  ).rejects.toMatchObject({
    code: "not-found",
  });
}, 60_000);

test("a workspace whose removal failed is shown as left, until the sweep has it", async () => {
  const { engine, start, until, query } = await runScene();
  const id = await start("steps: { a: { run: sleep 600 } }");
  const list = async () => (await listRunWorkspaces(engine.database, ALL, id)).workspaces;
  await waitUntil("a workspace", async () => (await list()).length === 1);
  expect((await list())[0]).toMatchObject({ state: "in-use", removed_at: null });
  await query("update croft.workspace set removing_at = croft.now()");
  expect((await list())[0]).toMatchObject({ state: "removing" });
  await query(
    "update croft.workspace set removing_at = null, entry = entry || jsonb_build_object('attempt', 0)",
  );
  expect((await list())[0]).toMatchObject({ state: "left" });
  await query("update croft.workspace set entry = entry || jsonb_build_object('attempt', 1)");
  await query("update croft.run set cancel_requested_at = croft.now() where id = $1", [id]);
  await query("select croft.mark_due(array[$1::uuid])", [id]);
  await until(id, "cancelled");
  expect((await list()).map(({ state }) => state)).toEqual(["removed"]);
}, 60_000);

test.runIf(isRoot)(
  "without a sandbox a step still has its user, its group and its environment",
  async () => {
    const { engine, run, query } = await runScene();
    const { sandbox, jobUser } = (await engine.git()).platform;
    const probe =
      'echo "pid=$$ uid=$(id -u)" > seen; env | cut -d= -f1 | sort | tr "\\n" " " >> seen; (sleep 600 &) ; cat seen';
    const detail = await run(`
steps:
  in: { run: '${probe}', artifacts: { seen: seen } }
  out: { sandbox: off, run: '${probe}', artifacts: { seen: seen } }
`);
    expect(detail.steps.map(({ status }) => status)).toEqual(["done", "done"]);
    const logs = await query(
      "select j.step, string_agg(l.text, '' order by l.seq) as text from croft.job_log l join croft.job j on j.id = l.job_id where j.step is not null group by 1 order by 1",
    );
    const text = Object.fromEntries(logs.map(({ step, text }) => [step, String(text)]));
    expect(text["out"]).toContain(`uid=${jobUser?.uid}`);
    const names = (log: string | undefined) => /uid=\d+\n(.*)$/m.exec(log ?? "")?.[1];
    expect(names(text["out"])).toBe(names(text["in"]));
    const pid = (log: string | undefined) => Number(/pid=(\d+)/.exec(log ?? "")?.[1]);
    if (sandbox.isPossible) expect(pid(text["in"])).toBeLessThan(20); // a process namespace of its own
    expect(pid(text["out"])).toBeGreaterThan(20);
    const { pool } = engine.database;
    await waitUntil("nothing to be left", async () => (await checkIdleQueue(pool)).length === 0);
  },
  60_000,
);

test("a run ends with all that was its own, and its disk is given back", async () => {
  const { engine, origin, run, query } = await runScene({ flags: { "git.allowLocal": true } });
  const text = `
steps:
  made: { run: 'head -c 300000 /dev/urandom > big.bin; echo log', artifacts: { big: big.bin } }
  next: { needs: [made], workspace: { from: made }, run: "test -f big.bin" }
`;
  const [old, young] = [await run(text), await run(text)];
  const git = await engine.git();
  const holder = { owner: "local", repository: parseRemoteUrl(origin, { allowLocal: true }) };
  const refs = async (id: string) => (await git.results.readRunRefs(holder, id)).length;
  expect(await refs(old.id)).toBe(2);
  await query("update croft.run set finished_at = finished_at - interval '8 days' where id = $1", [
    old.id,
  ]);
  const bundles = async () =>
    (await query("select run_id from croft.asset where kind = 'bundle'")).map(
      ({ run_id }) => run_id,
    );
  await waitUntil("the bundles of the old one to go", async () => {
    await clean(engine.database, engine.config);
    return (await bundles()).every((id) => id === young.id);
  });
  await expect(retryRun(engine, ALL, old.id, "made")).rejects.toMatchObject({
    code: "results-gone",
  });
  const collected = await git.results.collect((runs) => wantedRuns(engine.database, runs));
  expect(collected).toMatchObject({ forgotten: [old.id], failed: [] });
  expect([await refs(old.id), await refs(young.id)]).toEqual([0, 2]);
  expect(await findDamage(resultsIn(engine.config.data))).toEqual([]);

  await query("update croft.run set finished_at = finished_at - interval '90 days' where id = $1", [
    old.id,
  ]);
  await waitUntil("the old one to go", async () => {
    await clean(engine.database, engine.config);
    return (await query("select from croft.run where id = $1", [old.id])).length === 0;
  });
  const left = await query(
    `select (select count(*)::int from croft.run_step where run_id = $1) as steps,
       (select count(*)::int from croft.job where run_id = $1) as jobs,
       (select count(*)::int from croft.asset where run_id = $1) as assets,
       (select count(*)::int from croft.removed_workspace where run_id = $1) as workspaces,
       (select count(*)::int from croft.event where subject = $1) as events,
       (select count(*)::int from croft.job_log l where not exists (select from croft.job where id = l.job_id)) as logs`,
    [old.id],
  );
  expect(left).toEqual([{ steps: 0, jobs: 0, assets: 0, workspaces: 0, events: 0, logs: 0 }]);
  expect((await sweepAssets(engine.assets)).removed).toHaveLength(2);
  const used = "exists (select from croft.asset a where a.sha256 = f.sha256)";
  expect(await query(`select ${used} as used from croft.asset_file f`)).toEqual([
    { used: true },
    { used: true },
  ]);
  await retryRun(engine, ALL, young.id, "next"); // its results are there still
  await waitUntil(
    "its end",
    async () =>
      (await query("select from croft.run where status = 'done' and attempt = 2")).length === 1,
    30_000,
  );
  expect(
    readdirSync(join(engine.config.data, "workspaces")).filter((name) => !name.startsWith(".")),
  ).toEqual([]);
}, 120_000);
