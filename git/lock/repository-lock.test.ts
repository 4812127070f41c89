// One lock a repository inside a process: in order, by whatever path it is named, and nothing stays behind.
import { existsSync, readdirSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { git } from "../../test/support/make-repository.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { type LockObserver, LockTimeout, RepositoryLocks } from "./repository-lock.ts";

async function prepare(observer?: LockObserver) {
  const root = await scratchDirectory();
  const repository = join(root, "repository.git");
  await mkdir(repository);
  return { root, repository, locks: new RepositoryLocks(join(root, "locks"), observer) };
}

const SHORT = { purpose: "inner", timeoutMs: 30 };
const nothing = async () => {};

test("100 waiters of one process are served one at a time, in order", async () => {
  const { locks, repository } = await prepare();
  const order: number[] = [];
  let inside = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 100 }, (_, number) =>
      locks.hold(repository, { purpose: "count" }, async () => {
        most = Math.max(most, ++inside);
        await new Promise((resolve) => setImmediate(resolve));
        order.push(number);
        inside--;
      }),
    ),
  );
  expect(most).toBe(1);
  expect(order).toEqual(Array.from({ length: 100 }, (_, number) => number));
});

test("links, relative paths and a path that is yet to be made share one lock", async () => {
  const { root, locks, repository } = await prepare();
  await symlink(repository, join(root, "link"));
  await symlink(root, join(root, "around"));
  const shares = async (path: string, names: readonly string[]) =>
    await locks.hold(path, { purpose: "outer" }, async () => {
      for (const name of names) {
        await expect(locks.hold(name, SHORT, nothing), name).rejects.toThrow(LockTimeout);
      }
    });
  await shares(repository, [
    join(root, "link"),
    join(root, "around/link"),
    `${root}/locks/../repository.git`,
    `${repository}/`,
    relative(process.cwd(), repository),
  ]);
  await shares(join(root, "new.git"), [
    join(root, "around/new.git"),
    `${root}/new.git/`,
    relative(process.cwd(), join(root, "new.git")),
  ]);
});

test("all linked worktrees of a repository share its lock, ours or foreign", async () => {
  const { root, locks } = await prepare();
  const tree = join(root, "tree");
  await git(["init", "--quiet", tree]);
  await git(["commit", "--quiet", "--allow-empty", "-m", "first"], tree);
  await git(["worktree", "add", "--quiet", join(root, "one")], tree);
  await git(["worktree", "add", "--quiet", join(root, "two")], tree);
  const main = join(tree, ".git");
  const one = await git(["rev-parse", "--absolute-git-dir"], join(root, "one"));
  const two = await git(["rev-parse", "--absolute-git-dir"], join(root, "two"));
  await locks.hold(one, { purpose: "outer" }, async () => {
    await expect(locks.hold(two, SHORT, nothing)).rejects.toThrow(LockTimeout);
    await expect(locks.hold(main, SHORT, nothing)).rejects.toThrow(LockTimeout);
  });
  await locks.holdForeign(two, { purpose: "outer" }, async () => {
    await expect(locks.holdForeign(one, SHORT, nothing)).rejects.toThrow(LockTimeout);
    await expect(locks.holdForeign(main, SHORT, nothing)).rejects.toThrow(LockTimeout);
  });
  expect([main, one, two].map((path) => existsSync(join(path, "croft.lock")))).toEqual([
    true,
    false,
    false,
  ]);
  expect(await git(["status", "--porcelain"], tree)).toBe("");
});

test("another repository and the long lock of this one do not wait", async () => {
  const { root, locks, repository } = await prepare();
  const other = join(root, "other.git");
  await mkdir(other);
  await locks.hold(repository, { purpose: "outer" }, async () => {
    expect(await locks.hold(other, SHORT, async () => "free")).toBe("free");
    expect(await locks.holdLong(repository, SHORT, async () => "free")).toBe("free");
  });
});

test("two sets of locks on a foreign repository exclude each other by a file inside of it", async () => {
  const { root, locks, repository } = await prepare();
  const others = new RepositoryLocks(join(root, "other-locks"));
  await locks.holdForeign(repository, { purpose: "first" }, async () => {
    const second = others.holdForeign(repository, SHORT, nothing);
    await expect(second).rejects.toMatchObject({ holder: { purpose: "first" } });
  });
  expect(readdirSync(repository)).toEqual(["croft.lock"]);
});

test("time-outs and aborts in the middle of the line leave the others in their order", async () => {
  const { locks, repository } = await prepare();
  const abort = new AbortController();
  const served: number[] = [];
  const gaveUp: Promise<unknown>[] = [];
  const stayed: Promise<unknown>[] = [];
  await locks.hold(repository, { purpose: "first" }, async () => {
    for (let number = 0; number < 30; number++) {
      const patience = [{}, { timeoutMs: 20 }, { signal: abort.signal }][number % 3];
      const turn = locks.hold(repository, { purpose: "next", ...patience }, async () => {
        served.push(number);
      });
      if (number % 3 === 0) stayed.push(turn);
      else gaveUp.push(turn.catch((error: Error) => error.name));
    }
    const reason = Object.assign(new Error("enough"), { name: "Enough" });
    abort.abort(reason);
    expect(new Set(await Promise.all(gaveUp))).toEqual(new Set(["LockTimeout", "Enough"]));
  });
  await Promise.all(stayed);
  expect(served).toEqual([0, 3, 6, 9, 12, 15, 18, 21, 24, 27]);
});

test("nothing stays in memory when nobody holds or waits, however it ended", async () => {
  const { locks, repository } = await prepare();
  await locks.hold(repository, { purpose: "outer" }, async () => {
    await expect(locks.hold(repository, SHORT, nothing)).rejects.toThrow(LockTimeout);
    expect(locks.inUse).toBe(1);
  });
  const early = { purpose: "early", signal: AbortSignal.abort(new Error("early")) };
  await expect(locks.hold(repository, early, nothing)).rejects.toThrow("early");
  const failing = locks.hold(repository, { purpose: "fail" }, async () => {
    throw new Error("broken");
  });
  await expect(failing).rejects.toThrow("broken");
  expect(locks.inUse).toBe(0);
});

test("waits and holds are observed, each once", async () => {
  const seen: string[] = [];
  const { locks, repository } = await prepare({
    onWaited: (waitMs, outcome) => seen.push(waitMs >= 0 ? outcome : "negative"),
    onHeld: (holdMs) => seen.push(holdMs >= 0 ? "done" : "negative"),
  });
  await locks.hold(repository, { purpose: "outer" }, async () => {
    await expect(locks.hold(repository, SHORT, nothing)).rejects.toThrow(LockTimeout);
    const signal = AbortSignal.timeout(10);
    const aborted = locks.hold(repository, { purpose: "inner", signal }, nothing);
    await expect(aborted).rejects.toMatchObject({ name: "TimeoutError" });
  });
  const failing = locks.hold(repository, { purpose: "fail" }, async () => {
    throw new Error("broken");
  });
  await expect(failing).rejects.toThrow("broken");
  expect(seen).toEqual(["held", "timeout", "aborted", "done", "held", "done"]);
});

test("an observer that fails does not keep the lock", async () => {
  let fails = true;
  const { locks, repository } = await prepare({
    onWaited: () => {
      if (fails) throw new Error("no histogram");
    },
  });
  const observed = locks.hold(repository, { purpose: "outer" }, nothing);
  await expect(observed).rejects.toThrow("no histogram");
  fails = false;
  expect(await locks.hold(repository, SHORT, async () => "held")).toBe("held");
  expect(locks.inUse).toBe(0);
});
