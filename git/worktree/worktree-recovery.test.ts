// Killed anywhere, a worktree is put in order by the next one; what may be a living git's is not touched.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { git } from "../../test/support/make-repository.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import {
  exitCode,
  leftovers,
  OWNER,
  openWorktrees,
  stallCheckouts,
  workElsewhere,
  worktreeScene,
} from "../../test/support/worktree-scene.ts";
import { processesIn } from "../command/process-tree.ts";
import type { FileLedger, LedgerEntry } from "../workspace/ledger.ts";
import type { Worktree } from "./worktrees.ts";

/** As if the process that made it had been killed. */
async function bury(ledger: FileLedger, entry: LedgerEntry): Promise<void> {
  await ledger.remove(entry.id);
  await ledger.add({ ...entry, process: { pid: 1, start: "0" } });
}

async function deadScene() {
  const scene = await worktreeScene();
  const create = () =>
    scene.worktrees.create({
      repository: scene.repository,
      name: "w",
      branch: "a/b",
      owner: OWNER,
    });
  const die = async (): Promise<Worktree> => {
    const made = await create();
    await bury(scene.ledger, made.entry);
    return made;
  };
  const expectClean = async (made: Worktree) => {
    expect(await git(["status", "--porcelain", "--branch"], made.path)).toBe("## a/b");
    await git(["commit", "--quiet", "--allow-empty", "--message=works"], made.path);
    await scene.worktrees.remove(made.entry);
    expect(leftovers(scene.commonDir, scene.directories)).toEqual([]);
    expect(scene.kept).toEqual([]);
  };
  return { ...scene, create, die, expectClean };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await exitCode(child);
}

describe("a killed creator", () => {
  test("whose checkout still runs: it is ended, and the branch is free again", async () => {
    const { repository, commonDir, data, create, expectClean, directories } = await deadScene();
    const unstall = await stallCheckouts(repository);
    const child = workElsewhere(
      data,
      repository,
      `await worktrees.create({ repository, name: "dead", branch: "a/b", owner });`,
    );
    const started = () => checkoutsBelow(directories.workspaces);
    await waitUntil("the checkout", () => started().length > 0);
    await kill(child);
    expect(started()).not.toEqual([]); // it has outlived its maker; how many processes it has changes
    await unstall();
    const made = await create();
    expect(checkoutsBelow(directories.workspaces)).toEqual([]);
    expect(readdirSync(join(commonDir, "worktrees"))).toEqual([made.id]);
    await expectClean(made);
  });

  test("who had finished: the branch is taken over with what was committed", async () => {
    const { repository, data, create, expectClean } = await deadScene();
    const child = workElsewhere(
      data,
      repository,
      `const made = await worktrees.create({ repository, name: "dead", branch: "a/b", owner });
       console.log(made.path);
       await new Promise((resolve) => setInterval(resolve, 1e6));`,
    );
    const [path] = await once(child.stdout ?? child, "data");
    await git(["commit", "--quiet", "--allow-empty", "--message=work"], String(path).trim());
    const tip = await git(["rev-parse", "refs/heads/a/b"], repository);
    await expect(create()).rejects.toMatchObject({ code: "branch-in-use" }); // it lives
    await kill(child);
    const made = await create();
    expect(made.commit).toBe(tip);
    await expectClean(made);
  });

  test("with a command that has outlived it: that is ended, a developer's shell in the worktree is not", async () => {
    const { die, create, expectClean, directories } = await deadScene();
    const { id, path } = await die();
    const temporary = join(directories.workspaces, ".parts", id, "tmp");
    await mkdir(temporary, { recursive: true });
    const sleep = (env: Record<string, string>) => {
      const child = spawn("sleep", ["1000"], { cwd: path, env: { ...process.env, ...env } });
      onTestFinished(() => void child.kill("SIGKILL"));
      return child;
    };
    const [command, shell] = [sleep({ TMPDIR: temporary }), sleep({})];
    const made = await create();
    await exitCode(command);
    expect(command.signalCode).toBe("SIGKILL");
    expect(shell.signalCode).toBe(null);
    await expectClean(made);
  });

  test("is cleared away by removeStale, which leaves the living alone", async () => {
    const { worktrees, repository, commonDir, directories, die } = await deadScene();
    const alive = await worktrees.create({ repository, name: "alive", owner: OWNER });
    const dead = await die();
    expect(await worktrees.removeStale(commonDir)).toMatchObject([{ entry: { id: dead.id } }]);
    expect(readdirSync(join(commonDir, "worktrees"))).toEqual([alive.id]);
    await worktrees.remove(alive.entry);
    expect(leftovers(commonDir, directories)).toEqual([]);
  });
});

