// Steps that behave as badly as they can: their run ends as it should, others notice nothing, and nothing is left.
import { chmodSync, mkdirSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { RunDetail } from "@croft/contract";
import { cancelRun } from "@croft/engine";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { KINDS, openRuns, type SharedRuns, sharedRuns } from "./support/shared-runs.ts";
import { silentLog } from "./support/silent-log.ts";
import { sleepers, uniqueSleep } from "./support/sleepers.ts";
import { mountSmallDisk } from "./support/small-disk.ts";
import { waitUntil } from "./support/wait-until.ts";

const LOG_BYTES_MAX = 1024 * 1024;
const QUICK = { "shutdown.killGrace": "300ms" };
const runs = sharedRuns({ ...QUICK, "job.logLimit": String(LOG_BYTES_MAX) });
const isRoot = process.getuid?.() === 0;

/** Beside each nasty one: it must find only what is its own, and end well. */
const WITNESS = `
name: witness
steps:
  look: { run: 'test -z "$(git status --porcelain)"; echo mine > mine.txt; sleep 0.3' }
  again: { needs: look, workspace: { from: look }, run: 'test "$(cat mine.txt)" = mine' }
`;

/** In workspaces of all kinds at once. */
async function behave(text: string): Promise<RunDetail[]> {
  const { start, startIn, end } = runs();
  const witness = await start(WITNESS);
  const nasty = await Promise.all(KINDS.map((kind) => startIn(kind, text)));
  const details = await Promise.all(nasty.map(end));
  expect(await end(witness)).toMatchObject({ status: "done", error: null });
  return details;
}

afterEach(async () => {
  const { leftovers } = runs();
  const isClean = async () => (await leftovers()).length === 0;
  await waitUntil("nothing to be left", isClean, 15_000).catch(() => {}); // told next
  expect(await leftovers()).toEqual([]);
});

function statusOf({ steps }: RunDetail) {
  return Object.fromEntries(steps.map(({ step, status }) => [step, status]));
}

test("one that fails after it has made files", async () => {
  const details = await behave(`
steps:
  make: { run: 'mkdir -p a/b; echo x > a/b/c; echo y >> src/d0/e0/file-0.txt; git add -A; exit 7' }
  use: { needs: make, workspace: { from: make }, run: "true" }
  after: { needs: make, if: always(), run: 'test -z "$(git status --porcelain)"; test ! -e a' }
`);
  for (const detail of details) {
    const message = "step 'make': the command ended with exit code 7";
    expect(detail).toMatchObject({ status: "failed", error: { class: "command", message } });
    expect(statusOf(detail)).toEqual({ make: "failed", use: "skipped", after: "done" });
    expect(detail.steps[0]).toMatchObject({ commit: null, attempt: 1 });
  }
});

test("one that leaves daemons behind", async () => {
  const sleep = uniqueSleep();
  const details = await behave(`
steps:
  fork:
    run: |
      setsid sh -c '${sleep.command} & ${sleep.command} &' > /dev/null 2>&1 < /dev/null &
      (trap '' TERM HUP INT; nohup ${sleep.command} > /dev/null 2>&1 & )
      echo made > made.txt
  next: { needs: fork, workspace: { from: fork }, run: test -s made.txt }
`);
  for (const detail of details) expect(detail).toMatchObject({ status: "done", error: null });
  expect(sleepers(sleep)).toEqual([]);
});

test("one that ignores SIGTERM is ended by its time, and by a cancel", async () => {
  const sleep = uniqueSleep();
  const stubborn = `trap '' TERM INT HUP; while :; do ${sleep.command}; done`;
  const late = behave(`
steps:
  stubborn: { run: "${stubborn}", timeout: 500ms }
  next: { needs: stubborn, run: "true" }
`);
  const { start, end, engine } = runs();
  const asked = await start(`steps:\n  stubborn: { run: "echo up; ${stubborn}" }\n`);
  await waitUntil("it to run", () => isSaid(runs(), asked, "up"));
  await cancelRun(engine, { owner: undefined }, asked);
  expect(await end(asked)).toMatchObject({ status: "cancelled" });
  for (const detail of await late) {
    expect(detail).toMatchObject({ status: "failed", error: { class: "timeout" } });
    expect(statusOf(detail)).toEqual({ stubborn: "failed", next: "skipped" });
  }
  expect(sleepers(sleep)).toEqual([]);
});

test("one that prints more than the log may have: its beginning and end are kept, and it ends well", async () => {
  const details = await behave(`
steps:
  loud: { run: 'echo first; head -c 6000000 /dev/zero | tr "\\0" "\\n"; echo last' }
`);
  for (const { status, steps } of details) {
    expect(status).toBe("done");
    const log = await runs().logOf(steps[0]?.job_id);
    expect(log.length).toBeLessThan(1.1 * LOG_BYTES_MAX);
    expect(log).toContain("first\n");
    expect(log.trimEnd().endsWith("last")).toBe(true);
  }
});

test("one that deletes its workspace", async () => {
  const details = await behave(`
steps:
  tidy: { run: 'rm -rf "$PWD"/* "$PWD"/.[!.]* || true; rm -rf "$PWD" || true; cd /; exit 0' }
  next: { needs: tidy, run: "true" }
  after: { needs: tidy, if: always(), run: 'test -z "$(git status --porcelain)"' }
`);
  for (const detail of details) {
    expect(statusOf(detail)).toEqual({ tidy: "failed", next: "skipped", after: "done" });
    expect(detail.error).toMatchObject({ class: "command", code: "result-refused" });
    expect(detail.steps[0]?.attempt).toBe(1);
  }
});

test("one that plants hooks, filters and programs in its git", async () => {
  const proof = join(await scratchDirectory(), "proof");
  mkdirSync(proof);
  chmodSync(proof, 0o777);
  const details = await behave(`
steps:
  plant:
    run: |
      hooks="$(git rev-parse --git-path hooks)"
      plant() {
        mkdir -p "$hooks"
        for name in pre-commit post-commit post-checkout post-merge pre-push post-index-change reference-transaction; do
          printf '#!/bin/sh\\ntouch ${proof}/%s; touch hooked\\n' "$name" > "$hooks/$name" && chmod +x "$hooks/$name"
        done
      }
      try() { "$@" || echo "it may not: $*"; }
      (plant) || echo "it may not plant hooks"
      try git config core.hooksPath "$PWD/hooks"
      try git config core.fsmonitor "touch ${proof}/fsmonitor"
      try git config filter.x.clean "touch ${proof}/clean; cat"
      try git config filter.x.smudge "touch ${proof}/smudge; cat"
      try git config alias.status "!touch ${proof}/alias"
      echo '* filter=x' > .gitattributes
      echo planted > planted.txt
  after:
    needs: plant
    workspace: { from: plant, branch: "after-\${{ run.id }}" }
    run: |
      test -s planted.txt
      test -z "$(git config --get core.fsmonitor || true)$(git config --get filter.x.clean || true)"
      echo more > more.txt; git add -A
      git -c user.name=a -c user.email=a@example.org commit -qm more
      test ! -e hooked
  push: { needs: after, publish: { from: after, branch: "planted/\${{ run.id }}" } }
`);
  for (const detail of details) expect(detail).toMatchObject({ error: null, status: "done" });
  // A worktree's git is the developer's own: there it may not.
  const worktree = details[KINDS.indexOf("worktree")];
  expect(await runs().logOf(worktree?.steps[0]?.job_id)).toContain("it may not plant hooks");
  expect(await readdir(proof)).toEqual([]);
});

test.skipIf(!isRoot)(
  "one that fills the disk: it fails, and others go on when there is room again",
  async () => {
    const disk = mountSmallDisk(join(await scratchDirectory(), "disk"), { sizeMiB: 96 });
    const data = join(disk.path, "data");
    const small = await openRuns({ ...QUICK, data }, silentLog, onTestFinished);
    const wait = "while test -e src/d0/e0/file-0.txt; do sleep 0.05; done";
    const early = await small.start(`steps:\n  early: { run: '${wait}', retry: patient }\n`);
    const filling = await small.start(`
steps:
  fill: { run: 'dd if=/dev/zero of=big bs=1M || true; echo full; ${wait}; exit 9' }
  next: { needs: fill, run: "true" }
`);
    await waitUntil("the disk to be full", () => isSaid(small, filling, "full"));
    const again = "{ attempts: 20, delay: 200ms, backoff: none }";
    const late = await small.start(`steps:\n  late: { run: echo x > x, retry: ${again} }\n`);
    await waitUntil("it to be refused", async () => {
      const events = "croft.event e join croft.job j on j.id = e.subject where j.run_id = $1";
      const refused = `select from ${events} and e.data::text like '%disk-full%'`;
      return (await small.query(refused, [late])).length > 0;
    });
    await release(small, filling);
    const message = "step 'fill': the command ended with exit code 9";
    expect(await small.end(filling)).toMatchObject({ status: "failed", error: { message } });
    await release(small, early);
    expect(await small.end(early)).toMatchObject({ status: "done" });
    expect(await small.end(late)).toMatchObject({ status: "done", error: null });
    await waitUntil("nothing to be left", async () => (await small.leftovers()).length === 0);
  },
);

async function isSaid({ query }: SharedRuns, runId: string, text: string): Promise<boolean> {
  const rows = await query<{ text: string }>(
    "select l.text from croft.job_log l join croft.job j on j.id = l.job_id where j.run_id = $1",
    [runId],
  );
  return rows.some((row) => row.text.includes(`${text}\n`));
}

/** Its script waits for a file of its workspace to vanish. */
async function release({ query, data }: SharedRuns, runId: string): Promise<void> {
  const [row] = await query<{ path: string }>(
    "select entry ->> 'path' as path from croft.workspace where entry ->> 'runId' = $1",
    [runId],
  );
  expect(row?.path).toContain(data);
  await rm(join(row?.path ?? "", "src/d0/e0/file-0.txt"));
}
