// A ref becomes a commit only as the remote shows it to this caller; anything else is a clear 'invalid-ref'.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startGitServer } from "../../test/support/git-server.ts";
import { git, makeRepository } from "../../test/support/make-repository.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { staticToken } from "./credential-broker.ts";
import { parseRemoteUrl } from "./remote-url.ts";
import { resolveRef } from "./resolve-ref.ts";

async function prepare() {
  const root = await scratchDirectory();
  const origin = await makeRepository(root, "app", { files: 3, commits: 3 });
  const server = await startGitServer(root);
  const remote = parseRemoteUrl(server.url("app"), { allowHttp: [server.host] });
  const idOf = (name: string) => git(["--git-dir", origin, "rev-parse", name]);
  const set = (ref: string, to: string) => git(["--git-dir", origin, "update-ref", ref, to]);
  return { root, origin, server, remote, idOf, set };
}

test("a short name is a branch first, then a tag, and an annotated tag is what it points to", async () => {
  const { remote, idOf, set, origin } = await prepare();
  await set("refs/heads/feature/x", "main~1");
  await set("refs/heads/both", "main~1");
  await set("refs/tags/both", "main~2");
  await git(["--git-dir", origin, "tag", "-m", "first", "v1", "main~2"]);
  const [first, second, main] = [await idOf("main~2"), await idOf("main~1"), await idOf("main")];
  expect(await resolveRef(remote, "main")).toEqual({ commit: main, ref: "refs/heads/main" });
  expect(await resolveRef(remote, "feature/x")).toEqual({
    commit: second,
    ref: "refs/heads/feature/x",
  });
  expect(await resolveRef(remote, "both")).toMatchObject({ commit: second });
  expect(await resolveRef(remote, "refs/tags/both")).toMatchObject({ commit: first });
  expect(await resolveRef(remote, "v1")).toEqual({ commit: first, ref: "refs/tags/v1" });
});

test("a pull request is found by its full name, and not by the end of another's", async () => {
  const { remote, idOf, set } = await prepare();
  await set("refs/pull/7/head", "main~1");
  await set("refs/odd/refs/pull/8/head", "main~1");
  expect(await resolveRef(remote, "refs/pull/7/head")).toEqual({
    commit: await idOf("main~1"),
    ref: "refs/pull/7/head",
  });
  await expect(resolveRef(remote, "refs/pull/8/head")).rejects.toMatchObject({
    code: "invalid-ref",
  });
});

test("without a ref it is the remote's default branch, also when that is no longer 'main' or none at all", async () => {
  const { remote, idOf, set, origin } = await prepare();
  const main = await idOf("main");
  expect(await resolveRef(remote, undefined)).toEqual({ commit: main, ref: "refs/heads/main" });
  await set("refs/heads/trunk", "main~1");
  await git(["--git-dir", origin, "symbolic-ref", "HEAD", "refs/heads/trunk"]);
  expect(await resolveRef(remote, "HEAD")).toMatchObject({ ref: "refs/heads/trunk" });
  await git(["--git-dir", origin, "update-ref", "--no-deref", "HEAD", "main~2"]);
  const detached = { commit: await idOf("main~2"), ref: "HEAD" };
  expect(await resolveRef(remote, undefined)).toEqual(detached);
  await git(["--git-dir", origin, "symbolic-ref", "HEAD", "refs/heads/gone"]);
  await expect(resolveRef(remote, undefined)).rejects.toThrow("default branch does not exist");
});

test("a full commit id that a ref points to is that ref; any other has to be reached from branches and tags", async () => {
  const { remote, idOf, set, origin } = await prepare();
  await set("refs/pull/7/head", "main~1");
  await git(["--git-dir", origin, "tag", "-m", "first", "v1", "main~3"]);
  const main = await idOf("main");
  expect(await resolveRef(remote, main)).toEqual({
    commit: main,
    ref: "refs/heads/main",
    byId: true,
  });
  expect(await resolveRef(remote, await idOf("main~1"))).toMatchObject({ ref: "refs/pull/7/head" });
  expect(await resolveRef(remote, await idOf("main~3"))).toMatchObject({ ref: "refs/tags/v1" });
  const older = await resolveRef(remote, await idOf("main~2"));
  expect(older.ref).toBeUndefined();
  expect(older.tips).toEqual(expect.arrayContaining([main, await idOf("main~3")]));
  expect(older.tips).not.toContain(await idOf("main~1"));
});

