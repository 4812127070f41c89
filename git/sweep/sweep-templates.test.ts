// Templates stay within their budget, and nobody who uses one, or is about to, notices.
import { existsSync, mkdirSync, readdirSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { findLeftovers } from "../../test/support/find-leftovers.ts";
import { gitProcess } from "../../test/support/git-process.ts";
import { idle } from "../../test/support/idle.ts";
import { treeOf } from "../../test/support/import-commits.ts";
import { type ScratchStory, scratchStory } from "../../test/support/scratch-story.ts";
import type { GitOptions } from "../open-git.ts";

const isRoot = process.getuid?.() === 0;
const owner = { owner: "local" };

/** Each commit differs so much from the last that its template is a whole one, unless `isNear`. */
async function scratchTemplates(count: number, isNear: boolean, options: Partial<GitOptions>) {
  const trees = Array.from({ length: count }, (_, version) =>
    treeOf(
      Object.fromEntries(
        Array.from({ length: 30 }, (_, number) => [
          `${number}.txt`,
          number === 0 || !isNear ? `${version} ${number}\n` : `${number}\n`,
        ]),
      ),
    ),
  );
  const scratch = await scratchStory(trees, options);
  for (const commit of scratch.story) await scratch.git.templates.get(scratch.mirror, commit);
  await scratch.git.templates.idle();
  return { ...scratch, home: scratch.git.templates.directoryOf(scratch.mirror) };
}

/** `number` days ago. */
function lastUsed(directory: string, days: number): void {
  const when = Date.now() / 1000 - days * 86_400;
  utimesSync(directory, when, when);
}

function namesOf({ story }: ScratchStory, home: string): string[] {
  return readdirSync(home)
    .map((name) => `${story.findIndex((commit) => name.startsWith(commit))}${name.slice(40)}`)
    .sort();
}

const WHOLE_BYTES = 30 * (4096 + 100);

test.skipIf(!isRoot)("the least recently used templates go until the rest fits", async () => {
  const scratch = await scratchTemplates(4, false, { templateBudgetBytes: 2 * WHOLE_BYTES });
  const { git, home, story } = scratch;
  for (const [number, days] of [3, 1, 4, 2].entries())
    lastUsed(join(home, `${story[number]}f`), days);
  const { removed, kept, failed } = await git.sweep();
  expect(namesOf(scratch, home)).toEqual(["1f", "3f"]);
  expect({ removed, kept, failed }).toEqual({
    removed: [join(home, `${story[2]}f`), join(home, `${story[0]}f`)],
    kept: [],
    failed: [],
  });
  expect((await git.sweep()).removed).toEqual([]);
});

test.skipIf(!isRoot)(
  "a template in use stays, and so does every layer that another stands on",
  async () => {
    const scratch = await scratchTemplates(4, true, { templateBudgetBytes: 0 });
    const { git, home, mirror, story } = scratch;
    const [base, , third] = story;
    if (base === undefined || third === undefined) throw new Error("no story");
    expect(namesOf(scratch, home)).toEqual(["0f", "1d", "2d", "3d"]);
    const workspace = await git.workspaces.createAt(mirror, third, { name: "user", owner });
    for (let sweeps = 0; sweeps < 4; sweeps++) await git.sweep();
    expect(namesOf(scratch, home)).toEqual(["0f", "1d", "2d"]);
    const { stdout, exitCode } = await workspace.run(["sh", "-c", "git status -s; cat 0.txt"]);
    expect({ exitCode, said: stdout.toString() }).toEqual({ exitCode: 0, said: "2 0\n" });
    await workspace.remove();
    await git.sweep();
    expect(namesOf(scratch, home)).toEqual(["0f", "1d"]); // one layer a sweep
    for (let sweeps = 0; sweeps < 2; sweeps++) await git.sweep();
    expect(namesOf(scratch, home)).toEqual([]);
  },
);

test.skipIf(!isRoot)(
  "what a killed sweep or builder left goes, what is not ours is kept and reported",
  async () => {
    const scratch = await scratchTemplates(3, false, {});
    const { git, home, mirror, story } = scratch;
    const [first, second, third] = story;
    if (first === undefined || third === undefined) throw new Error("no story");
    renameSync(join(home, `${first}f`), join(home, `${first}f.leaving`));
    writeFileSync(join(home, `${second}f`, "template.json"), "");
    mkdirSync(join(home, `${third}f.leaving`)); // of an earlier one of that name
    mkdirSync(join(home, "notes"));
    writeFileSync(join(git.directories.templates, "README"), "hands off");
    const { removed, kept, failed } = await git.sweep();
    expect(removed.map((path) => basename(path)).sort()).toEqual(
      [`${first}f.leaving`, `${second}f`, `${third}f.leaving`].sort(),
    );
    expect(kept.map(({ path }) => basename(path)).sort()).toEqual(["README", "notes"]);
    expect(failed).toEqual([]);
    expect(readdirSync(home).sort()).toEqual([`${third}f`, "notes"].sort());
    await git.workspaces
      .createAt(mirror, first, { name: "again", owner })
      .then((made) => made.remove());
  },
);

test.skipIf(!isRoot)(
  "another process that evicts all the time never makes the creation of a workspace fail",
  async () => {
    const scratch = await scratchTemplates(3, true, {});
    const { git, data, origin, mirror, story } = scratch;
    const evictor = gitProcess({
      ...{ data, origin },
      body: `
        const { sweep } = await import(${JSON.stringify(new URL("./sweep.ts", import.meta.url).href)});
        const { directories, ledger, workspaces } = git;
        let isOver = false;
        void told().then(() => { isOver = true; });
        let evicted = 0;
        while (!isOver) {
          const parts = { directories, locks: git.locks, ledger, workspaces, budgetBytes: 0, jobUser: git.platform.jobUser };
          const { removed, failed } = await sweep(parts);
          evicted += removed.filter((path) => path.startsWith(directories.templates)).length;
          for (const { path, reason } of failed) say("could not remove " + path + ": " + reason);
          if (evicted > 0) say("evicting");
        }
        say("evicted " + evicted);`,
    });
    await evictor.hasSaid("evicting");
    for (let round = 0; round < 100; round++) {
      const made = await Promise.all(
        story.map((commit) =>
          git.workspaces.createAt(mirror, commit, { name: `round-${round}`, owner }),
        ),
      );
      for (const { path } of made) expect(existsSync(join(path, "29.txt"))).toBe(true);
      await Promise.all(made.map((workspace) => workspace.remove()));
    }
    evictor.tell();
    const said = (await evictor.ended()).filter((line) => line !== "evicting");
    expect(said).toHaveLength(1);
    expect(Number(said[0]?.replace("evicted ", ""))).toBeGreaterThan(0);
    await idle(git);
    await git.sweep();
    expect(findLeftovers(data, [mirror.gitDir])).toEqual([]);
  },
  180_000,
);
