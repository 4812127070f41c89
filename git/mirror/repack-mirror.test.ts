// Many packs become few: nothing is lost, nobody who reads or links them notices, and a kill leaves nothing.
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, linkSync, readdirSync } from "node:fs";
import { cp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git } from "../../test/support/make-repository.ts";
import { mirrorProcess, mirrorScene } from "../../test/support/mirror-scene.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { type SeededRandom, seededRandom } from "../../test/support/seeded-random.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { RepositoryLocks } from "../lock/repository-lock.ts";
import { packsToJoin } from "./pack-progression.ts";
import { repackMirror } from "./repack-mirror.ts";
import { USUAL_REFS } from "./update-mirror.ts";

const packsOf = (gitDir: string) =>
  readdirSync(join(gitDir, "objects/pack")).filter((name) => name.endsWith(".pack"));

const objectsOf = (gitDir: string) =>
  git([...["--git-dir", gitDir, "cat-file", "--batch-all-objects"], "--batch-check"]);

/** One pack with so many objects that nothing refers to. */
function addPack(gitDir: string, objects: number, random: SeededRandom): void {
  const blobs = Array.from({ length: objects }, () => {
    const content = `${random.below(2 ** 31)} ${random.below(2 ** 31)}`;
    return `blob\ndata ${content.length}\n${content}\n`;
  });
  const args = ["-c", "fastimport.unpackLimit=0", "--git-dir", gitDir, "fast-import", "--quiet"];
  expect(spawnSync("git", args, { input: blobs.join("") }).status).toBe(0);
}

async function mirrorOfManyPacks(count = 12) {
  const scene = await mirrorScene();
  const { mirrors, remote, set, newCommit, gitDir, idOf } = scene;
  const start = await idOf("main");
  for (let number = 0; number < count; number++) {
    await set("refs/heads/main", await newCommit(start, `forced ${number}`)); // the one before is lost to all refs
    await mirrors.fetch(remote, USUAL_REFS);
  }
  expect(packsOf(gitDir)).toHaveLength(count);
  return { ...scene, mirror: { gitDir } };
}

test("many packs become few, with every object that was there, also those without a ref", async () => {
  const { mirror, gitDir, locks, mirrors, remote, set, newCommit } = await mirrorOfManyPacks();
  const [objects, refs] = [await objectsOf(gitDir), await git(["--git-dir", gitDir, "show-ref"])];
  const count = packsOf(gitDir).length;
  const outcome = await repackMirror(mirror, locks);
  expect(outcome).toEqual({ kind: "repacked", joined: count - 1, packs: 2 });
  expect(await objectsOf(gitDir)).toBe(objects);
  expect(await git(["--git-dir", gitDir, "show-ref"])).toBe(refs);
  expect(readdirSync(join(gitDir, "objects")).sort()).toEqual(["info", "pack"]);
  expect(existsSync(join(gitDir, "objects/info/commit-graph"))).toBe(true);
  await git(["--git-dir", gitDir, "fsck", "--strict"]);
  expect(await repackMirror(mirror, locks)).toEqual({ kind: "not-needed", packs: 2 });
  await set("refs/heads/main", await newCommit("main", "after"));
  await mirrors.fetch(remote, USUAL_REFS);
  await git(["--git-dir", gitDir, "fsck", "--strict"]);
});

test("loose objects, which no template could link, are packed too", async () => {
  const { mirrors, remote, gitDir, locks } = await mirrorScene();
  const mirror = await mirrors.fetch(remote, USUAL_REFS);
  const loose = spawnSync("git", ["--git-dir", gitDir, "hash-object", "-w", "--stdin"], {
    input: "loose",
  });
  expect(await repackMirror(mirror, locks)).toMatchObject({ kind: "repacked", joined: 0 });
  expect(readdirSync(join(gitDir, "objects")).sort()).toEqual(["info", "pack"]);
  expect(await objectsOf(gitDir)).toContain(loose.stdout.toString("utf8").trim());
});

test("a fetch that runs is not waited for", async () => {
  const { mirror, gitDir, locks } = await mirrorOfManyPacks(9);
  const before = packsOf(gitDir);
  const busy = await locks.holdLong(gitDir, { purpose: "test" }, () => repackMirror(mirror, locks));
  expect(busy).toEqual({ kind: "busy" });
  expect(packsOf(gitDir)).toEqual(before);
});

