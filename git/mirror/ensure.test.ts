// A commit is in the mirror when its caller may read it, and for a first fetch nobody has to wait.
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git } from "../../test/support/make-repository.ts";
import {
  expectSame,
  mirrorProcess,
  mirrorScene,
  wishCount,
} from "../../test/support/mirror-scene.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { commitId } from "../remote/commit-id.ts";
import { staticToken } from "../remote/credential-broker.ts";
import type { RemoteAccess } from "../remote/remote-access.ts";
import { type AdvertisedCommit, resolveRef } from "../remote/resolve-ref.ts";
import { hasCommit, isReachable } from "./is-reachable.ts";
import { fetchShallow } from "./shallow-fetch.ts";
import { USUAL_REFS } from "./update-mirror.ts";

const ABSENT = commitId("1".repeat(40));

test("what is there is not fetched again; what is not comes with its ref", async () => {
  const { mirrors, remote, set, idOf, commands, gitDir } = await mirrorScene();
  const main = await mirrors.ensure(remote, await resolveRef(remote, "main"));
  expect(main).toEqual({ gitDir, remote, commit: await idOf("main") });
  const before = commands();
  await mirrors.ensure(remote, await resolveRef(remote, "main"));
  await mirrors.ensure(remote, await resolveRef(remote, await idOf("main~2")));
  expect(commands() - before).toBe(2); // two questions, no fetch
  await set("refs/pull/7/head", await idOf("main~1"));
  await mirrors.ensure(remote, await resolveRef(remote, "refs/pull/7/head"));
  expect(commands() - before).toBe(3);
});

test("a pull request's commit comes by its ref, a detached HEAD by its own", async () => {
  const { mirrors, remote, set, newCommit, origin, gitDir } = await mirrorScene();
  await set("refs/pull/7/head", await newCommit("main", "pull"));
  const pull = await mirrors.ensure(remote, await resolveRef(remote, "refs/pull/7/head"));
  expect(await hasCommit({ gitDir }, pull.commit)).toBe(true);
  const detached = await newCommit("main", "detached");
  await git(["--git-dir", origin, "update-ref", "--no-deref", "HEAD", detached]);
  const head = await mirrors.ensure(remote, await resolveRef(remote, undefined));
  expect(head.commit).toBe(detached);
  await git(["--git-dir", gitDir, "fsck", "--strict"]);
});

test("a commit that nobody shows this caller is not found, though the mirror has it", async () => {
  const { mirrors, remote, set, newCommit, origin, gitDir } = await mirrorScene();
  const secret = commitId(await newCommit("main", "secret"));
  await set("refs/private/x", secret);
  await mirrors.fetch(remote, [...USUAL_REFS, "refs/private/x"]); // by somebody who knows of it
  expect(await hasCommit({ gitDir }, secret)).toBe(true);
  await git(["--git-dir", origin, "update-ref", "-d", "refs/private/x"]);
  const messages: unknown[] = [];
  for (const commit of [secret, ABSENT]) {
    const resolved = await resolveRef(remote, commit);
    const ensuring = mirrors.ensure(remote, resolved).catch((error: unknown) => error);
    expect(await ensuring).toMatchObject({ code: "invalid-ref" });
    messages.push(((await ensuring) as Error).message.replaceAll(commit, ""));
  }
  expect(messages[0]).toBe(messages[1]); // whether others have it is not told
});

test("what a caller was shown before it gets again after it was forced away; what it names besides leads to older ones", async () => {
  const { mirrors, remote, set, newCommit, gitDir } = await mirrorScene();
  const first = commitId(await newCommit("main", "pull"));
  await set("refs/pull/7/head", first);
  await set("refs/pull/7/head", await newCommit(first, "more"));
  const get = async (access: RemoteAccess) =>
    (await mirrors.ensure(remote, await resolveRef(remote, first, access), access)).commit;
  const refused = { code: "invalid-ref" };
  await expect(get({})).rejects.toMatchObject(refused);
  await expect(get({ also: ["refs/pull/8/head"] })).rejects.toMatchObject(refused);
  await expect(get({ shown: [first] })).rejects.toMatchObject(refused); // not here
  expect(await get({ also: ["refs/pull/8/head", "refs/pull/7/head"] })).toBe(first);
  await set("refs/pull/7/head", "main");
  await expect(get({ also: ["refs/pull/7/head"] })).rejects.toMatchObject(refused);
  expect(await hasCommit({ gitDir }, first)).toBe(true);
  await expect(get({ shown: [ABSENT] })).rejects.toMatchObject(refused);
  expect(await get({ shown: [first] })).toBe(first);
});

