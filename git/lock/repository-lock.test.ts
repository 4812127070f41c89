// One lock a repository, inside a process and between processes, that no death leaves behind.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { LockTimeout, RepositoryLocks } from "./repository-lock.ts";

async function prepare() {
  const root = await scratchDirectory();
  const repository = join(root, "repository.git");
  await mkdir(repository);
  return {
    root,
    repository,
    directory: join(root, "locks"),
    locks: new RepositoryLocks(join(root, "locks")),
  };
}

/** Another process that holds the lock until it is told to let go, or dies. */
async function holdElsewhere(directory: string, repository: string): Promise<ChildProcess> {
  const url = pathToFileURL(join(import.meta.dirname, "repository-lock.ts")).href;
  const script = `import { RepositoryLocks } from ${JSON.stringify(url)};
    await new RepositoryLocks(process.argv[1]).hold(process.argv[2], { purpose: "elsewhere", runId: "r-1" }, async () => {
      process.stdout.write("held");
      await new Promise((resolve) => process.stdin.once("end", resolve).resume());
    });`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", script, directory, repository];
  const child = spawn(process.execPath, args, {
    cwd: import.meta.dirname,
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}

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
  expect(order).toEqual([...order].sort((left, right) => left - right));
});

test("links and relative paths of one repository share its lock; another repository does not wait", async () => {
  const { root, locks, repository } = await prepare();
  await symlink(repository, join(root, "link"));
  const other = join(root, "other.git");
  await mkdir(other);
  await locks.hold(repository, { purpose: "outer" }, async () => {
    const short = { purpose: "inner", timeoutMs: 50 };
    for (const path of [
      join(root, "link"),
      join(root, "locks/../repository.git"),
      `${repository}/`,
    ]) {
      await expect(locks.hold(path, short, async () => {})).rejects.toBeInstanceOf(LockTimeout);
    }
    expect(await locks.hold(other, short, async () => "free")).toBe("free");
    expect(await locks.holdLong(repository, short, async () => "free too")).toBe("free too");
  });
});

test("two sets of locks on a foreign repository exclude each other by a file inside of it", async () => {
  const { root, locks, repository } = await prepare();
  const others = new RepositoryLocks(join(root, "other-locks"));
  await locks.holdForeign(repository, { purpose: "first" }, async () => {
    const second = others.holdForeign(
      repository,
      { purpose: "second", timeoutMs: 50 },
      async () => {},
    );
    await expect(second).rejects.toMatchObject({ holder: { purpose: "first" } });
  });
  expect(readdirSync(repository)).toEqual(["croft.lock"]);
});

test("a time-out names who holds it, also in another process", async () => {
  const { locks, directory, repository } = await prepare();
  const holder = await holdElsewhere(directory, repository);
  const waiting = locks.hold(repository, { purpose: "mine", timeoutMs: 100 }, async () => {});
  await expect(waiting).rejects.toMatchObject({
    code: "lock-timeout",
    holder: { pid: holder.pid, purpose: "elsewhere", runId: "r-1" },
  });
  await expect(waiting).rejects.toThrow(`held by pid ${holder.pid} for 'elsewhere' of run r-1`);
  expect(await locks.holderOf(repository)).toMatchObject({ pid: holder.pid });
  holder.stdin?.end();
  await once(holder, "exit");
  expect(await locks.holderOf(repository)).toBeUndefined();
});

test("a holder killed with SIGKILL frees the lock; one stopped with SIGSTOP keeps it", async () => {
  const { locks, directory, repository } = await prepare();
  const holder = await holdElsewhere(directory, repository);
  holder.kill("SIGSTOP");
  const short = { purpose: "mine", timeoutMs: 200 };
  await expect(locks.hold(repository, short, async () => {})).rejects.toBeInstanceOf(LockTimeout);
  holder.kill("SIGKILL");
  expect(await locks.hold(repository, { purpose: "mine" }, async () => "held")).toBe("held");
});

test("an abort ends the wait, in line or at the kernel, and the next in line is served", async () => {
  const { locks, directory, repository } = await prepare();
  const holder = await holdElsewhere(directory, repository);
  const abort = new AbortController();
  const first = locks.hold(repository, { purpose: "a", signal: abort.signal }, async () => {});
  const second = locks.hold(repository, { purpose: "b", signal: abort.signal }, async () => {});
  const third = locks.hold(repository, { purpose: "c" }, async () => "served");
  abort.abort(new Error("enough"));
  await expect(first).rejects.toThrow(/enough|abort/);
  await expect(second).rejects.toThrow("enough");
  holder.stdin?.end();
  expect(await third).toBe("served");
});

test("a failure of the work frees the lock, and waits and holds are observed", async () => {
  const { root, repository } = await prepare();
  const seen: string[] = [];
  const locks = new RepositoryLocks(join(root, "locks"), {
    onWaited: (_waitMs, outcome) => seen.push(outcome),
    onHeld: () => seen.push("done"),
  });
  const failing = locks.hold(repository, { purpose: "fail" }, async () => {
    throw new Error("broken");
  });
  await expect(failing).rejects.toThrow("broken");
  await locks.hold(repository, { purpose: "next" }, async () => {
    const inner = locks.hold(repository, { purpose: "inner", timeoutMs: 20 }, async () => {});
    await expect(inner).rejects.toBeInstanceOf(LockTimeout);
  });
  expect(seen).toEqual(["held", "done", "held", "timeout", "done"]);
});

test("four processes under equal load are all served", async () => {
  const { directory, repository, root } = await prepare();
  const url = pathToFileURL(join(import.meta.dirname, "repository-lock.ts")).href;
  const script = `import { RepositoryLocks } from ${JSON.stringify(url)};
    const locks = new RepositoryLocks(process.argv[1]);
    for (let round = 0; round < 25; round++) {
      await locks.hold(process.argv[2], { purpose: "load" }, () => new Promise((resolve) => setTimeout(resolve, 2)));
    }`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", script, directory, repository];
  const children = [1, 2, 3, 4].map(() =>
    spawn(process.execPath, args, { cwd: import.meta.dirname, stdio: "inherit" }),
  );
  const codes = await Promise.all(children.map(async (child) => (await once(child, "exit"))[0]));
  expect(codes).toEqual([0, 0, 0, 0]);
  await waitUntil(
    "no lock to be held",
    async () => (await new RepositoryLocks(join(root, "locks")).holderOf(repository)) === undefined,
  );
});
