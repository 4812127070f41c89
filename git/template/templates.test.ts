// Templates are built once, trusted only with their marker, kept shallow, and never changed by those who stand on them.
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { gitProcess } from "../../test/support/git-process.ts";
import { treeOf } from "../../test/support/import-commits.ts";
import { differences, readCheckout } from "../../test/support/read-checkout.ts";
import { type ScratchStory, scratchStory } from "../../test/support/scratch-story.ts";
import type { CommitId } from "../remote/commit-id.ts";
import { MARKER, type TemplateMarker } from "./template-marker.ts";

const isRoot = process.getuid?.() === 0;
const owner = { owner: "local" };

function storyOf(commits: number) {
  const files = Object.fromEntries(
    Array.from({ length: 40 }, (_, number) => [`src/${number % 5}/${number}.txt`, `${number}\n`]),
  );
  return Array.from({ length: commits }, (_, number) =>
    treeOf({ ...files, version: `${number}\n`, [`src/${number % 5}/new-${number}`]: "new\n" }),
  );
}

async function firstTwo(scratch: ScratchStory): Promise<[CommitId, CommitId]> {
  const [first, second] = scratch.story;
  if (first === undefined || second === undefined) throw new Error("the story is too short");
  return [first, second];
}

const inodeOf = (path: string) => statSync(path).ino;

/** In a workspace on it, what is there and what git thinks of it. */
async function expectSound({ git, mirror }: ScratchStory, commit: CommitId): Promise<void> {
  const workspace = await git.workspaces.createAt(mirror, commit, { name: "sound", owner });
  const script = "git rev-parse HEAD && git status --porcelain && git fsck --no-dangling";
  const { stdout, exitCode } = await workspace.run(["sh", "-c", script]);
  expect({ exitCode, said: stdout.toString() }).toEqual({ exitCode: 0, said: `${commit}\n` });
  await workspace.remove();
}

test.skipIf(!isRoot)(
  "a chain of templates is never deeper than eight, and is flattened in the background",
  async () => {
    const scratch = await scratchStory(storyOf(20));
    const { git, mirror, story } = scratch;
    const depths: number[] = [];
    for (const commit of story) {
      depths.push((await git.templates.get(mirror, commit)).layers.length);
      await git.templates.idle();
    }
    const flat = story.filter((commit) =>
      existsSync(join(git.templates.directoryOf(mirror), `${commit}f`)),
    );
    expect(depths).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 2, 3, 4, 5, 6, 7, 8, 2, 3, 4, 5, 6]);
    expect(flat).toEqual([story[0], story[7], story[14]]);
    for (const commit of flat) {
      expect(git.templates.find(mirror, commit)?.directory.endsWith(`${commit}f`)).toBe(true);
    }
  },
  120_000,
);

test.skipIf(!isRoot)(
  "without the time to flatten a chain stays within eight too",
  async () => {
    const scratch = await scratchStory(storyOf(20));
    const { git, mirror, story } = scratch;
    const made = story.map((commit) => git.templates.get(mirror, commit)); // all at once
    const depths = (await Promise.all(made)).map(({ layers }) => layers.length);
    expect(Math.max(...depths)).toBeLessThanOrEqual(8);
    await git.templates.idle();
    for (const commit of story.slice(-2)) await expectSound(scratch, commit);
  },
  120_000,
);

test.skipIf(!isRoot)(
  "two processes that ask for the same template at once build it once",
  async () => {
    const scratch = await scratchStory(storyOf(2));
    const { git, data, origin, mirror, story } = scratch;
    const body = `
      const { statSync } = await import("node:fs");
      say("ready");
      await told();
      for (const commit of ${JSON.stringify(story)}) {
        const { directory } = await git.templates.get(mirror, commitId(commit));
        say(commit + " " + statSync(directory).ino);
      }
      await git.close();
      say("done");`;
    const processes = [1, 2, 3].map(() => gitProcess({ data, origin, body }));
    for (const one of processes) await one.hasSaid("ready");
    for (const one of processes) one.tell();
    for (const one of processes) await one.hasSaid("done");
    const expected = story.map((commit, number) => {
      const name = `${commit}${number === 0 ? "f" : "d"}`;
      return `${commit} ${inodeOf(join(git.templates.directoryOf(mirror), name))}`;
    });
    for (const one of processes) {
      expect(one.said.filter((line) => line !== "ready" && line !== "done")).toEqual(expected);
    }
    expect(readdirSync(git.templates.directoryOf(mirror))).toHaveLength(2);
  },
);

function rewriteMarker(directory: string, change: Partial<TemplateMarker>): void {
  const marker = JSON.parse(readFileSync(join(directory, MARKER), "utf8"));
  writeFileSync(join(directory, MARKER), JSON.stringify({ ...marker, ...change }));
}

