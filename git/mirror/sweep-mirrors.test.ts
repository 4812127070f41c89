// What killed processes left among the mirrors goes; what somebody works on, or somebody else's, stays.
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git } from "../../test/support/make-repository.ts";
import { mirrorProcess, mirrorScene } from "../../test/support/mirror-scene.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { sweepMirrors } from "./sweep-mirrors.ts";
import { USUAL_REFS } from "./update-mirror.ts";
import { Wishes, wishesOf } from "./wishes.ts";

test("stale files of a free mirror go, and nothing else", async () => {
  const { mirrors, remote, gitDir, directories, locks } = await mirrorScene();
  await mirrors.fetch(remote, USUAL_REFS);
  const stale = ["packed-refs.lock", "objects/pack/tmp_pack_x"].map((name) => join(gitDir, name));
  for (const path of stale) await writeFile(path, "");
  const foreign = join(directories.mirrors, "notes.txt");
  await writeFile(foreign, "");
  const { removed, kept } = await sweepMirrors(directories, locks);
  expect([...removed].sort()).toEqual([...stale].sort());
  expect(kept).toEqual([{ path: foreign, reason: "not made by Croft" }]);
  expect(stale.filter((path) => existsSync(path))).toEqual([]);
  await git(["--git-dir", gitDir, "fsck", "--strict"]);
  expect(await sweepMirrors(directories, locks)).toMatchObject({ removed: [] });
});

test("a mirror that is being fetched or moved is left alone, without waiting: that it is in use is no news", async () => {
  const { mirrors, remote, gitDir, directories, locks } = await mirrorScene();
  await mirrors.fetch(remote, USUAL_REFS);
  const lock = join(gitDir, "packed-refs.lock");
  await writeFile(lock, "");
  const busy = [
    await locks.hold(gitDir, { purpose: "short" }, () => sweepMirrors(directories, locks)),
    await locks.holdLong(gitDir, { purpose: "long" }, () => sweepMirrors(directories, locks)),
  ];
  expect(busy).toEqual([
    { removed: [], kept: [] },
    { removed: [], kept: [] },
  ]);
  expect(existsSync(lock)).toBe(true);
});

test("wishes of a killed process go, those of a living one stay, and neither is fetched for the dead", async () => {
  const { mirrors, remote, gitDir, directories, locks, server, data } = await mirrorScene();
  await mirrors.fetch(remote, USUAL_REFS);
  const body = `await mirrors.fetch(remote, ["refs/pull/404/head"]);`;
  await locks.holdLong(gitDir, { purpose: "test" }, async () => {
    const child = mirrorProcess(data, remote, body);
    const wishes = new Wishes(wishesOf(gitDir));
    await waitUntil("its wish", async () => (await wishes.read()).length === 1);
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  const [dead = ""] = readdirSync(wishesOf(gitDir));
  await writeFile(join(wishesOf(gitDir), `${dead}.draft`), "[");
  await mirrors.fetch(remote, USUAL_REFS); // would be 'invalid-ref' if the dead one's wish counted
  const living = await new Wishes(wishesOf(gitDir)).write(["refs/heads/x"]);
  const { removed } = await sweepMirrors(directories, locks);
  expect([...removed].sort()).toEqual(
    [dead, `${dead}.draft`].map((name) => join(wishesOf(gitDir), name)),
  );
  expect(readdirSync(wishesOf(gitDir))).toEqual([living.name]);
  expect(server.requests.length).toBeGreaterThan(0);
});

test("no mirrors, no work", async () => {
  const { directories, locks } = await mirrorScene();
  await mkdir(directories.mirrors, { recursive: true });
  expect(await sweepMirrors(directories, locks)).toEqual({ removed: [], kept: [] });
  const nowhere = { mirrors: join(directories.data, "nowhere") };
  expect(await sweepMirrors(nowhere, locks)).toEqual({ removed: [], kept: [] });
});
