// Who holds a lock: named to those who wait; dead or stopped, it never leads to a broken lock.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { HOLD_UNTIL_TOLD, LockProcess } from "../../test/support/lock-process.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { LockTimeout, RepositoryLocks } from "./repository-lock.ts";

async function prepare() {
  const root = await scratchDirectory();
  const repository = join(root, "repository.git");
  await mkdir(repository);
  const directory = join(root, "locks");
  return { root, repository, directory, locks: new RepositoryLocks(directory) };
}

const SHORT = { purpose: "mine", timeoutMs: 100 };
const nothing = async () => {};

test("a time-out names who holds it, in this process and in another", async () => {
  const { locks, directory, repository } = await prepare();
  expect(await locks.holderOf(repository)).toBeUndefined();
  const holder = new LockProcess({ directory, repository, body: HOLD_UNTIL_TOLD });
  await holder.hasSaid("held");
  const waiting = locks.hold(repository, SHORT, nothing);
  await expect(waiting).rejects.toMatchObject({
    code: "lock-timeout",
    holder: { pid: holder.pid, purpose: "elsewhere", runId: "r-1" },
  });
  await expect(waiting).rejects.toThrow(`held by pid ${holder.pid} for 'elsewhere' of run r-1`);
  expect(await locks.holderOf(repository)).toMatchObject({ pid: holder.pid });
  holder.tell();
  await holder.ended();
  expect(await locks.holderOf(repository)).toBeUndefined();
  await locks.hold(repository, { purpose: "outer" }, async () => {
    const inner = locks.hold(repository, SHORT, nothing);
    await expect(inner).rejects.toMatchObject({ holder: { pid: process.pid, purpose: "outer" } });
  });
});

test("long and odd words do not spoil what is said; foreign rubbish names nobody", async () => {
  const { locks, repository } = await prepare();
  const odd = { purpose: "\u0000\u001b\n".repeat(99), runId: "\ud83d\ude80".repeat(99) };
  await locks.hold(repository, odd, async () => {
    const holder = await locks.holderOf(repository);
    expect(holder?.purpose).toBe("?".repeat(100));
    expect(holder?.runId).toHaveLength(100);
  });
  await locks.hold(repository, { purpose: "short" }, async () => {
    expect(await locks.holderOf(repository)).toMatchObject({ purpose: "short" });
  });
  await locks.holdForeign(repository, { purpose: "first" }, async () => {
    for (const rubbish of ["", "{", "null", '{"pid":"x"}', "x".repeat(5000)]) {
      await writeFile(join(repository, "croft.lock"), rubbish);
      const waiting = locks.holdForeign(repository, { ...SHORT, timeoutMs: 1 }, nothing);
      await expect(waiting).rejects.toThrow("its holder is not known");
    }
  });
});

test("a holder stopped with SIGSTOP leads to time-outs that name it, and after SIGCONT all is well", async () => {
  const { locks, directory, repository } = await prepare();
  const holder = new LockProcess({ directory, repository, body: HOLD_UNTIL_TOLD });
  await holder.hasSaid("held");
  holder.signal("SIGSTOP");
  for (let turn = 0; turn < 3; turn++) {
    await expect(locks.hold(repository, SHORT, nothing)).rejects.toMatchObject({
      name: "LockTimeout",
      holder: { pid: holder.pid, purpose: "elsewhere", runId: "r-1" },
    });
  }
  const patient = locks.hold(repository, { purpose: "patient" }, async () => "served");
  holder.signal("SIGCONT");
  holder.tell();
  expect(await holder.ended()).toEqual(["held", "released"]);
  expect(await patient).toBe("served");
});

test("a holder killed with SIGKILL frees the lock", async () => {
  const { locks, directory, repository } = await prepare();
  const holder = new LockProcess({ directory, repository, body: HOLD_UNTIL_TOLD });
  await holder.hasSaid("held");
  holder.signal("SIGKILL");
  expect(await locks.hold(repository, { purpose: "mine" }, async () => "held")).toBe("held");
});

test("an abort ends a wait for another process, and the next in line is served", async () => {
  const { locks, directory, repository } = await prepare();
  const holder = new LockProcess({ directory, repository, body: HOLD_UNTIL_TOLD });
  await holder.hasSaid("held");
  const abort = new AbortController();
  const first = locks.hold(repository, { purpose: "a", signal: abort.signal }, nothing);
  const second = locks.hold(repository, { purpose: "b", signal: abort.signal }, nothing);
  const third = locks.hold(repository, { purpose: "c" }, async () => "served");
  abort.abort(new Error("enough"));
  await expect(first).rejects.toThrow("enough");
  await expect(second).rejects.toThrow("enough");
  holder.tell();
  expect(await third).toBe("served");
});

/** A process that holds the lock while a git of its own works under it, until the pipe is written to. */
async function holdWithGit() {
  const { root, locks, directory, repository } = await prepare();
  const [pipe, pidFile] = [join(root, "pipe"), join(root, "git-pid")];
  spawnSync("mkfifo", [pipe]);
  const alias = `alias.linger=!echo $PPID > '${pidFile}'; cat '${pipe}'`;
  const body = `
    await locks.hold(repository, { purpose: "git" }, async ({ descriptor }) => {
      await runGit(["-c", ${JSON.stringify(alias)}, "linger"], { lockDescriptors: [descriptor] });
    });`;
  const holder = new LockProcess({ directory, repository, body });
  const gitPid = await waitUntil("git to run", () => {
    const text = readFileSync(pidFile, { encoding: "utf8", flag: "a+" });
    return text.endsWith("\n") && Number(text);
  });
  const killGit = () => {
    try {
      process.kill(-gitPid, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  };
  onTestFinished(killGit);
  return { locks, repository, holder, pipe, killGit };
}

test("killed, a holder keeps the lock as long as its git lives, and not longer", async () => {
  const { locks, repository, holder, pipe } = await holdWithGit();
  holder.signal("SIGKILL");
  await holder.ended();
  for (let turn = 0; turn < 3; turn++) {
    const waiting = locks.hold(repository, SHORT, nothing);
    await expect(waiting).rejects.toMatchObject({ holder: { pid: holder.pid, purpose: "git" } });
  }
  const patient = locks.hold(repository, { purpose: "patient" }, async () => "served");
  await writeFile(pipe, ""); // the end of what git reads: it ends by itself
  expect(await patient).toBe("served");
});

test("killed together with its git, a holder frees the lock within a second", async () => {
  const { locks, repository, holder, killGit } = await holdWithGit();
  holder.signal("SIGKILL");
  await holder.ended();
  await expect(locks.hold(repository, SHORT, nothing)).rejects.toThrow(LockTimeout);
  killGit();
  const isFree = async () => (await locks.holderOf(repository)) === undefined;
  await waitUntil("the lock to be free", isFree, 1000);
  expect(await locks.hold(repository, SHORT, async () => "held")).toBe("held");
});