const otherBoot = "00000000-0000-0000-0000-000000000000";
const DAMAGES: readonly [what: string, damage: (directory: string) => void][] = [
  ["is missing", (directory) => rmSync(join(directory, MARKER))],
  ["is empty", (directory) => writeFileSync(join(directory, MARKER), "")],
  ["is cut short", (directory) => writeFileSync(join(directory, MARKER), '{"version":1,"com')],
  ["is of another version", (directory) => rewriteMarker(directory, { version: 2 as 1 })],
  ["is another's", (directory) => rewriteMarker(directory, { layers: [`${"1".repeat(40)}f`] })],
  [
    "is from before a restart of the machine, and not synced",
    (directory) => rewriteMarker(directory, { boot: otherBoot, isSynced: false }),
  ],
];

test.skipIf(!isRoot).each(DAMAGES)(
  "a template whose marker %s is built anew",
  async (_what, damage) => {
    const scratch = await scratchStory(storyOf(2));
    const { git, mirror } = scratch;
    const [first, second] = await firstTwo(scratch);
    const { directory: base } = await git.templates.get(mirror, first);
    const { directory } = await git.templates.get(mirror, second);
    await git.templates.idle();
    const before = { base: inodeOf(base), delta: inodeOf(directory) };

    damage(directory);
    expect(git.templates.find(mirror, second)).toBeUndefined();
    await expectSound(scratch, second);
    await git.templates.idle();
    expect(inodeOf(directory)).not.toBe(before.delta);
    expect(inodeOf(base)).toBe(before.base);

    damage(base); // then what stands on it is worth nothing either
    expect(git.templates.find(mirror, second)).toBeUndefined();
    await expectSound(scratch, second);
    await expectSound(scratch, first);
  },
);

test.skipIf(!isRoot)("a synced template is trusted after a restart of the machine", async () => {
  const scratch = await scratchStory(storyOf(1));
  const { git, mirror, story } = scratch;
  const [commit] = story;
  if (commit === undefined) throw new Error("no story");
  const { directory } = await git.templates.get(mirror, commit);
  await git.templates.idle();
  rewriteMarker(directory, { boot: otherBoot });
  expect(git.templates.find(mirror, commit)?.directory).toBe(directory);
});

test.skipIf(!isRoot)("a template whose lower layer is gone is built anew", async () => {
  const scratch = await scratchStory(storyOf(2));
  const { git, mirror } = scratch;
  const [first, second] = await firstTwo(scratch);
  const { directory: base } = await git.templates.get(mirror, first);
  await git.templates.get(mirror, second);
  await git.templates.idle();
  rmSync(base, { recursive: true });
  expect(git.templates.find(mirror, second)).toBeUndefined();
  await expectSound(scratch, second);
  expect(
    git.templates.find(mirror, second)?.layers.map((layer) => basename(join(layer, ".."))),
  ).toEqual([`${second}f`]);
});

/** As a job would, on purpose or not. */
const RAVAGE = `
  rm -rf src; echo changed > version; chmod -R a+rwx . ; git mv version moved
  mkdir -p src && echo new > src/new; git add -A && git commit --quiet -m ravage
  git config core.bare false; git branch -D main 2>/dev/null; echo junk > .git/packed-refs
  git reflog expire --expire=now --all; git gc --quiet --prune=now; rm -rf .git/refs; rm -rf .git/objects
  find . -type f -exec sh -c 'echo over > "$1"' sh {} ';'
  true`;

test.skipIf(!isRoot)(
  "nothing that jobs do in their workspaces changes a template or the mirror",
  async () => {
    const scratch = await scratchStory(storyOf(3));
    const { git, mirror, story } = scratch;
    for (const commit of story) await git.templates.get(mirror, commit);
    await git.templates.idle();
    const all = () =>
      new Map([
        ...[...readCheckout(git.directories.templates)].map(
          ([path, is]) => [`t/${path}`, is] as const,
        ),
        ...[...readCheckout(mirror.gitDir)].map(([path, is]) => [`m/${path}`, is] as const),
      ]);
    const before = all();
    for (const commit of story) {
      const plans = ["overlay", "clone"] as const;
      for (const kind of plans) {
        const plan = { name: "ravage", owner, kind, branch: "ravaged" };
        const workspace = await git.workspaces.createAt(mirror, commit, plan);
        const { exitCode } = await workspace.run(["sh", "-c", RAVAGE]);
        expect(exitCode).toBe(0);
        await workspace.remove();
      }
    }
    expect(differences(before, all())).toEqual([]);
    expect(before.size).toBeGreaterThan(100);
    for (const commit of story) await expectSound(scratch, commit);
  },
);