test.each([
  ["an unknown branch", "nope", "no branch or tag 'nope'"],
  ["an unknown full name", "refs/pull/9/head", "no ref 'refs/pull/9/head'"],
  ["an abbreviated id", "deadbee", "abbreviated commit id is not accepted"],
  ["an id in capitals", "DEADBEEF00DEADBEEF00DEADBEEF00DEADBEEF00", "in lower case"],
  ["an option", "--upload-pack=touch", "not a valid name"],
  ["a revision", "main~1", "not a valid name"],
  ["a pattern", "refs/heads/*", "not a valid name"],
  ["a range", "a..b", "not a valid name"],
  ["control characters", "a\u001b[2Jb", "'a?[2Jb' is not a valid name"],
  ["nothing", "", "not a valid name"],
])("%s is 'invalid-ref'", async (_what, ref, message) => {
  const { remote } = await prepare();
  const resolving = resolveRef(remote, ref);
  await expect(resolving).rejects.toMatchObject({ name: "GitError", code: "invalid-ref" });
  await expect(resolving).rejects.toThrow(message);
});

test("a remote without commits says so", async () => {
  const { root, server } = await prepare();
  await git(["init", "--quiet", "--bare", join(root, "empty.git")]);
  const remote = parseRemoteUrl(server.url("empty"), { allowHttp: [server.host] });
  const id = "1".repeat(40);
  for (const ref of [undefined, "main", "refs/heads/main", id]) {
    const resolving = resolveRef(remote, ref);
    await expect(resolving).rejects.toMatchObject({ code: "invalid-ref" });
    await expect(resolving).rejects.toThrow("the remote is empty");
  }
});

test("each caller sees with its own credential", async () => {
  const { remote, server } = await prepare();
  server.tokens = new Set(["good"]);
  const access = (password: string) => ({ tokens: staticToken({ username: "x", password }) });
  await expect(resolveRef(remote, "main", access("bad"))).rejects.toMatchObject({ code: "auth" });
  await expect(resolveRef(remote, "main", {})).rejects.toMatchObject({ code: "auth" });
  expect(await resolveRef(remote, "main", access("good"))).toMatchObject({
    ref: "refs/heads/main",
  });
});

test("a remote that shows refs without end is 'too-large', and one with odd names is not believed", async () => {
  const id = "1".repeat(40);
  const remote = await oldRemote((line) => {
    const long = "x".repeat(900);
    for (let number = 0; number < 40_000; number++) line(`${id} refs/heads/${number}-${long}\n`);
  });
  await expect(resolveRef(remote, "2".repeat(40))).rejects.toMatchObject({ code: "too-large" });
  await expect(resolveRef(remote, "nope")).rejects.toMatchObject({ code: "invalid-ref" });
  expect(await resolveRef(remote, "aaa")).toMatchObject({ ref: "refs/heads/aaa" });
  const other = "3".repeat(40);
  const odd = await oldRemote((line) => line(`${other} refs/heads/a..b\n`));
  expect((await resolveRef(odd, other)).ref).toBeUndefined();
});

/** Speaks just enough of protocol 0 to show refs. */
async function oldRemote(write: (line: (text: string) => void) => void) {
  const packet = (text: string) => (text.length + 4).toString(16).padStart(4, "0") + text;
  const lines: string[] = [];
  write((text) => lines.push(packet(text)));
  const first = packet(`${"1".repeat(40)} refs/heads/aaa\0agent=test\n`);
  const body = `${packet("# service=git-upload-pack\n")}0000${first}${lines.join("")}0000`;
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/x-git-upload-pack-advertisement" });
    response.end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return parseRemoteUrl(`http://${host}/x`, { allowHttp: [host] });
}

test("a repository with SHA-256 names is refused with the reason", async () => {
  const { root, server } = await prepare();
  const work = join(root, "work");
  const origin = join(root, "new.git");
  await git(["init", "--quiet", "--object-format=sha256", "--initial-branch=main", work]);
  await git(["commit", "--quiet", "--allow-empty", "-m", "first"], work);
  await git(["clone", "--quiet", "--bare", work, origin]);
  const remote = parseRemoteUrl(server.url("new"), { allowHttp: [server.host] });
  for (const ref of [undefined, "main", "refs/heads/main"]) {
    await expect(resolveRef(remote, ref)).rejects.toThrow(/uses SHA-256 object names/);
  }
});
