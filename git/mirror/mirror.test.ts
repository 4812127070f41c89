// A mirror is made whole or not at all, fetched once for many, and mends itself.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { chmod, mkdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { startGitServer } from "../../test/support/git-server.ts";
import { git, makeRepository } from "../../test/support/make-repository.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { RepositoryLocks } from "../lock/repository-lock.ts";
import { staticToken } from "../remote/credential-broker.ts";
import { parseRemoteUrl, type RemoteUrl } from "../remote/remote-url.ts";
import { Mirrors, USUAL_REFS } from "./mirror.ts";

async function prepare() {
  const root = await scratchDirectory();
  const origin = await makeRepository(join(root, "remotes"), "app", {
    files: 20,
    commits: 3,
    odd: true,
  });
  const server = await startGitServer(join(root, "remotes"));
  const remote = parseRemoteUrl(server.url("app"), { allowHttp: [server.host] });
  const data = join(root, "data");
  const mirrors = openMirrors(data);
  const fetches = () => server.requests.filter(({ line }) => line.includes("POST")).length;
  return { root, origin, server, remote, data, mirrors, fetches, gitDir: mirrors.pathOf(remote) };
}

function openMirrors(data: string): Mirrors {
  const directories = {
    mirrors: join(data, "mirrors"),
    staging: join(data, "staging"),
    trash: join(data, "trash"),
  };
  return new Mirrors(directories, new RepositoryLocks(join(data, "locks")));
}

/** Another process that fetches the usual refs, so many times at once. */
function fetchElsewhere(data: string, remote: RemoteUrl, times: number): ChildProcess {
  const url = pathToFileURL(join(import.meta.dirname, "../index.ts")).href;
  const script = `import { Mirrors, parseRemoteUrl, RepositoryLocks, USUAL_REFS } from ${JSON.stringify(url)};
    const [data, url, host] = process.argv.slice(1);
    const directories = { mirrors: data + "/mirrors", staging: data + "/staging", trash: data + "/trash" };
    const mirrors = new Mirrors(directories, new RepositoryLocks(data + "/locks"));
    const remote = parseRemoteUrl(url, { allowHttp: [host] });
    await Promise.all(Array.from({ length: ${times} }, () => mirrors.fetch(remote, USUAL_REFS)));`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", script, data, remote.text];
  const options = { cwd: import.meta.dirname, stdio: "inherit" } as const;
  return spawn(process.execPath, [...args, remote.host], options);
}

const refsOf = (gitDir: string, pattern = "refs/") =>
  git(["--git-dir", gitDir, "for-each-ref", "--format=%(objectname) %(refname)", pattern]);

async function expectSame(origin: string, gitDir: string): Promise<void> {
  const there = await refsOf(origin);
  expect(await refsOf(gitDir)).toBe(there.replaceAll(" refs/", " refs/remote/"));
  expect(await git(["--git-dir", gitDir, "fsck", "--strict", "--no-dangling"])).toBe("");
}

test("the first fetch makes the mirror, with refs of its own and packs only", async () => {
  const { origin, mirrors, remote, gitDir, data } = await prepare();
  await git(["--git-dir", origin, "tag", "v1", "main"]);
  expect(await mirrors.fetch(remote, USUAL_REFS)).toEqual({ gitDir, remote });
  await expectSame(origin, gitDir);
  const loose = readdirSync(join(gitDir, "objects")).filter((name) => /^[0-9a-f]{2}$/.test(name));
  expect(loose).toEqual([]);
  expect(readdirSync(join(data, "staging"))).toEqual([]);
});

test("a later fetch follows what was moved, added, forced and removed, and names that now are directories", async () => {
  const { origin, mirrors, remote, gitDir } = await prepare();
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
  const { origin, mirrors, remote, gitDir } = await prepare();
  await git(["--git-dir", origin, "update-ref", "refs/pull/7/head", "main~1"]);
  await mirrors.fetch(remote, USUAL_REFS);
  expect(await refsOf(gitDir, "refs/remote/pull")).toBe("");
  await mirrors.fetch(remote, ["refs/pull/7/head"]);
  await expectSame(origin, gitDir);
});