test("reachable is what a tip leads to: not what is merely there, nor from tips that are not", async () => {
  const { mirrors, remote, newCommit, set, idOf, origin } = await mirrorScene();
  const side = commitId(await newCommit("main~2", "side"));
  await set("refs/heads/side", side);
  await git(["--git-dir", origin, "tag", "-m", "t", "v1", "main~1"]);
  const mirror = await mirrors.fetch(remote, USUAL_REFS);
  const [main, old, tag] = [await idOf("main"), await idOf("main~2"), await idOf("v1")];
  expect(await isReachable(mirror, commitId(old), [main])).toBe(true);
  expect(await isReachable(mirror, commitId(old), [side])).toBe(true);
  expect(await isReachable(mirror, commitId(old), [tag])).toBe(true);
  expect(await isReachable(mirror, commitId(old), [ABSENT, tag])).toBe(true);
  expect(await isReachable(mirror, side, [main, tag])).toBe(false);
  expect(await isReachable(mirror, commitId(main), [tag])).toBe(false);
  expect(await isReachable(mirror, commitId(old), [])).toBe(false);
  expect(await isReachable(mirror, commitId(old), [ABSENT])).toBe(false);
  expect(await isReachable(mirror, ABSENT, [main])).toBe(false);
  expect(await isReachable(mirror, commitId(tag), [main, tag])).toBe(false); // no commit at all
  expect(await isReachable(mirror, commitId(old), ["main", "HEAD"])).toBe(false); // names are no ids
});

test("a commit without what belongs to it does not count as there", async () => {
  const { mirrors, remote, idOf, gitDir } = await mirrorScene();
  await mirrors.fetch(remote, USUAL_REFS);
  const main = await idOf("main");
  const tree = await git(["--git-dir", gitDir, "rev-parse", `${main}^{tree}`]);
  const input = `100644 blob ${ABSENT}\tlost`;
  const made = spawnSync("git", ["--git-dir", gitDir, "mktree", "--missing"], { input });
  const half = made.stdout.toString("utf8").trim();
  const lost = await git(["--git-dir", gitDir, "commit-tree", "-m", "lost", half]);
  expect(await hasCommit({ gitDir }, commitId(lost))).toBe(false);
  expect(await hasCommit({ gitDir }, commitId(main))).toBe(true);
  expect(await hasCommit({ gitDir }, commitId(tree))).toBe(false);
  expect(await hasCommit({ gitDir: `${gitDir}-nowhere` }, commitId(main))).toBe(false);
});

test("a branch forced away between question and fetch is asked for once more; a commit by its id is not exchanged", async () => {
  const { mirrors, remote, set, newCommit, idOf, origin } = await mirrorScene();
  await set("refs/heads/main", await newCommit("main", "doomed"));
  const resolved = await resolveRef(remote, "main");
  await set("refs/heads/main", "main~2");
  const { commit } = await mirrors.ensure(remote, resolved);
  expect(commit).toBe(await idOf("main"));
  expect(commit).not.toBe(resolved.commit);
  const doomed = await newCommit("main", "doomed by its id");
  await set("refs/heads/main", doomed);
  const pinned = await resolveRef(remote, doomed);
  await set("refs/heads/main", "main~1");
  await expect(mirrors.ensure(remote, pinned)).rejects.toMatchObject({ code: "invalid-ref" });
  await set("refs/heads/topic", await newCommit("main", "gone"));
  const gone = await resolveRef(remote, "topic");
  await git(["--git-dir", origin, "update-ref", "-d", "refs/heads/topic"]);
  await expect(mirrors.ensure(remote, gone)).rejects.toMatchObject({ code: "invalid-ref" });
});

test("while the first fetch takes long, the commit comes alone, and the mirror later", async () => {
  const { mirrors, remote, server, root, origin, gitDir, backgroundErrors } = await mirrorScene();
  const resolved = await resolveRef(remote, "main");
  server.fault = { kind: "throttle", bytesPerSecond: 3000, after: 2 };
  const shallowAt = join(root, "shallow");
  const waiting = mirrors.ensureOrShallow(remote, resolved, {}, { patienceMs: 200, shallowAt });
  await waitUntil("the transfer", () => server.requests.length >= 3 + 2);
  server.fault = undefined;
  const ensured = await waiting;
  expect(ensured).toEqual({ kind: "shallow", gitDir: shallowAt, commit: resolved.commit });
  expect(await git(["--git-dir", shallowAt, "rev-list", "--count", resolved.commit])).toBe("1");
  await git(["--git-dir", shallowAt, "fsck", "--strict"]);
  expect(statSync(shallowAt).mode & 0o777).toBe(0o700);
  await waitUntil("the mirror", () => existsSync(gitDir));
  await expectSame(origin, gitDir);
  const later = await mirrors.ensureOrShallow(remote, resolved, {}, { shallowAt: "/nonexistent" });
  expect(later).toMatchObject({ kind: "mirror", commit: resolved.commit });
  await mirrors.close();
  expect(backgroundErrors).toEqual([]);
});

