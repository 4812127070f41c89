// Kept commits outlive everything but their release; a mirror goes only when nobody wants it, and nobody is left without.
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git } from "../../test/support/make-repository.ts";
import { mirrorScene } from "../../test/support/mirror-scene.ts";
import { scratchGit } from "../../test/support/scratch-git.ts";
import { commitId } from "../remote/commit-id.ts";
import { resolveRef } from "../remote/resolve-ref.ts";
import { hasCommit } from "./is-reachable.ts";
import { KeptCommits } from "./kept-commits.ts";
import { leavingName } from "./leaving-mirror.ts";
import { repackMirror } from "./repack-mirror.ts";
import { sweepMirrors } from "./sweep-mirrors.ts";
import { USUAL_REFS } from "./update-mirror.ts";

/** A mirror with a commit that was on a branch, is kept, and has been forced away. */
async function keptScene() {
  const scene = await mirrorScene();
  const { mirrors, remote, locks, set, newCommit, origin, gitDir } = scene;
  const kept = new KeptCommits(mirrors, locks);
  const commit = commitId(await newCommit("main", "soon gone"));
  await set("refs/heads/side", commit);
  await mirrors.fetch(remote, USUAL_REFS);
  await kept.keep(remote, "watch-1", commit);
  await git(["--git-dir", origin, "update-ref", "-d", "refs/heads/side"]);
  const forget = async () => {
    await git(["--git-dir", origin, "reflog", "expire", "--expire=now", "--all"]);
    await git(["--git-dir", origin, "prune", "--expire=now"]);
  };
  return { ...scene, kept, commit, forget, place: { gitDir } };
}

test("a kept commit outlives fetches, repacking, even a prune, until it is released", async () => {
  const { kept, commit, mirrors, remote, locks, place, gitDir, idOf } = await keptScene();
  await mirrors.fetch(remote, USUAL_REFS);
  await repackMirror(place, locks);
  await git(["--git-dir", gitDir, "pack-refs", "--all"]);
  await git(["--git-dir", gitDir, "gc", "--quiet", "--prune=now"]);
  expect(await hasCommit(place, commit)).toBe(true);
  expect(await kept.list(remote)).toEqual([{ name: "watch-1", commit }]);
  const main = commitId(await idOf("main"));
  writeFileSync(join(gitDir, "packed-refs.lock"), ""); // of a git that was killed
  await kept.keep(remote, "watch-1", main);
  await kept.keep(remote, "watch-2", main);
  expect(await kept.release(remote, ["watch-1", "unknown"])).toBe(1);
  expect(await kept.list(remote)).toEqual([{ name: "watch-2", commit: main }]);
});

test("what is not there is not kept, nor under a name that leads elsewhere", async () => {
  const { kept, remote, commit } = await keptScene();
  const absent = kept.keep(remote, "x", commitId("1".repeat(40)));
  await expect(absent).rejects.toMatchObject({ code: "invalid-ref" });
  for (const name of ["", "a/b", "../x", "a..b", "x.lock", "-x", "x\ny"]) {
    await expect(kept.keep(remote, name, commit)).rejects.toThrow("not a name");
  }
});

test("a rebuilt mirror has what the remote still has, and what was sound", async () => {
  const { kept, commit, mirrors, remote, place, gitDir } = await keptScene();
  await mirrors.rebuild(remote); // its packs are sound
  expect(await kept.list(remote)).toEqual([{ name: "watch-1", commit }]);
  const packs = join(gitDir, "objects/pack");
  for (const name of readdirSync(packs)) rmSync(join(packs, name));
  await mirrors.rebuild(remote); // the remote gives out what it is asked for by its id
  expect(await kept.list(remote)).toEqual([{ name: "watch-1", commit }]);
  expect(await hasCommit(place, commit)).toBe(true);
});

