// Many at once on one repository, from several processes and beside the developer's own git, without one error.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { projectRoot } from "../../scripts/source-files.ts";
import { git } from "../../test/support/make-repository.ts";
import { ORDINARY_UID } from "../../test/support/ordinary-user.ts";
import {
  exitCode,
  giveTree,
  leftovers,
  OWNER,
  workElsewhere,
  worktreeScene,
} from "../../test/support/worktree-scene.ts";

/** Creates, commits to and removes so many worktrees at once; a single error ends it with another exit code. */
const churn = (name: string, times: number) => `
  import { execFile } from "node:child_process";
  import { promisify } from "node:util";
  const identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
  const commit = ["commit", "--quiet", "--allow-empty", "--message=work"];
  await Promise.all(Array.from({ length: ${times} }, async (_, number) => {
    const branch = number % 3 === 0 ? undefined : "${name}/" + number;
    const made = await worktrees.create({ repository, name: "${name}", branch, owner });
    await promisify(execFile)("git", ["-C", made.path, ...identity, ...commit]);
    const { isGone, kept } = await worktrees.remove(made.entry);
    if (!isGone || kept.length > 0) throw new Error(JSON.stringify(kept));
  }));`;

test("10 at once in each of 2 processes, and 10 here: no error, nothing left", async () => {
  const { worktrees, repository, commonDir, data, directories } = await worktreeScene();
  const others = ["one", "two"].map((name) => workElsewhere(data, repository, churn(name, 10)));
  await Promise.all(
    Array.from({ length: 10 }, async (_, number) => {
      const branch = `here/${number}`;
      const made = await worktrees.create({ repository, name: "here", branch, owner: OWNER });
      await git(["commit", "--quiet", "--allow-empty", "--message=work"], made.path);
      await worktrees.remove(made.entry);
    }),
  );
  expect(await Promise.all(others.map(exitCode))).toEqual([0, 0]);
  expect(leftovers(commonDir, directories)).toEqual([]);
  expect((await git(["branch", "--list", "*/*"], repository)).split("\n")).toHaveLength(10 + 6 + 6);
  expect(await git(["fsck", "--strict", "--no-dangling"], repository)).toBe("");
});

test("5 workers and 3 other callers never wait for each other for ever", async () => {
  const { worktrees, repository, commonDir, data, directories } = await worktreeScene();
  const others = [1, 2, 3].map((number) =>
    workElsewhere(data, repository, churn(`other-${number}`, 2)),
  );
  const worker = async (number: number) => {
    for (let round = 0; round < 4; round++) {
      const branch = `worker/${number}`; // the same again and again
      const made = await worktrees.create({ repository, name: "worker", branch, owner: OWNER });
      await worktrees.removeStale(commonDir);
      await worktrees.remove(made.entry);
    }
  };
  await Promise.all([1, 2, 3, 4, 5].map(worker));
  expect(await Promise.all(others.map(exitCode))).toEqual([0, 0, 0]);
  expect(leftovers(commonDir, directories)).toEqual([]);
});

test("of many that want one branch at once exactly one gets it", async () => {
  const { worktrees, repository, commonDir, directories } = await worktreeScene();
  const outcomes = await Promise.allSettled(
    Array.from({ length: 6 }, () =>
      worktrees.create({ repository, name: "w", branch: "wanted", owner: OWNER }),
    ),
  );
  const made = outcomes.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const refused = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []));
  expect(made).toHaveLength(1);
  expect(refused).toEqual(Array.from({ length: 5 }, () => "branch-in-use"));
  for (const { entry } of made) await worktrees.remove(entry);
  expect(leftovers(commonDir, directories)).toEqual([]);
});

test("the developer's git adds, removes and prunes worktrees meanwhile", async () => {
  const { worktrees, root, repository, commonDir, directories } = await worktreeScene();
  const script = `cd '${repository}'
    while :; do
      git worktree add --detach --quiet ../theirs && git worktree remove --force ../theirs
      git worktree prune --expire=now
    done`;
  const developer = spawn("sh", ["-c", script], { stdio: "ignore", detached: true });
  const stop = () => developer.exitCode ?? process.kill(-(developer.pid ?? 0), "SIGKILL");
  onTestFinished(() => void (developer.killed || developer.signalCode || stop()));
  for (let round = 0; round < 5; round++) {
    await Promise.all(
      [1, 2, 3].map(async (number) => {
        const branch = `topic/${number}`;
        const made = await worktrees.create({ repository, name: "w", branch, owner: OWNER });
        expect(await git(["status", "--porcelain"], made.path)).toBe("");
        await worktrees.remove(made.entry);
      }),
    );
  }
  stop();
  await exitCode(developer);
  await git(["worktree", "prune", "--expire=now"], repository);
  const ours = (name: string) => !name.includes("theirs"); // his git was killed, and left what it leaves
  expect(leftovers(commonDir, directories).filter(ours)).toEqual([]);
  expect(existsSync(join(root, "data"))).toBe(true);
});

test.runIf(process.geteuid?.() === 0)(
  "an ordinary user works in his own repository, not in others'",
  async () => {
    const { root, repository, origin, data } = await worktreeScene();
    for (const path of [repository, data]) giveTree(path, ORDINARY_UID);
    const work = `
    import assert from "node:assert";
    const made = await worktrees.create({ repository, name: "w", branch: "b", owner });
    await worktrees.remove(made.entry);
    assert.deepEqual(await ledger.list(), []);
    await assert.rejects(worktrees.create({ repository: ${JSON.stringify(origin)}, name: "w", owner }), { code: "unsafe-repository" });`;
    // The project may lie in a directory of root's: it is bound to a place that everybody can enter.
    const drop = `setpriv --reuid=${ORDINARY_UID} --regid=${ORDINARY_UID} --clear-groups`;
    const script = `mount --bind '${projectRoot}' /mnt && cd /mnt && exec ${drop} "$@"`;
    const wrapper = ["unshare", "--mount", "sh", "-ec", script, "sh"];
    const child = workElsewhere(data, repository, work, { wrapper, project: "/mnt" });
    expect(await exitCode(child)).toBe(0);
    expect(existsSync(join(root, "origin.git/croft.lock"))).toBe(false);
  },
);
