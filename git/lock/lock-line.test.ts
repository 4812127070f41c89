// The line between processes: each gets its share, and neither a dead nor a stopped one blocks it.
import { closeSync, openSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tryLock } from "fs-native-extensions";
import { expect, onTestFinished, test } from "vitest";
import { HOLD_UNTIL_TOLD, LockProcess } from "../../test/support/lock-process.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { LockFile } from "./lock-file.ts";
import { LockTimeout, RepositoryLocks } from "./repository-lock.ts";

const FOREIGN_UNTIL_TOLD = HOLD_UNTIL_TOLD.replace("locks.hold(", "locks.holdForeign(");

async function prepare() {
  const root = await scratchDirectory();
  const repository = join(root, "repository.git");
  await mkdir(repository);
  return { root, repository, directory: join(root, "locks") };
}

function startMany(count: number, plan: ConstructorParameters<typeof LockProcess>[0]) {
  return Array.from({ length: count }, () => new LockProcess(plan));
}

/** All are up before the first begins. */
async function beginTogether(processes: readonly LockProcess[]): Promise<void> {
  await Promise.all(processes.map((child) => child.hasSaid("ready")));
  for (const child of processes) child.tell();
}

function microsecondsSinceBoot(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

/** Until somebody who came later than that stands in the line of a foreign repository's lock. */
async function someoneCame(repository: string, after: number): Promise<void> {
  const file = LockFile.openOrCreate(join(repository, "croft.lock"), 0o600);
  try {
    await waitUntil("somebody to wait", () => !file.isFree({ from: after, length: 0 }));
  } finally {
    file.close();
  }
}

test("of four processes under equal load each gets its share", async () => {
  const { root, repository, directory } = await prepare();
  const served = join(root, "served");
  await writeFile(served, "");
  // Under the lock, so the number of lines is exact, and all stop at the same one.
  const body = `
    const { appendFileSync, statSync } = await import("node:fs");
    say("ready");
    await told();
    for (let isMore = true; isMore; ) {
      await locks.hold(repository, { purpose: "load" }, async () => {
        isMore = statSync(${JSON.stringify(served)}).size < 400 * 8;
        if (isMore) appendFileSync(${JSON.stringify(served)}, String(process.pid).padEnd(7) + "\\n");
        await new Promise((resolve) => setTimeout(resolve, 1));
      });
    }`;
  const processes = startMany(4, { directory, repository, body });
  await beginTogether(processes);
  expect(await Promise.all(processes.map((child) => child.ended()))).toEqual(
    processes.map(() => ["ready"]),
  );
  const lines = readFileSync(served, "utf8").trim().split(/\s+/);
  expect(lines).toHaveLength(400);
  for (const { pid } of processes) {
    expect(lines.filter((line) => line === String(pid)).length).toBeGreaterThanOrEqual(50);
  }
});

test("a stopped waiter is overtaken, and served when it goes on; a killed one is forgotten", async () => {
  const { repository, directory } = await prepare();
  const locks = new RepositoryLocks(directory);
  const standInLine = async () => {
    const cameAfter = microsecondsSinceBoot();
    const waiter = new LockProcess({ directory, repository, body: FOREIGN_UNTIL_TOLD });
    await someoneCame(repository, cameAfter);
    return waiter;
  };
  let stopped: LockProcess | undefined;
  await locks.holdForeign(repository, { purpose: "first" }, async () => {
    stopped = await standInLine();
    stopped.signal("SIGSTOP");
    const killed = await standInLine();
    killed.signal("SIGKILL");
    await killed.ended();
  });
  for (let turn = 0; turn < 5; turn++) {
    const overtaking = locks.holdForeign(repository, { purpose: "next" }, async () => "served");
    expect(await overtaking).toBe("served");
  }
  expect(stopped?.said).toEqual([]);
  stopped?.signal("SIGCONT");
  await stopped?.hasSaid("held");
  stopped?.tell();
  expect(await stopped?.ended()).toEqual(["held", "released"]);
});

test("somebody who is stopped while looking, whether held or whether waited for, blocks nobody", async () => {
  const { repository, directory } = await prepare();
  const locks = new RepositoryLocks(directory);
  const served = () => locks.holdForeign(repository, { purpose: "next" }, async () => "served");
  await served();
  const descriptor = openSync(join(repository, "croft.lock"), "r");
  onTestFinished(() => closeSync(descriptor));
  // As `LockFile.isFree` has it for a moment: the sign, and the whole line.
  expect(tryLock(descriptor, 1, 0, { shared: true })).toBe(true);
  expect(await served()).toBe("served");
  expect(await Promise.all([served(), served()])).toEqual(["served", "served"]);
  const other = new LockProcess({ directory, repository, body: FOREIGN_UNTIL_TOLD });
  await other.hasSaid("held");
  const patient = served();
  const impatient = locks.holdForeign(repository, { purpose: "x", timeoutMs: 100 }, async () => {});
  await expect(impatient).rejects.toThrow(LockTimeout);
  other.tell();
  expect(await patient).toBe("served");
});

test("one repository held forever does not delay the many who use another", async () => {
  const { root, repository, directory } = await prepare();
  const other = join(root, "other.git");
  await mkdir(other);
  const holder = new LockProcess({ directory, repository, body: HOLD_UNTIL_TOLD });
  const body = `
    const uses = Array.from({ length: 50 }, () => locks.hold(repository, { purpose: "use" }, async () => {}));
    await Promise.all([...uses, locks.holdLong(repository, { purpose: "fetch" }, async () => {})]);
    say("done");`;
  await holder.hasSaid("held");
  const users = startMany(3, { directory, repository: other, body });
  const said = await Promise.all(users.map((user) => user.ended()));
  expect(said).toEqual([["done"], ["done"], ["done"]]);
  expect(holder.said).toEqual(["held"]);
});

test("five matrix workers and three other callers in four processes: no deadlock (SC-008)", async () => {
  const { root, repository, directory } = await prepare();
  const foreign = join(root, "foreign.git");
  await mkdir(foreign);
  // As the product nests them: the long lock outside, the short one inside, a foreign repository's alone.
  const body = `
    const request = (purpose) => ({ purpose, timeoutMs: 60_000 });
    const soon = () => new Promise((resolve) => setTimeout(resolve, 1));
    const worker = () => locks.hold(repository, request("worktree"), soon);
    const fetcher = () => locks.holdLong(repository, request("fetch"), async () => {
      await soon();
      await locks.hold(repository, request("move refs"), soon);
    });
    const owner = () => locks.holdForeign(${JSON.stringify(foreign)}, request("add"), soon);
    const rounds = async (work) => { for (let round = 0; round < 10; round++) await work(); };
    say("ready");
    await told();
    await Promise.all([...Array(5).fill(worker), fetcher, fetcher, owner].map(rounds));
    say("done");`;
  const processes = startMany(4, { directory, repository, body });
  await beginTogether(processes);
  const said = await Promise.all(processes.map((child) => child.ended()));
  expect(said).toEqual(processes.map(() => ["ready", "done"]));
});
