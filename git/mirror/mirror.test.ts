// A mirror is made whole or not at all, fetched once for many, and mends itself.
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, statSync } from "node:fs";
import { chmod, mkdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git } from "../../test/support/make-repository.ts";
import {
  expectSame,
  mirrorProcess,
  mirrorScene,
  refsOf,
  wishCount,
} from "../../test/support/mirror-scene.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { staticToken } from "../remote/credential-broker.ts";
import { USUAL_REFS } from "./update-mirror.ts";

const fetchElsewhere = (times: number) =>
  `await Promise.all(Array.from({ length: ${times} }, () => mirrors.fetch(remote, USUAL_REFS)));`;

test("the first fetch makes the mirror, with refs of its own and packs only", async () => {
  const { origin, mirrors, remote, gitDir, data } = await mirrorScene();
  await git(["--git-dir", origin, "tag", "v1", "main"]);
  expect(await mirrors.fetch(remote, USUAL_REFS)).toEqual({ gitDir, remote });
  await expectSame(origin, gitDir);
  const loose = readdirSync(join(gitDir, "objects")).filter((name) => /^[0-9a-f]{2}$/.test(name));
  expect(loose).toEqual([]);
  expect(readdirSync(join(data, "staging"))).toEqual([]);
  expect(statSync(gitDir).mode & 0o777).toBe(0o700);
});

test("a later fetch follows what was moved, added, forced and removed, and names that now are directories", async () => {
  const { origin, mirrors, remote, gitDir } = await mirrorScene();
  const at = (name: string, where: string) =>
    git(["--git-dir", origin, "update-ref", `refs/heads/${name}`, where]);
  await at("topic", "main");
  await at("old", "main");
  await mirrors.fetch(remote, USUAL_REFS);
  await git(["--git-dir", origin, "update-ref", "-d", "refs/heads/topic"]);
  await git(["--git-dir", origin, "update-ref", "-d", "refs/heads/old"]);
  await at("topic/one", "main~1");
  await at("main", "main~2");
  await mirrors.fetch(remote, USUAL_REFS);
  await expectSame(origin, gitDir);
  expect(await refsOf(gitDir, "refs/incoming")).toBe("");
});

test("a pull request's ref is fetched when it is asked for, without removing the others", async () => {
  const { origin, mirrors, remote, gitDir } = await mirrorScene();
  await git(["--git-dir", origin, "update-ref", "refs/pull/7/head", "main~1"]);
  await mirrors.fetch(remote, USUAL_REFS);
  expect(await refsOf(gitDir, "refs/remote/pull")).toBe("");
  await mirrors.fetch(remote, ["refs/pull/7/head"]);
  await expectSame(origin, gitDir);
});

test("20 callers at once share two fetches, and all their refs come", async () => {
  const { origin, mirrors, remote, gitDir, commands, set } = await mirrorScene();
  for (let number = 0; number < 20; number++) await set(`refs/pull/${number}/head`, "main~1");
  await mirrors.fetch(remote, USUAL_REFS);
  const before = commands();
  await set("refs/pull/0/head", "main");
  await Promise.all(
    Array.from({ length: 20 }, (_, number) => mirrors.fetch(remote, [`refs/pull/${number}/head`])),
  );
  await expectSame(origin, gitDir);
  expect((await refsOf(gitDir, "refs/remote/pull")).split("\n")).toHaveLength(20);
  expect(commands() - before).toBeLessThanOrEqual(2);
});

test("two processes share fetches too: what is wished for before one begins comes with it", async () => {
  const { origin, mirrors, locks, remote, gitDir, data, commands, set } = await mirrorScene();
  await mirrors.fetch(remote, USUAL_REFS);
  const before = commands();
  await set("refs/heads/new", "main~1");
  await set("refs/pull/1/head", "main~2");
  const { other, own } = await locks.holdLong(gitDir, { purpose: "test" }, async () => {
    const child = mirrorProcess(data, remote, fetchElsewhere(10));
    const refs = ["refs/heads/*", "refs/pull/1/head"];
    const fetching = Promise.all(Array.from({ length: 10 }, () => mirrors.fetch(remote, refs)));
    await waitUntil("all wishes", () => wishCount(gitDir) === 20);
    return { other: once(child, "exit"), own: fetching };
  });
  await own;
  expect(await other).toEqual([0, null]);
  await expectSame(origin, gitDir);
  expect(commands() - before).toBe(1);
  expect(wishCount(gitDir)).toBe(0);
});

