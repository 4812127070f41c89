// Results of runs that nobody wants give their disk back, beside everybody who works with the others.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findLeftovers } from "../../test/support/find-leftovers.ts";
import { gitProcess } from "../../test/support/git-process.ts";
import { git as plainGit } from "../../test/support/make-repository.ts";
import { resultScene } from "../../test/support/result-scene.ts";
import { seededRandom } from "../../test/support/seeded-random.ts";
import { runRef } from "./result-ref.ts";

const BIG = 200_000;

function sizeOf(gitDir: string): number {
  return Number(execFileSync("du", ["-sk", gitDir], { encoding: "utf8" }).split("\t")[0]) * 1024;
}

async function scene() {
  const results = await resultScene();
  const { git, holder, gitDir, remote } = results;
  const refs = async () =>
    (await plainGit(["--git-dir", gitDir, "for-each-ref", "--format=%(refname)"])).split("\n");
  /** What a step of this run leaves: one more file, which cannot be made small by packing. */
  const record = async (run: string) => {
    const owner = { owner: holder.owner };
    const workspace = await git.workspaces.create({ repository: remote, name: run, owner });
    try {
      const script = `head -c ${BIG} /dev/urandom > "$1.bin"`;
      await workspace.run(["sh", "-c", script, "sh", run]);
      return await workspace.result({ ref: runRef(run, "step") });
    } finally {
      await workspace.remove();
    }
  };
  return { ...results, refs, record };
}

test("what a run left goes with it, what others left stays whole", async () => {
  const { git, gitDir, record, refs, holder, data } = await scene();
  const kept = await record("kept");
  for (const nth of [2, 3, 4]) await record(`gone-${nth}`);
  const before = sizeOf(gitDir);
  const asked: string[] = [];
  const outcome = await git.results.collect(async (runs) => {
    asked.push(...runs);
    return new Set(["kept", "setup"]);
  });
  expect(asked).toEqual(expect.arrayContaining(["kept", "gone-2", "gone-3", "gone-4"]));
  expect(outcome.failed).toEqual([]);
  expect(outcome.repacked).toEqual([gitDir]);
  expect(sizeOf(gitDir)).toBeLessThan(before - 2 * BIG);
  expect((await refs()).every((ref) => /\/(kept|setup)\//.test(ref))).toBe(true);
  expect(await plainGit(["--git-dir", gitDir, "fsck", "--strict", "--no-dangling"])).toBe("");
  const changes = await git.results.changes({ ...holder, from: kept.base, to: kept.commit });
  expect(changes).toEqual([{ path: "kept.bin", isRemoved: false }]);
  expect(await git.results.collect(async () => new Set(["kept", "setup"]))).toMatchObject({
    ...{ forgotten: [], repacked: [] },
  });
  expect(findLeftovers(data, [])).toEqual([]);
});

test("with no run left nothing is left, and results can be recorded again", async () => {
  const { git, gitDir, record } = await scene();
  await record("one");
  await git.results.collect(async () => new Set());
  expect(readdirSync(join(gitDir, "objects/pack"))).toEqual([]);
  await record("two");
  expect(await plainGit(["--git-dir", gitDir, "fsck", "--strict", "--no-dangling"])).toBe("");
});

test("killed at any moment, the next pass goes on, and no result is lost", async () => {
  const { git, gitDir, record, data, origin, refs } = await scene();
  const random = seededRandom(5);
  await record("kept");
  for (let kill = 0; kill < 6; kill++) {
    await record(`gone-${kill}`);
    const other = gitProcess({
      ...{ data, origin },
      body: `say("begin"); await git.results.collect(async () => new Set(["kept"])); say("end");`,
    });
    await other.hasSaid("begin");
    await new Promise((resolve) => setTimeout(resolve, random.below(250)));
    other.signal("SIGKILL");
    await other.ended();
    expect(await plainGit(["--git-dir", gitDir, "fsck", "--strict", "--no-dangling"])).toBe("");
  }
  await git.sweep();
  await git.results.collect(async () => new Set(["kept"]));
  expect(await refs()).toEqual([runRef("kept", "step")]);
  expect(sizeOf(gitDir)).toBeLessThan(3 * BIG);
  expect(existsSync(join(gitDir, "croft-waste"))).toBe(false);
  expect(findLeftovers(data, [])).toEqual([]);
}, 60_000);

test("beside those who record, export and read, again and again", async () => {
  const { git, gitDir, record, holder } = await scene();
  const kept = new Set<string>();
  let isOver = false;
  const collecting = (async () => {
    let passes = 0;
    for (; !isOver; passes++) {
      const { failed } = await git.results.collect(async (runs) => {
        return new Set(runs.filter((run) => kept.has(run) || run === "setup"));
      });
      expect(failed).toEqual([]);
    }
    return passes;
  })();
  const made: { base: string; commit: string }[] = [];
  for (let nth = 0; nth < 8; nth++) {
    kept.add(`kept-${nth}`);
    const { base, commit } = await record(`kept-${nth}`);
    await record(`gone-${nth}`);
    await git.results.exportBundle({ ...holder, commit, base }, async ({ sizeBytes }) => {
      expect(sizeBytes).toBeGreaterThan(BIG / 4);
    });
    made.push({ base, commit });
  }
  isOver = true;
  expect(await collecting).toBeGreaterThan(1);
  expect(await plainGit(["--git-dir", gitDir, "fsck", "--strict", "--no-dangling"])).toBe("");
  for (const { commit } of made) await plainGit(["--git-dir", gitDir, "cat-file", "-e", commit]);
}, 60_000);

test("fences of attempts that are long over go", async () => {
  const { git, gitDir } = await scene();
  const directory = join(gitDir, "croft-fences");
  await mkdir(directory, { recursive: true });
  for (const name of ["old", "young"]) writeFileSync(join(directory, name), "2");
  utimesSync(join(directory, "old"), 1, 1);
  await git.results.collect(async () => new Set());
  expect(readdirSync(directory)).toEqual(["young"]);
});