test("what nobody has any more is not kept in a rebuilt mirror, and does not break it", async () => {
  const { kept, commit, mirrors, remote, place, gitDir, forget } = await keptScene();
  await forget();
  const packs = join(gitDir, "objects/pack");
  for (const name of readdirSync(packs)) rmSync(join(packs, name));
  await mirrors.rebuild(remote);
  expect(await kept.list(remote)).toEqual([]);
  expect(await hasCommit(place, commit)).toBe(false);
  expect(await git(["--git-dir", gitDir, "fsck", "--strict"])).toBe("");
});

test("a mirror that nobody wants goes with its templates, and comes back when it is asked for", async () => {
  const { git: croft, remote, mirror, commits } = await scratchGit();
  if (croft.platform.overlay.isPossible) await croft.templates.get(mirror, commits[0]);
  await croft.templates.idle();
  expect(await croft.removeMirror(remote, async () => true)).toEqual({ kind: "wanted" });
  expect(existsSync(mirror.gitDir)).toBe(true);
  expect(await croft.removeMirror(remote, async () => false)).toEqual({ kind: "removed" });
  const { mirrors, templates, trash, staging } = croft.directories;
  for (const directory of [mirrors, templates, trash, staging]) {
    expect(readdirSync(directory)).toEqual([]);
  }
  expect(await croft.removeMirror(remote, async () => false)).toEqual({ kind: "absent" });
  await croft.mirrors.ensure(remote, await resolveRef(remote, "main"));
  expect(await croft.contents.hasCommit(remote, commits[0])).toBe(true);
});

test("who says that it wants it while it is out of sight gets it back, as it was", async () => {
  const { git: croft, remote, mirror, commits } = await scratchGit();
  const [, commit = commits[0]] = commits;
  await croft.kept.keep(remote, "watch", commit);
  const seen: boolean[] = [];
  const outcome = await croft.removeMirror(remote, async () => {
    seen.push(existsSync(mirror.gitDir));
    return seen.length > 1;
  });
  expect([outcome, seen]).toEqual([{ kind: "wanted" }, [true, false]]);
  expect(await croft.kept.list(remote)).toEqual([{ name: "watch", commit }]);
  const failing = async () => {
    throw new Error("no database");
  };
  await expect(croft.removeMirror(remote, failing)).rejects.toThrow("no database");
  expect(existsSync(mirror.gitDir)).toBe(true);
});

test("a mirror that its killed remover left comes back by a sweep or the next fetch", async () => {
  const { mirrors, remote, gitDir, directories, locks, idOf, commands } = await mirrorScene();
  await mirrors.fetch(remote, USUAL_REFS);
  renameSync(gitDir, leavingName(gitDir));
  expect(await sweepMirrors(directories, locks)).toEqual({ removed: [], kept: [] });
  expect(await hasCommit({ gitDir }, commitId(await idOf("main")))).toBe(true);
  renameSync(gitDir, leavingName(gitDir));
  const resolved = await resolveRef(remote, "main");
  const before = commands();
  await mirrors.ensure(remote, resolved);
  expect(commands() - before).toBeLessThanOrEqual(1); // brought up to date, not made anew
  expect(existsSync(leavingName(gitDir))).toBe(false);
});

test("ensure and removal at once: everybody has a mirror in the end", async () => {
  const { git: croft, remote } = await scratchGit({ files: 5, commits: 1 });
  let wanting = 0;
  const isWanted = async () => wanting > 0;
  const ensureOften = async () => {
    for (let round = 0; round < 8; round++) {
      wanting++;
      const resolved = await resolveRef(remote, "main");
      const { commit } = await croft.mirrors.ensure(remote, resolved);
      expect(await croft.contents.hasCommit(remote, commit)).toBe(true);
      wanting--;
    }
  };
  let isOver = false;
  const removeOften = async () => {
    const kinds = new Set<string>();
    while (!isOver) kinds.add((await croft.removeMirror(remote, isWanted)).kind);
    return kinds;
  };
  const removing = removeOften();
  await Promise.all([ensureOften(), ensureOften()]).finally(() => {
    isOver = true;
  });
  await removing;
});