test("a quick first fetch makes no shallow repository; a failing one is told at once", async () => {
  const { mirrors, remote, server, root } = await mirrorScene();
  const resolved = await resolveRef(remote, "main");
  const shallowAt = join(root, "shallow");
  server.fault = { kind: "status", status: 500, after: 2 };
  const failing = mirrors.ensureOrShallow(remote, resolved, {}, { patienceMs: 30_000, shallowAt });
  await expect(failing).rejects.toMatchObject({ code: "network" });
  server.fault = undefined;
  const plan = { patienceMs: 30_000, shallowAt };
  expect(await mirrors.ensureOrShallow(remote, resolved, {}, plan)).toMatchObject({
    kind: "mirror",
  });
  expect(existsSync(shallowAt)).toBe(false);
});

test("a first fetch that fails in the background is told; one that hangs is ended by 'close'", async () => {
  const { mirrors, remote, server, root, data, backgroundErrors } = await mirrorScene();
  const resolved = await resolveRef(remote, "main");
  const leaveBehind = async (name: string) => {
    const before = server.requests.length;
    server.fault = { kind: "stall", after: 2 };
    const plan = { patienceMs: 2500, shallowAt: join(root, name) };
    const ensuring = mirrors.ensureOrShallow(remote, resolved, {}, plan);
    await waitUntil("the transfer", () => server.requests.length >= before + 3);
    server.fault = undefined;
    expect(await ensuring).toMatchObject({ kind: "shallow" });
    expect(await mirrors.stateOf(remote)).toBe("first-fetch");
  };
  await leaveBehind("one");
  server.cutAll();
  await waitUntil("the word of it", () => backgroundErrors.length > 0);
  expect(backgroundErrors).toMatchObject([{ code: "network" }]);
  await leaveBehind("two");
  await mirrors.close();
  expect(backgroundErrors).toHaveLength(1);
  expect(await mirrors.stateOf(remote)).toBe("absent");
  expect(readdirSync(join(data, "staging"))).toEqual([]);
});

test("another process's first fetch is not waited for either", async () => {
  const { mirrors, remote, server, root, data, gitDir, origin } = await mirrorScene();
  const resolved = await resolveRef(remote, "main");
  const before = server.requests.length;
  server.fault = { kind: "throttle", bytesPerSecond: 2000, after: 2 };
  const other = mirrorProcess(data, remote, "await mirrors.fetch(remote, USUAL_REFS);");
  await waitUntil("its transfer", () => server.requests.length >= before + 3);
  server.fault = undefined;
  expect(await mirrors.stateOf(remote)).toBe("first-fetch");
  const plan = { patienceMs: 50, shallowAt: join(root, "shallow") };
  const ensured = await mirrors.ensureOrShallow(remote, resolved, {}, plan);
  expect(ensured.kind).toBe("shallow");
  expect(existsSync(gitDir)).toBe(false);
  expect(await once(other, "exit")).toEqual([0, null]);
  await waitUntil("its own fetch", () => wishCount(gitDir) === 0);
  await expectSame(origin, gitDir);
  await mirrors.close();
});

test("a commit by its id alone waits for the mirror: without history nobody knows whether it may be read", async () => {
  const { mirrors, remote, idOf, root } = await mirrorScene();
  const older = await resolveRef(remote, await idOf("main~2"));
  expect(older.ref).toBeUndefined();
  const plan = { patienceMs: 0, shallowAt: join(root, "shallow") };
  expect(await mirrors.ensureOrShallow(remote, older, {}, plan)).toMatchObject({ kind: "mirror" });
  expect(existsSync(plan.shallowAt)).toBe(false);
});

test("a server that gives nothing by id is asked by ref, with the asker's token and depth", async () => {
  const { remote, server, root, idOf, origin } = await mirrorScene();
  await git(["--git-dir", origin, "tag", "-m", "t", "v1", "main"]);
  server.isOld = true;
  server.tokens = new Set(["good"]);
  const access = { tokens: staticToken({ username: "x", password: "good" }) };
  const resolved = (await resolveRef(remote, "v1", access)) as AdvertisedCommit;
  expect(resolved).toEqual({ commit: await idOf("main"), ref: "refs/tags/v1" });
  const directory = join(root, "shallow");
  await fetchShallow(remote, resolved, { depth: 2, access, directory });
  expect(await git(["--git-dir", directory, "rev-list", "--count", resolved.commit])).toBe("2");
  const moved = { ...resolved, commit: ABSENT };
  const again = join(root, "again");
  await expect(
    fetchShallow(remote, moved, { depth: 1, access, directory: again }),
  ).rejects.toMatchObject({ code: "invalid-ref" });
  expect(existsSync(again)).toBe(false);
});