test("20 callers at once share two fetches, and all their refs come", async () => {
  const { origin, mirrors, remote, gitDir, fetches } = await prepare();
  for (const number of Array.from({ length: 20 }, (_, index) => index)) {
    await git(["--git-dir", origin, "update-ref", `refs/pull/${number}/head`, "main~1"]);
  }
  await mirrors.fetch(remote, USUAL_REFS);
  const before = fetches();
  await git(["--git-dir", origin, "update-ref", "refs/pull/0/head", "main"]);
  await Promise.all(
    Array.from({ length: 20 }, (_, number) => mirrors.fetch(remote, [`refs/pull/${number}/head`])),
  );
  await expectSame(origin, gitDir);
  expect((await refsOf(gitDir, "refs/remote/pull")).split("\n")).toHaveLength(20);
  // Protocol 2 asks twice a fetch: for the refs and for the objects.
  expect(fetches() - before).toBeLessThanOrEqual(4);
});

test("two processes share fetches too", async () => {
  const { origin, mirrors, remote, gitDir, server, data, fetches } = await prepare();
  await mirrors.fetch(remote, USUAL_REFS);
  const before = fetches();
  server.fault = { kind: "throttle", bytesPerSecond: 2000 };
  await git(["--git-dir", origin, "update-ref", "refs/heads/new", "main~1"]);
  const first = mirrors.fetch(remote, USUAL_REFS);
  const other = fetchElsewhere(data, remote, 10);
  const [code] = await once(other, "exit");
  await Promise.all([
    first,
    ...Array.from({ length: 10 }, () => mirrors.fetch(remote, ["refs/heads/*"])),
  ]);
  expect(code).toBe(0);
  await expectSame(origin, gitDir);
  expect(fetches() - before).toBeLessThanOrEqual(3 * 2);
});

test("a caller that leaves does not end the fetch for the others", async () => {
  const { mirrors, remote, gitDir, origin } = await prepare();
  const abort = new AbortController();
  const leaving = mirrors.fetch(remote, USUAL_REFS, { signal: abort.signal });
  const staying = mirrors.fetch(remote, USUAL_REFS);
  abort.abort(new Error("enough"));
  await expect(leaving).rejects.toThrow("enough");
  await staying;
  await expectSame(origin, gitDir);
});

test("a refused credential leaves no mirror, and fails only its own caller", async () => {
  const { mirrors, remote, server, gitDir, data, origin } = await prepare();
  server.tokens = new Set(["good"]);
  const access = (password: string) => ({ tokens: staticToken({ username: "x", password }) });
  const [bad, good] = await Promise.allSettled([
    mirrors.fetch(remote, USUAL_REFS, access("bad")),
    mirrors.fetch(remote, USUAL_REFS, access("good")),
    mirrors.fetch(remote, USUAL_REFS, access("good")),
  ]);
  expect(bad).toMatchObject({ status: "rejected", reason: { code: "auth" } });
  expect(good.status).toBe("fulfilled");
  await expectSame(origin, gitDir);
  expect(readdirSync(join(data, "staging"))).toEqual([]);
});

test("what a killed git left, locks and half packs, is removed before the next fetch", async () => {
  const { origin, mirrors, remote, gitDir } = await prepare();
  await mirrors.fetch(remote, USUAL_REFS);
  const left = [
    "packed-refs.lock",
    "config.lock",
    "shallow.lock",
    "refs/remote/heads/main.lock",
    "objects/pack/tmp_pack_abc",
    "refs/incoming/dead/heads/x",
  ];
  await mkdir(join(gitDir, "refs/incoming/dead/heads"), { recursive: true });
  for (const name of left) await writeFile(join(gitDir, name), "");
  await git(["--git-dir", origin, "update-ref", "refs/heads/main", "main~1"]);
  await mirrors.fetch(remote, USUAL_REFS);
  expect(left.filter((name) => existsSync(join(gitDir, name)))).toEqual([]);
  await expectSame(origin, gitDir);
});

test("a damaged mirror is rebuilt", async () => {
  const { origin, mirrors, remote, gitDir } = await prepare();
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

test("a fetch cut in the middle is 'network', and the mirror stays as it was", async () => {
  const { origin, mirrors, remote, gitDir, server } = await prepare();
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
  const { origin, remote, server, data, mirrors, gitDir } = await prepare();
  server.fault = { kind: "throttle", bytesPerSecond: 500 };
  const child = fetchElsewhere(data, remote, 1);
  await waitUntil("the transfer", () => server.requests.length >= 2);
  child.kill("SIGKILL");
  await once(child, "exit");
  server.fault = undefined;
  await mirrors.fetch(remote, USUAL_REFS);
  await expectSame(origin, gitDir);
  expect(await readFile(join(gitDir, "HEAD"), "utf8")).toContain("ref:");
});