describe("half a registration", () => {
  const whole = ["locked", "gitdir", ".git", "HEAD", "commondir"];
  /** What a kill at each step of `git worktree add` leaves; `=` is a file that is still empty. */
  const states = [
    ...whole.flatMap((_, step) => [
      whole.slice(0, step),
      [...whole.slice(0, step), `${whole[step]}=`],
    ]),
    [...whole, "HEAD.lock="],
    [...whole, "index.lock="],
  ];

  test.each(states.map((files) => [files.join(" ") || "nothing", files] as const))(
    "with %s",
    async (_name, files) => {
      const { commonDir, die, create, expectClean, repository } = await deadScene();
      const { id, path } = await die();
      await git(["branch", "--force", "kept", "a/b"], repository);
      const registration = join(commonDir, "worktrees", id);
      const place = (name: string) => join(name === ".git" ? path : registration, name);
      const known = new Map<string, string>();
      for (const name of whole) known.set(name, await readFile(place(name), "utf8"));
      await rm(path, { recursive: true });
      await rm(registration, { recursive: true });
      await mkdir(path);
      await mkdir(registration);
      for (const file of files) {
        const [name = ""] = file.split("=");
        await writeFile(place(name), file.endsWith("=") ? "" : (known.get(name) ?? ""));
      }
      await expectClean(await create());
    },
  );

  test("of a living row is freed too, when its branch is wanted", async () => {
    const { commonDir, create, worktrees, expectClean } = await deadScene();
    const made = await create();
    await rm(join(commonDir, "worktrees", made.id, "commondir"));
    const next = await create();
    await worktrees.remove(made.entry);
    await expectClean(next);
  });
});

describe("deleted by hand", () => {
  test("the directory: its worktree is removed, and its branch can be used at once", async () => {
    const { create, worktrees, expectClean } = await deadScene();
    const made = await create();
    await rm(made.path, { recursive: true });
    const next = await create();
    expect(await worktrees.remove(made.entry)).toMatchObject({ isGone: true, kept: [] });
    await expectClean(next);
  });

  test("the registration, or the whole repository", async () => {
    const { create, worktrees, repository, commonDir, directories, root } = await deadScene();
    const [first, second] = [
      await create(),
      await worktrees.create({ repository, name: "w", owner: OWNER }),
    ];
    await rm(join(commonDir, "worktrees", first.id), { recursive: true });
    expect(await worktrees.remove(first.entry)).toMatchObject({ isGone: true });
    await rename(repository, join(root, "elsewhere"));
    await mkdir(commonDir, { recursive: true }); // what merely has its place is not written to
    expect(await worktrees.remove(second.entry)).toMatchObject({ isGone: true });
    expect(readdirSync(commonDir)).toEqual([]);
    expect(leftovers(commonDir, directories)).toEqual([]);
  });
});