test("whoever borrows from the mirror, or links its packs under the lock, notices nothing", async () => {
  const { root, mirror, gitDir, locks, data } = await mirrorOfManyPacks();
  const random = seededRandom(7);
  const borrower = join(root, "borrower.git");
  await git(["clone", "--quiet", "--bare", "--shared", gitDir, borrower]);
  const all = (await objectsOf(gitDir)).split("\n").map((line) => line.split(" ")[0] ?? "");
  let isOver = false;
  let rounds = 0;
  const reading = (async () => {
    for (; !isOver; rounds++) {
      await git(["--git-dir", borrower, "cat-file", "--batch-all-objects", "--batch-check"]);
      await git(["--git-dir", borrower, "rev-list", "--objects", "--all"]);
      await git(["--git-dir", borrower, "cat-file", "-e", all[rounds % all.length] ?? ""]);
    }
  })();
  const linker = new RepositoryLocks(join(data, "locks"));
  const linking = (async () => {
    for (; !isOver; rounds++) await linkAndCheck(gitDir, linker, join(root, "linked.git"), all);
  })();
  for (let round = 0; round < 4; round++) {
    for (let pack = 0; pack < 10; pack++) addPack(gitDir, 1 + random.below(30), random);
    expect(await repackMirror(mirror, locks)).toMatchObject({ kind: "repacked" });
    const seen = rounds;
    await waitUntil("readers", () => rounds > seen);
  }
  isOver = true;
  await Promise.all([reading, linking]);
  expect(rounds).toBeGreaterThan(4);
});

/** As templates do: read the list of packs, then link them, both under the repository lock. */
async function linkAndCheck(
  gitDir: string,
  locks: RepositoryLocks,
  target: string,
  objects: string[],
) {
  await git(["init", "--quiet", "--bare", target]);
  const [from, to] = [join(gitDir, "objects/pack"), join(target, "objects/pack")];
  await locks.hold(gitDir, { purpose: "link" }, async () => {
    const names = readdirSync(from).filter((name) => /\.(pack|idx|rev)$/.test(name));
    for (const name of names) {
      await new Promise(setImmediate); // whoever does not take the lock gets every chance
      linkSync(join(from, name), join(to, name));
    }
  });
  const there = new Set((await objectsOf(target)).split("\n").map((line) => line.split(" ")[0]));
  expect(objects.filter((object) => !there.has(object))).toEqual([]);
  await rm(target, { recursive: true });
}

test("killed anywhere in a repacking, the mirror is whole, and the next one clears up", async () => {
  const { mirror, gitDir, locks, data, remote } = await mirrorOfManyPacks();
  const random = seededRandom(3);
  const objects = (await objectsOf(gitDir)).split("\n");
  const repackMirrorFile = join(import.meta.dirname, "repack-mirror.ts");
  const body = `const { repackMirror } = await import(${JSON.stringify(repackMirrorFile)});
    await repackMirror({ gitDir: mirrors.pathOf(remote) }, new RepositoryLocks(data + "/locks"));`;
  for (let round = 0; round < 6; round++) {
    for (let pack = 0; pack < 10; pack++) addPack(gitDir, 1 + random.below(300), random);
    const before = packsOf(gitDir).join();
    const child = mirrorProcess(data, remote, body);
    const isPacking = () =>
      packsOf(gitDir).join() !== before ||
      readdirSync(join(gitDir, "objects/pack")).some((name) => name.startsWith("tmp_"));
    await waitUntil("the repacking", () => isPacking() || child.exitCode !== null);
    child.kill("SIGKILL");
    await once(child, "exit");
    const there = new Set((await objectsOf(gitDir)).split("\n"));
    expect(objects.filter((object) => !there.has(object))).toEqual([]);
    await waitUntil("its git to end", async () => {
      return (await repackMirror(mirror, locks)).kind !== "busy";
    });
    const names = readdirSync(join(gitDir, "objects/pack"));
    expect(names.filter((name) => !/^pack-[0-9a-f]{40}\.(pack|idx)$/.test(name))).toEqual([]);
    await git(["--git-dir", gitDir, "fsck", "--strict"]);
  }
});

test("the same packs are joined as by git itself", async () => {
  const root = await scratchDirectory();
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const random = seededRandom(seed);
    const [ours, theirs] = [join(root, `ours-${seed}.git`), join(root, `theirs-${seed}.git`)];
    await git(["init", "--quiet", "--bare", ours]);
    const sizes = Array.from({ length: 2 + random.below(10) }, () => 1 + random.below(200));
    for (const size of sizes) addPack(ours, size, random);
    await cp(ours, theirs, { recursive: true });
    await git(["--git-dir", theirs, "repack", "-d", "--geometric=2", "--quiet"]);
    const packs = sizes.map((objects, number) => ({ name: `pack-${number}`, objects }));
    const joined = packsToJoin(packs);
    const left = joined.length > 1 ? packs.length - joined.length + 1 : packs.length;
    expect({ seed, left }).toEqual({ seed, left: packsOf(theirs).length });
  }
});

test("an index that is cut off is told, not guessed", async () => {
  const { mirrors, remote, gitDir, locks } = await mirrorScene();
  const mirror = await mirrors.fetch(remote, USUAL_REFS);
  await writeFile(join(gitDir, `objects/pack/pack-${"a".repeat(40)}.idx`), "short");
  await expect(repackMirror(mirror, locks)).rejects.toThrow("it is cut off");
});