test("the last caller to leave ends the fetch, and its processes with it", async () => {
  const { mirrors, remote, server, data, gitDir, origin } = await mirrorScene();
  server.fault = { kind: "stall", after: 2 };
  const abort = new AbortController();
  const callers = [
    mirrors.fetch(remote, USUAL_REFS, { signal: abort.signal }),
    mirrors.fetch(remote, USUAL_REFS, { timeoutMs: 500 }),
  ];
  const outcomes = Promise.allSettled(callers);
  await waitUntil("the transfer", () => server.requests.length >= 3);
  await expect(callers[1]).rejects.toMatchObject({ code: "timeout" });
  expect(await mirrors.stateOf(remote)).toBe("first-fetch");
  abort.abort(new Error("enough"));
  expect((await outcomes)[0]).toMatchObject({ reason: { message: "enough" } });
  expect(await mirrors.stateOf(remote)).toBe("absent");
  expect(readdirSync(join(data, "staging"))).toEqual([]);
  server.fault = undefined;
  await mirrors.fetch(remote, USUAL_REFS);
  expect(await mirrors.stateOf(remote)).toBe("ready");
  await expectSame(origin, gitDir);
});

test("a ref that one caller asks for in vain does not cost the others theirs", async () => {
  const { mirrors, locks, remote, gitDir, origin, set } = await mirrorScene();
  await set("refs/pull/1/head", "main~1");
  await set("refs/pull/2/head", "main~2");
  for (const _round of ["made", "updated"]) {
    const callers = await locks.holdLong(gitDir, { purpose: "test" }, async () => {
      const fetching = [1, 2, 3].map((number) =>
        mirrors.fetch(remote, [...USUAL_REFS, `refs/pull/${number}/head`]),
      );
      await waitUntil("all wishes", () => wishCount(gitDir) === 3);
      return fetching;
    });
    expect(await Promise.allSettled(callers)).toMatchObject([
      { status: "fulfilled" },
      { status: "fulfilled" },
      { status: "rejected", reason: { code: "invalid-ref" } },
    ]);
    await expectSame(origin, gitDir);
  }
});

test("a remote that is damaged itself costs nobody the mirror", async () => {
  const { mirrors, remote, gitDir, origin, set } = await mirrorScene();
  await mirrors.fetch(remote, USUAL_REFS);
  const before = await refsOf(gitDir);
  const { ino } = statSync(gitDir);
  const make = (args: string[], input: string) =>
    spawnSync("git", ["--git-dir", origin, ...args], { input })
      .stdout.toString("utf8")
      .trim();
  const blob = make(["hash-object", "-w", "--stdin"], "soon lost");
  const tree = make(["mktree"], `100644 blob ${blob}\tfile\n`);
  await set("refs/heads/main", await git(["--git-dir", origin, "commit-tree", "-m", "x", tree]));
  const object = join(origin, "objects", blob.slice(0, 2), blob.slice(2));
  await chmod(object, 0o600);
  await truncate(object, 10);
  const error = await mirrors.fetch(remote, USUAL_REFS).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ name: "GitError" });
  expect(error).not.toMatchObject({ code: "corrupt" });
  expect(await refsOf(gitDir)).toBe(before);
  expect(statSync(gitDir).ino).toBe(ino);
});

test("a caller that leaves does not end the fetch for the others", async () => {
  const { mirrors, remote, gitDir, origin } = await mirrorScene();
  const abort = new AbortController();
  const leaving = mirrors.fetch(remote, USUAL_REFS, { signal: abort.signal });
  const staying = mirrors.fetch(remote, USUAL_REFS);
  abort.abort(new Error("enough"));
  await expect(leaving).rejects.toThrow("enough");
  await staying;
  await expectSame(origin, gitDir);
});

test("a refused credential leaves no mirror", async () => {
  const { mirrors, remote, server, gitDir, data } = await mirrorScene();
  server.tokens = new Set(["good"]);
  const fetching = mirrors.fetch(remote, USUAL_REFS, withPassword("bad"));
  await expect(fetching).rejects.toMatchObject({ code: "auth" });
  expect(existsSync(gitDir)).toBe(false);
  expect(readdirSync(join(data, "staging"))).toEqual([]);
});

test("a refused credential fails only its own caller, not those who share its fetch", async () => {
  const { mirrors, remote, server, gitDir, origin } = await mirrorScene();
  server.tokens = new Set(["good"]);
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  server.fault = { kind: "gate", opened };
  const fetchWith = async (password: string, wishes: number) => {
    const fetching = mirrors.fetch(remote, USUAL_REFS, withPassword(password));
    await waitUntil("its wish", () => wishCount(gitDir) === wishes);
    return { fetching };
  };
  const running = await fetchWith("good", 1);
  await waitUntil("its request", () => server.requests.length > 0);
  const leading = await fetchWith("bad", 2);
  const following = [await fetchWith("good", 3), await fetchWith("good", 4)];
  open();
  const callers = [running, leading, ...following].map(({ fetching }) => fetching);
  expect(await Promise.allSettled(callers)).toMatchObject([
    { status: "fulfilled" },
    { status: "rejected", reason: { code: "auth" } },
    { status: "fulfilled" },
    { status: "fulfilled" },
  ]);
  await expectSame(origin, gitDir);
});