describe("a lock file on the branch", () => {
  const lockOf = (commonDir: string) => join(commonDir, "refs/heads/a/b.lock");

  test("of a dead worktree is removed, with the log of a branch that was never made", async () => {
    const { commonDir, die, create, expectClean, repository } = await deadScene();
    const { id, commit } = await die();
    await git(["update-ref", "-d", "refs/heads/a/b"], repository);
    await mkdir(join(commonDir, "refs/heads/a"), { recursive: true });
    await writeFile(lockOf(commonDir), `${commit}\n`);
    await mkdir(join(commonDir, "logs/refs/heads/a"), { recursive: true });
    const line = `${"0".repeat(40)} ${commit} Croft <croft@localhost> 0 +0000\tcroft: worktree ${id}\n`;
    await writeFile(join(commonDir, "logs/refs/heads/a/b"), line);
    const made = await create();
    expect(readFileSync(join(commonDir, "logs/refs/heads/a/b"), "utf8")).not.toContain(id);
    await expectClean(made);
  });

  test("that a process has open is kept, and the next one is told where it is", async () => {
    const { commonDir, die, create, kept, repository } = await deadScene();
    await die();
    await git(["update-ref", "-d", "refs/heads/a/b"], repository);
    await mkdir(join(commonDir, "refs/heads/a"), { recursive: true });
    const script = `exec 9>'${lockOf(commonDir)}'; echo ready; exec sleep 1000`;
    const developer = spawn("sh", ["-c", script], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void developer.kill("SIGKILL"));
    await once(developer.stdout, "data");
    const refusal = { code: "locked", details: { branch: "a/b", path: lockOf(commonDir) } };
    await expect(create()).rejects.toMatchObject(refusal);
    expect(kept).toEqual([
      { path: lockOf(commonDir), why: `process ${developer.pid} has it open` },
    ]);
    expect(existsSync(lockOf(commonDir))).toBe(true);
  });

  test("that is older than the worktree, or of no worktree of ours, is kept", async () => {
    const { commonDir, die, create, kept, repository, worktrees, directories } = await deadScene();
    await die();
    await git(["update-ref", "-d", "refs/heads/a/b"], repository);
    await mkdir(join(commonDir, "refs/heads/a"), { recursive: true });
    await writeFile(lockOf(commonDir), "");
    await utimes(lockOf(commonDir), 1, 1);
    await expect(create()).rejects.toMatchObject({ code: "locked" });
    expect(kept).toEqual([{ path: lockOf(commonDir), why: "it is older than the worktree" }]);
    await rm(lockOf(commonDir));
    expect(leftovers(commonDir, directories)).toEqual([]);

    await writeFile(join(commonDir, "refs/heads/other.lock"), "");
    const other = worktrees.create({ repository, name: "w", branch: "other", owner: OWNER });
    await expect(other).rejects.toMatchObject({ code: "locked" });
    expect(leftovers(commonDir, directories)).toEqual(["refs/heads/other.lock"]);
  });

  test("of the developer's main checkout hinders nobody and is not touched", async () => {
    const { commonDir, create, worktrees, directories } = await deadScene();
    const locks = ["HEAD.lock", "config.lock", "index.lock", "packed-refs.lock"];
    for (const name of locks) await writeFile(join(commonDir, name), "");
    await worktrees.remove((await create()).entry);
    expect(leftovers(commonDir, directories).sort()).toEqual(locks);
  });
});

describe("a failure", () => {
  test("of the checkout leaves neither worktree nor branch", async () => {
    const { commonDir, create, repository, directories } = await deadScene();
    const unstall = await stallCheckouts(repository);
    await git(["config", "filter.stall.smudge", "false"], repository);
    await expect(create()).rejects.toMatchObject({ name: "GitError" });
    expect(leftovers(commonDir, directories)).toEqual([]);
    expect(await git(["branch", "--list", "a/b"], repository)).toBe("");
    await unstall();
  });

  test.runIf(process.geteuid?.() === 0)(
    "of the disk is told as such, and it works when there is room",
    async () => {
      const { repository, commonDir, root } = await deadScene();
      const size = 2 * 1024 * 1024;
      await writeFile(join(repository, "large"), randomBytes(size));
      await git(["add", "large"], repository);
      await git(["commit", "--quiet", "--message=large"], repository);
      const small = join(root, "small");
      await mkdir(small, { mode: 0o755 });
      const mount = (...args: string[]) =>
        execFileSync("mount", ["-t", "tmpfs", ...args, "tmpfs", small]);
      mount("-o", `size=${size}`);
      onTestFinished(() => void execFileSync("umount", [small]));
      const { worktrees, directories } = await openWorktrees(join(small, "data"));
      const create = () => worktrees.create({ repository, name: "w", branch: "b", owner: OWNER });
      await expect(create()).rejects.toMatchObject({ code: "disk-full" });
      expect(leftovers(commonDir, directories)).toEqual([]);
      mount("-o", `remount,size=${4 * size}`);
      await worktrees.remove((await create()).entry);
      expect(leftovers(commonDir, directories)).toEqual([]);
    },
  );

  test("by abort, in the checkout or in line for the lock, leaves nothing", async () => {
    const { commonDir, worktrees, repository, directories, root } = await deadScene();
    await stallCheckouts(repository);
    const abort = new AbortController();
    const { signal } = abort;
    const creating = worktrees.create({ repository, name: "w", branch: "x", owner: OWNER, signal });
    await waitUntil("the checkout", () => checkoutsBelow(directories.workspaces).length > 0);
    abort.abort();
    await expect(creating).rejects.toMatchObject({ code: "aborted" });
    await expect(
      worktrees.create({ repository, name: "w", owner: OWNER, signal }),
    ).rejects.toMatchObject({ code: "aborted" });
    expect(leftovers(commonDir, directories)).toEqual([]);
    expect(checkoutsBelow(root)).toEqual([]);
  });
});

function checkoutsBelow(directory: string): number[] {
  return processesIn([directory], process.geteuid?.() ?? 0);
}
