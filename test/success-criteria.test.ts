// The success criteria of concurrent pipelines, SC-001 to SC-008, for every kind of workspace.
import { join } from "node:path";
import { cancelRun, type Engine } from "@croft/engine";
import { LockTimeout, openGit, parseRemoteUrl } from "@croft/git";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { startQueueWorker } from "./faults/queue-processes.ts";
import { interleaveRuns } from "./faults/run-interleavings.ts";
import { HOLD, heldSteps, letGo } from "./support/held-steps.ts";
import { mostAtOnce } from "./support/most-at-once.ts";
import { scratchDatabase } from "./support/scratch-database.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { KINDS, sharedRuns } from "./support/shared-runs.ts";
import { waitUntil } from "./support/wait-until.ts";

const lines: { readonly details: Readonly<Record<string, unknown>>; readonly text: string }[] = [];
const note: Engine["log"]["info"] = (details, text) => void lines.push({ details, text });
const runs = sharedRuns({}, { debug: note, info: note, warn: note, error: note });

const ALL = { owner: undefined };
const RUNS = 10;

/** Its only file is its own, from its beginning to its end. */
const MARK = `
test -z "$(git status --porcelain)"; test -z "$(ls -d mark-* 2>/dev/null)"
echo "$CROFT_RUN_ID" > "mark-$CROFT_RUN_ID$CROFT_ITEM"
${HOLD}
test "$(ls -d mark-*)" = "mark-$CROFT_RUN_ID$CROFT_ITEM"
git add -A; git -c user.name=t -c user.email=t@example.org commit -qm marked
echo "place=$CROFT_WORKSPACE" >> "$CROFT_OUTPUT"
`.replaceAll("\n", "\n      ");
const marking = (more = "") => `
steps:
  mark:
    ${more}
    outputs: [place]
    run: |${MARK}`;

/** What no run may have met. */
async function faultsOf(ids: readonly string[]): Promise<unknown[]> {
  return await runs().query(
    `select step, error, failures, losses from croft.job where run_id = any ($1) and (attempt <> 1 or status <> 'done')
     union all
     select l.text, null, 0, 0 from croft.job_log l join croft.job j on j.id = l.job_id
       where j.run_id = any ($1) and l.text ~* '(fatal|error):'`,
    [ids],
  );
}

afterEach(async () => {
  const { leftovers } = runs();
  const isClean = async () => (await leftovers()).length === 0;
  await waitUntil("nothing to be left", isClean, 15_000).catch(() => {}); // told next
  expect(await leftovers()).toEqual([]);
});

