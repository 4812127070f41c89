// Where no lock can be had, there is a clear error at once; and nothing planted in a repository is touched.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LockProcess } from "../../test/support/lock-process.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { LockError } from "./lock-file.ts";
import { RepositoryLocks } from "./repository-lock.ts";

async function prepare() {
  const root = await scratchDirectory();
  const [repository, directory] = [join(root, "repository.git"), join(root, "locks")];
  await mkdir(repository);
  await mkdir(directory);
  return { root, repository, directory };
}

const isRoot = process.getuid?.() === 0;

/** Mounts made by the script are seen by the process only, and end with it. */
function withMounts(script: string): string[] {
  const user = isRoot ? [] : ["--map-root-user"];
  return ["unshare", "--mount", ...user, "sh", "-ec", `${script}; exec "$@"`, "sh"];
}

/** Modes of files hold for root as well. */
const WITHOUT_PRIVILEGE = isRoot
  ? [
      "setpriv",
      "--bounding-set=-dac_override,-dac_read_search",
      "--inh-caps=-dac_override,-dac_read_search",
    ]
  : [];

const HOLD = `say(await locks.hold(repository, { purpose: "try" }, async () => "held"));`;

async function failureOf(plan: ConstructorParameters<typeof LockProcess>[0]): Promise<unknown> {
  const said = await new LockProcess(plan).ended();
  expect(said).toHaveLength(1);
  return JSON.parse(said[0] ?? "");
}

test("a read-only lock directory is an error at once, there or yet to be made", async () => {
  const { root, repository, directory } = await prepare();
  const wrapper = withMounts(
    `mount --bind '${root}' '${root}'; mount -o remount,bind,ro '${root}'`,
  );
  for (const path of [directory, join(root, "new-locks")]) {
    const failure = await failureOf({ directory: path, repository, body: HOLD, wrapper });
    expect(failure).toMatchObject({ name: "LockError", code: "not-writable" });
    expect(failure).toHaveProperty(
      "message",
      expect.stringContaining(`cannot use the lock '${path}`),
    );
    expect(failure).toHaveProperty("message", expect.stringContaining("read-only"));
  }
});

test("a lock directory without permission is an error at once", async () => {
  const { repository, directory } = await prepare();
  chmodSync(directory, 0o500);
  const plan = { directory, repository, body: HOLD, wrapper: WITHOUT_PRIVILEGE };
  const failure = await failureOf(plan);
  expect(failure).toMatchObject({ name: "LockError", code: "not-writable" });
  expect(failure).toHaveProperty("message", expect.stringContaining("permission denied"));
  chmodSync(directory, 0o700);
  expect(await new LockProcess(plan).ended()).toEqual(["held"]);
});

test("on a full disk locks still work, so that it can be freed; only a new file may not fit", async () => {
  const { repository, directory } = await prepare();
  const wrapper = withMounts(`mount -t tmpfs -o size=32k,nr_inodes=5 none '${directory}'`);
  const body = `
    const { closeSync, openSync, rmSync, writeSync } = await import("node:fs");
    const holder = (name) => locks.hold(repository + name, { purpose: "try" }, async () =>
      (await locks.holderOf(repository + name))?.purpose ?? "nobody named");
    say(await holder("/old"));
    const filler = openSync(directory + "/filler", "w");
    try { for (;;) writeSync(filler, Buffer.alloc(4096)); } catch (error) { say(error.code); }
    say(await holder("/old"));
    say(await holder("/new"));
    closeSync(openSync(directory + "/last", "w")); // the last of the files that it may have
    say((await holder("/newer").catch((error) => error)).code);
    closeSync(filler);
    rmSync(directory + "/filler");
    say(await holder("/newer"));
    say(await holder("/new"));`;
  expect(await new LockProcess({ directory, repository, body, wrapper }).ended()).toEqual([
    "try",
    "ENOSPC",
    "try",
    "nobody named",
    "disk-full",
    "try",
    "try",
  ]);
});

test("a filesystem without file locks is an error at once that says so", async () => {
  const { repository, directory } = await prepare();
  const file = join(repository, "croft.lock");
  // What a network filesystem without a lock service answers.
  const inject = ["-e", "trace=fcntl", "-e", "inject=fcntl:error=ENOLCK"];
  const wrapper = ["strace", "-f", "-qq", "-o", "/dev/null", "-P", file, ...inject];
  const body = `await locks.holdForeign(repository, { purpose: "try" }, async () => say("held"));`;
  const failure = await failureOf({ directory, repository, body, wrapper });
  expect(failure).toMatchObject({ name: "LockError", code: "no-file-locks" });
  expect(failure).toHaveProperty(
    "message",
    expect.stringContaining("use a directory on a local disk"),
  );
});

test("a link, pipe or directory in place of the lock file is refused and not touched", async () => {
  const { root, repository, directory } = await prepare();
  const locks = new RepositoryLocks(directory);
  const victim = join(root, "victim");
  await writeFile(victim, "precious");
  const plant: Record<string, (path: string) => unknown> = {
    "symbolic link": (path) => symlink(victim, path),
    "is a directory": (path) => mkdirSync(path),
    "not a file": (path) => spawnSync("mkfifo", [path]),
  };
  for (const [word, put] of Object.entries(plant)) {
    const foreign = join(repository, word);
    await mkdir(foreign);
    await put(join(foreign, "croft.lock"));
    expect(existsSync(join(foreign, "croft.lock"))).toBe(true);
    const holding = locks.holdForeign(foreign, { purpose: "try" }, async () => {});
    await expect(holding).rejects.toThrow(LockError);
    await expect(holding).rejects.toThrow(word);
  }
  expect(readFileSync(victim, "utf8")).toBe("precious");
  expect(locks.inUse).toBe(0);
});
