// Whoever a job left in a workspace is gone after its removal; whoever else is in it is left alone, and told of.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { rename, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { sleepers, type UniqueSleep, uniqueSleep } from "../../test/support/sleepers.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import {
  BARE,
  isRoot,
  MACHINES,
  SANDBOXED,
  shareWorkspaces,
} from "../../test/support/workspace-scene.ts";
import type { Workspace } from "./workspace.ts";

const scene = shareWorkspaces({ files: 3, commits: 0 });

/** Four that outlive the command that started them, each by another way; it ends when it is let go. */
function strays({ command }: UniqueSleep): string {
  return `
    setsid ${command} </dev/null >/dev/null 2>&1 &
    nohup ${command} >/dev/null 2>&1 &
    (setsid sh -c 'exec 9>held; cd /; ${command} <&- >&- 2>&- & exit') &
    (setsid sh -c 'cd /; exec setsid ${command} </dev/null >/dev/null 2>&1' & exit)
    while [ ! -e let-go ]; do sleep 0.02; done`;
}

/** A temporary directory that has nothing to do with the workspace. */
const environment = { TMPDIR: "/var/tmp" };

/** Returns when the command has ended and the four have been seen. */
async function runStrays(workspace: Workspace, sleep: UniqueSleep): Promise<void> {
  const running = workspace.run(["sh", "-c", strays(sleep)], { environment });
  await waitUntil("all of them", () => sleepers(sleep).length === 4);
  await writeFile(join(workspace.path, "let-go"), "");
  expect((await running).exitCode).toBe(0);
}

function expectNothingLeft(): void {
  const { workspaces } = scene.git.directories;
  expect(readFileSync("/proc/self/mountinfo", "utf8")).not.toContain(workspaces);
  expect(readdirSync(workspaces).filter((name) => !name.startsWith("."))).toEqual([]);
  expect(readdirSync(`${workspaces}/.parts`)).toEqual([]);
}

describe.each(SANDBOXED)("$name", (machine) => {
  test("daemons are gone with the command that started them", async () => {
    const workspace = await scene.create(machine);
    const sleep = uniqueSleep();
    await runStrays(workspace, sleep);
    expect(sleepers(sleep)).toEqual([]);
    await workspace.remove();
    expectNothingLeft();
  });
});

describe.each(BARE)("$name", (machine) => {
  test("daemons are found and ended when it is removed", async () => {
    const workspace = await scene.create(machine);
    const sleep = uniqueSleep();
    await runStrays(workspace, sleep);
    expect(sleepers(sleep).length).toBe(4); // nothing but the removal ends them
    await workspace.remove();
    expect(sleepers(sleep)).toEqual([]);
    expectNothingLeft();
  });
});

describe.each(MACHINES)("$name", (machine) => {
  test("daemons of a command that still runs are gone too", async () => {
    const workspace = await scene.create(machine);
    const sleep = uniqueSleep();
    const script = `trap '' TERM; ${strays(sleep)}`;
    const running = workspace.run(["sh", "-c", script], { graceMs: 100 });
    await waitUntil("all of them", () => sleepers(sleep).length === 4);
    await workspace.remove();
    expect((await running).stopped).toBe("aborted");
    expect(sleepers(sleep)).toEqual([]);
    expectNothingLeft();
  });

  test("what a job made unreadable, or odd, is removed", async () => {
    const workspace = await scene.create(machine);
    const name = "a-long-name-of-a-directory";
    await workspace.run([
      ...["sh", "-c"],
      `for i in $(seq 200); do mkdir ${name} && cd ${name} || exit; done 2>/dev/null`, // longer than a path can be
    ]);
    await workspace.run([
      ...["sh", "-c"],
      `mkdir -p a/b/c "$(printf 'x\\377')"; touch a/b/c/f; ln -s / a/root; ln -s loop a/loop; mkfifo a/pipe
       chmod 000 a/b/c a/b a "$(printf 'x\\377')"; mkdir $TMPDIR/closed; touch $TMPDIR/closed/f; chmod 000 $TMPDIR/closed
       chmod 000 .`,
    ]);
    await workspace.remove();
    await scene.idle();
    expect(readdirSync(scene.git.directories.trash)).toEqual([]);
    expectNothingLeft();
  });
});

/** A process of somebody else, as an operator's shell would be. */
async function sitIn(path: string): Promise<ChildProcess> {
  const child = spawn("sleep", ["1000"], { cwd: path, stdio: "ignore" });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });
  await once(child, "spawn");
  return child;
}

describe.runIf(isRoot).each(SANDBOXED)("$name", (machine) => {
  test("another user's process in it is not ended; it is told of, and nothing stays mounted", async () => {
    const workspace = await scene.create(machine, { owner: { owner: "local", runId: "run-7" } });
    const visitor = await sitIn(workspace.path);
    await workspace.remove();
    expect(visitor.exitCode ?? visitor.signalCode).toBeNull();
    expectNothingLeft();
    const told = scene.reports.splice(0).filter((report) => !report.startsWith("jobs are not"));
    expect(told.join("\n")).toBe(
      machine.kind === "clone"
        ? ""
        : `'${workspace.path}' of run run-7 is still in use and was unmounted lazily; see who has it open (fuser -m)`,
    );
  });
});

test("a removal that failed can be tried again", async () => {
  const workspace = await scene.create(MACHINES[0] ?? expect.fail());
  const { trash } = scene.git.directories;
  await scene.idle();
  await rename(trash, `${trash}.away`);
  await writeFile(trash, "in the way");
  await expect(workspace.remove()).rejects.toThrow("ENOTDIR");
  await rm(trash);
  await rename(`${trash}.away`, trash);
  await expect(workspace.run(["true"])).rejects.toThrow("is being removed");
  await workspace.remove();
  expectNothingLeft();
});

test("a trash that somebody has thrown away is no reason to leave anything", async () => {
  const workspace = await scene.create(MACHINES[0] ?? expect.fail());
  await scene.idle();
  await rmdir(scene.git.directories.trash);
  await workspace.remove();
  expectNothingLeft();
});