test("what a killed git left, locks and half packs, is removed before the next fetch", async () => {
  const { origin, mirrors, remote, gitDir } = await mirrorScene();
  await mirrors.fetch(remote, USUAL_REFS);
  const left = [
    "packed-refs.lock",
    "config.lock",
    "shallow.lock",
    "refs/remote/heads/main.lock",
    "objects/pack/tmp_pack_abc",
    `objects/pack/pack-${"a".repeat(40)}.pack`,
    `objects/pack/pack-${"a".repeat(40)}.keep`,
    "objects/info/commit-graph.lock",
    "refs/incoming/dead/heads/x",
  ];
  await mkdir(join(gitDir, "refs/incoming/dead/heads"), { recursive: true });
  await mkdir(join(gitDir, "refs/remote/heads"), { recursive: true });
  for (const name of left) await writeFile(join(gitDir, name), "");
  await git(["--git-dir", origin, "update-ref", "refs/heads/main", "main~1"]);
  await mirrors.fetch(remote, USUAL_REFS);
  expect(left.filter((name) => existsSync(join(gitDir, name)))).toEqual([]);
  await expectSame(origin, gitDir);
});

test("a damaged mirror is rebuilt", async () => {
  const { origin, mirrors, remote, gitDir } = await mirrorScene();
  await mirrors.fetch(remote, USUAL_REFS);
  const packs = join(gitDir, "objects/pack");
  for (const name of readdirSync(packs)) {
    await chmod(join(packs, name), 0o600); // git makes them read-only
    await truncate(join(packs, name), 10);
  }
  await git(["--git-dir", origin, "update-ref", "refs/heads/other", "main~1"]);
  await mirrors.fetch(remote, USUAL_REFS);
  await expectSame(origin, gitDir);
});

test("damage that a fetch does not see is mended on request, and a failed attempt takes nothing away", async () => {
  const { origin, mirrors, remote, gitDir, server, data } = await mirrorScene();
  await mirrors.fetch(remote, USUAL_REFS);
  await writeFile(join(gitDir, "mark"), "");
  server.fault = { kind: "status", status: 500 };
  await expect(mirrors.rebuild(remote)).rejects.toMatchObject({ code: "network" });
  expect(existsSync(join(gitDir, "mark"))).toBe(true);
  server.fault = undefined;
  await mirrors.rebuild(remote);
  expect(existsSync(join(gitDir, "mark"))).toBe(false);
  await expectSame(origin, gitDir);
  expect([...readdirSync(join(data, "staging")), ...readdirSync(join(data, "trash"))]).toEqual([]);
});

test("a fetch cut in the middle is 'network', and the mirror stays as it was", async () => {
  const { origin, mirrors, remote, gitDir, server } = await mirrorScene();
  await mirrors.fetch(remote, USUAL_REFS);
  const before = await refsOf(gitDir);
  const tree = await git(["--git-dir", origin, "rev-parse", "main^{tree}"]);
  const id = await git(["--git-dir", origin, "commit-tree", "-m", "new", tree]);
  await git(["--git-dir", origin, "update-ref", "refs/heads/main", id]);
  server.fault = { kind: "cut", afterBytes: 300 };
  await expect(mirrors.fetch(remote, USUAL_REFS)).rejects.toMatchObject({ code: "network" });
  expect(await refsOf(gitDir)).toBe(before);
  server.fault = undefined;
  await mirrors.fetch(remote, USUAL_REFS);
  await expectSame(origin, gitDir);
});

test("a process killed in the middle of the first fetch leaves nothing that stops the next", async () => {
  const { origin, remote, server, data, mirrors, gitDir } = await mirrorScene();
  server.fault = { kind: "throttle", bytesPerSecond: 500 };
  const child = mirrorProcess(data, remote, fetchElsewhere(1));
  await waitUntil("the transfer", () => server.requests.length >= 2);
  child.kill("SIGKILL");
  await once(child, "exit");
  server.fault = undefined;
  await mirrors.fetch(remote, USUAL_REFS);
  await expectSame(origin, gitDir);
  expect(await readFile(join(gitDir, "HEAD"), "utf8")).toContain("ref:");
});

function withPassword(password: string) {
  return { tokens: staticToken({ username: "x", password }) };
}