describe.each(KINDS)("%s", (kind) => {
  test("SC-001: 10 runs at once make and remove workspaces of one repository without a git error", async () => {
    const { startIn, end, engine } = runs();
    const branched = marking(`workspace: { branch: "sc1/\${{ run.id }}" }`);
    const ids = await Promise.all(Array.from({ length: RUNS }, () => startIn(kind, branched)));
    await letGo(await heldSteps(runs(), ids, RUNS));
    const details = await Promise.all(ids.map(end));
    expect(details.map(({ status }) => status)).toEqual(ids.map(() => "done"));
    expect(details.map(({ steps }) => steps[0]?.report)).toEqual(
      ids.map(() => expect.objectContaining({ kind })),
    );
    expect(await faultsOf(ids)).toEqual([]);
    expect(await mostAtOnce(engine.database.pool, ids)).toBeGreaterThanOrEqual(RUNS);
  });

  test("SC-002: several managers of one repository make and remove workspaces at once", async () => {
    const { origin, checkout } = runs();
    const data = join(await scratchDirectory(), "data");
    const managers = await Promise.all([openGit({ data }), openGit({ data }), openGit({ data })]);
    onTestFinished(async () => void (await Promise.all(managers.map((git) => git.close()))));
    const repository = parseRemoteUrl(origin, { allowLocal: true });
    await Promise.all(
      managers.flatMap(({ workspaces }, manager) =>
        [1, 2, 3].map(async (number) => {
          const branch = `sc2/${manager}-${number}`;
          const common = { name: "sc2", branch, owner: { owner: "local" } };
          const workspace =
            kind === "worktree"
              ? await workspaces.createWorktree({ ...common, repository: checkout })
              : await workspaces.create({ ...common, repository, kind });
          const { exitCode } = await workspace.run(["git", "status"], { maxOutputBytes: 1000 });
          expect(exitCode).toBe(0);
          await workspace.remove();
        }),
      ),
    );
    const [first] = managers;
    expect(await first?.ledger.list()).toEqual([]);
  });

  test("SC-003: after a run failed or was cancelled in its workspace, the next one on the same branch succeeds", async () => {
    const { startIn, end, engine } = runs();
    const on = (script: string) =>
      `steps:\n  work: { workspace: { branch: sc3 }, run: "${script}" }\n`;
    expect(await end(await startIn(kind, on("echo x > x; git add x; exit 1")))).toMatchObject({
      status: "failed",
    });
    const cancelled = await startIn(kind, on(`echo y > y; ${HOLD}`));
    await heldSteps(runs(), [cancelled], 1);
    await cancelRun(engine, ALL, cancelled);
    expect(await end(cancelled)).toMatchObject({ status: "cancelled" });
    const next = on('test ! -e x; test ! -e y; test \\"$(git branch --show-current)\\" = sc3');
    expect(await end(await startIn(kind, next))).toMatchObject({ status: "done", error: null });
  });

  test("SC-004: two runs of one pipeline at the same time have different workspaces", async () => {
    const { startIn, end } = runs();
    const ids = await Promise.all([startIn(kind, marking()), startIn(kind, marking())]);
    const places = await heldSteps(runs(), ids, 2);
    expect(new Set(places.map(({ path }) => path)).size).toBe(2);
    await letGo(places);
    const details = await Promise.all(ids.map(end));
    const seen = details.map(({ steps }) => steps[0]?.outputs["place"]);
    expect(new Set(seen).size).toBe(2);
  });

  test("SC-005: every line and event of a workspace names its run", async () => {
    const { startIn, end, query } = runs();
    lines.length = 0;
    const text = "steps:\n  good: { run: echo x > x }\n  bad: { run: exit 1 }\n";
    const ids = await Promise.all([startIn(kind, text), startIn(kind, text)]);
    await Promise.all(ids.map(end));
    const about = lines.filter(({ details }) => "workspace" in details);
    expect(about.filter(({ details }) => !ids.includes(String(details["run"])))).toEqual([]);
    for (const id of ids) {
      const own = about.filter(({ details }) => details["run"] === id);
      expect(own.filter(({ details }) => typeof details["path"] !== "string")).toEqual([]);
      expect(own.filter(({ text }) => text === "a workspace was made")).toHaveLength(2);
      expect(own.filter(({ text }) => text === "a workspace was removed")).toHaveLength(2);
      const events = await query<{ type: string; path: string }>(
        `select e.type, e.data ->> 'path' as path from croft.event e join croft.job j on j.id = e.subject
         where j.run_id = $1 and e.type like 'workspace.%' and e.data ->> 'run_id' = $1::text order by e.type`,
        [id],
      );
      expect(events.map(({ type }) => type)).toEqual([
        ...["workspace.created", "workspace.created", "workspace.removed", "workspace.removed"],
      ]);
      expect(new Set(events.map(({ path }) => path)).size).toBe(2);
    }
  });

  test("SC-006: nobody has the repository's lock while steps run (what it costs: bench/locks.ts)", async () => {
    const { startIn, end, origin, checkout, engine } = runs();
    const id = await startIn(kind, marking("matrix: { n: [1, 2, 3] }"));
    const places = await heldSteps(runs(), [id], 3);
    const { locks, mirrors } = await engine.git();
    const work = async () => "free";
    const mirror = mirrors.pathOf(parseRemoteUrl(origin, { allowLocal: true }));
    const request = { purpose: "test" };
    const taken =
      kind === "worktree"
        ? locks.holdForeign(join(checkout, ".git"), request, work)
        : locks.hold(mirror, request, work);
    expect(await taken).toBe("free"); // they go on only afterwards
    await letGo(places);
    expect(await end(id)).toMatchObject({ status: "done" });
  });

  test("SC-007: who cannot get the lock in time is told who has it; a run waits and goes on", async () => {
    const { startIn, end, origin, checkout, engine } = runs();
    const { locks, mirrors } = await engine.git();
    const mirror = mirrors.pathOf(parseRemoteUrl(origin, { allowLocal: true }));
    const hold = async (timeoutMs: number, work: () => Promise<string>) =>
      kind === "worktree"
        ? await locks.holdForeign(join(checkout, ".git"), { purpose: "held", timeoutMs }, work)
        : await locks.hold(mirror, { purpose: "held", timeoutMs }, work);
    const id = await hold(30_000, async () => {
      const late = hold(20, async () => "never");
      await expect(late).rejects.toThrow(LockTimeout);
      await expect(late).rejects.toMatchObject({ holder: { purpose: "held", pid: process.pid } });
      return await startIn(kind, "steps:\n  patient: { run: echo x > x }\n");
    });
    expect(await end(id)).toMatchObject({ status: "done", error: null });
  });

  test("SC-008: 5 items of a matrix and 3 other runs do not wait for each other for ever", async () => {
    const { startIn, end } = runs();
    const matrix = marking(`workspace: { branch: "sc8/\${{ run.id }}/\${{ matrix.n }}" }
    matrix: { n: [1, 2, 3, 4, 5] }`);
    const others = [1, 2, 3].map(() => startIn(kind, marking()));
    const ids = await Promise.all([startIn(kind, matrix), ...others]);
    await letGo(await heldSteps(runs(), ids, 8));
    for (const { status } of await Promise.all(ids.map(end))) expect(status).toBe("done");
    expect(await faultsOf(ids)).toEqual([]);
  });
});

test("SC-002: locks, ledger and the advance of runs keep their promises in whatever order things happen", async () => {
  const directory = await scratchDirectory();
  const databaseUrl = await scratchDatabase();
  const result = await interleaveRuns({ seed: 20_261_116, count: 100, directory, databaseUrl });
  expect(result.failures).toEqual([]);
});

test("SC-007: what a killed process left is cleared away, and its runs go on, on the same branches", async () => {
  const { startIn, end, query, withoutWorker, databaseUrl, data } = runs();
  const flags = { "git.allowLocal": true };
  const texts = KINDS.map((kind) => marking(`workspace: { branch: "sc7/${kind}" }`));
  const ids = await withoutWorker(async () => {
    const victim = startQueueWorker({ databaseUrl, data, flags });
    onTestFinished(() => void victim.child.kill("SIGKILL"));
    await victim.ready;
    const begun = await Promise.all(KINDS.map((kind, index) => startIn(kind, texts[index] ?? "")));
    await heldSteps(runs(), begun, KINDS.length);
    victim.child.kill("SIGKILL");
    await victim.exit;
    return begun;
  });
  const again = await waitUntil("the same steps again", async () => {
    const lost = await query(
      "select from croft.job where run_id = any ($1) and losses = 1 and type = 'step'",
      [ids],
    );
    return lost.length === KINDS.length && (await heldSteps(runs(), ids, KINDS.length));
  });
  await letGo(again);
  for (const { status, error } of await Promise.all(ids.map(end))) {
    expect({ status, error }).toEqual({ status: "done", error: null });
  }
}, 120_000);
