// Submodules are read from objects; every known way of theirs to lead elsewhere is refused.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git } from "../../test/support/make-repository.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { commitId } from "./commit-id.ts";
import { readSubmodules, type SubmoduleRules } from "./read-submodules.ts";
import { parseRemoteUrl } from "./remote-url.ts";

const LINKED = "5".repeat(40);
const parent = parseRemoteUrl("https://git.example.org/team/app");

type Entry = readonly [mode: string, path: string, content: string];

/** A bare repository with one commit; gitlinks have no content of their own. */
async function repository(entries: readonly Entry[]) {
  const gitDir = join(await scratchDirectory(), "parent.git");
  await git(["init", "--quiet", "--bare", gitDir]);
  const run = (args: string[], input: string) => {
    const { stdout, status, stderr } = spawnSync("git", ["--git-dir", gitDir, ...args], { input });
    if (status !== 0) throw new Error(stderr.toString("utf8"));
    return stdout.toString("utf8").trim();
  };
  const lines = entries.map(([mode, path, content]) => {
    const isLink = mode === "160000";
    const id = isLink ? LINKED : run(["hash-object", "-w", "--stdin"], content);
    return { mode, type: isLink ? "commit" : "blob", id, path };
  });
  let tree: string;
  if (lines.some(({ path }) => path.includes("/"))) {
    const input = lines.map(({ mode, id, path }) => `${mode} ${id}\t${path}\0`).join("");
    run(["update-index", "--add", "-z", "--index-info"], input);
    tree = run(["write-tree", "--missing-ok"], "");
  } else {
    const input = lines.map(({ mode, type, id, path }) => `${mode} ${type} ${id}\t${path}\0`);
    tree = run(["mktree", "-z", "--missing"], input.join("")); // takes what an index would refuse
  }
  const commit = commitId(await git(["--git-dir", gitDir, "commit-tree", "-m", "x", tree]));
  const read = (rules?: SubmoduleRules, remote = parent) =>
    readSubmodules({ gitDir, remote }, commit, rules);
  return { gitDir, commit, read };
}

function gitmodules(path: string, url: string, name = path): Entry {
  return ["100644", ".gitmodules", `[submodule "${name}"]\n\tpath = ${path}\n\turl = ${url}\n`];
}

const link = (path: string): Entry => ["160000", path, ""];

test("each submodule has its path, its commit and its remote; relative addresses follow the parent", async () => {
  const { read } = await repository([
    [
      ...["100644", ".gitmodules"],
      `[submodule "one"]
        path = vendor/one
        url = ../one.git
        update = !touch /tmp/never
        branch = x
      [submodule "two words"]
        path = deep/er/two
        url = https://git.example.org/other/two
      [submodule "three"]
        path = three
        url = ../../lib/three
      [submodule "four"]
        path = four
        url = git@git.example.org:team/four.git
      [submodule "no commit of it in the tree"]
        path = gone
        url = ../gone.git
      [submodule "no path"]
        url = ../x.git
      [include]
        path = /etc/hostname`,
    ] as unknown as Entry,
    ...["vendor/one", "deep/er/two", "three", "four", "unnamed"].map(link),
    ["100644", "file", "x"],
  ]);
  const found = await read();
  expect(found.map(({ path, commit, remote }) => [path, commit, remote.text])).toEqual([
    ["vendor/one", LINKED, "https://git.example.org/team/one.git"],
    ["deep/er/two", LINKED, "https://git.example.org/other/two.git"],
    ["three", LINKED, "https://git.example.org/lib/three.git"],
    ["four", LINKED, "https://git.example.org/team/four.git"],
  ]);
});

test("a commit without submodules has none", async () => {
  expect(await (await repository([["100644", "file", "x"]])).read()).toEqual([]);
  expect(await (await repository([link("x")])).read()).toEqual([]);
});

test.each([
  ["a name that leads out (CVE-2018-11235)", gitmodules("sub", "../x", "../../hooks"), "leads out"],
  ["an option as address (CVE-2018-17456)", gitmodules("sub", "-u./payload"), "begins with a dash"],
  ["an option as path (CVE-2018-17456)", gitmodules("-u./payload", "../x", "n"), "dash"],
  ["a path that leads out", gitmodules("../sub", "../x", "n"), "leads out"],
  ["a path into .git", gitmodules("a/.git/hooks", "../x", "n"), "'.git' directory"],
  ["a path into .GIT", gitmodules(".GIT/modules", "../x", "n"), "'.git' directory"],
  ["a path into git~1", gitmodules("git~1/x", "../x", "n"), "'.git' directory"],
  ["a path into .git with a blank", gitmodules('".git ./x"', "../x", "n"), "'.git' directory"],
  ["a path into .gi\u200ct", gitmodules("a/.gi\u200ct", "../x", "n"), "'.git' directory"],
  ["an absolute path", gitmodules("/etc/x", "../x", "n"), "relative path"],
  ["a path with backslashes", gitmodules('"a\\\\b"', "../x", "n"), "relative path"],
  ["a carriage return behind (CVE-2025-48384)", gitmodules('"sub\r"', "../x", "n"), "control"],
  ["a carriage return in the address", gitmodules("sub", '"../x\r"'), "control"],
  ["a line break in the path", gitmodules('"a\\nb"', "../x", "n"), "control"],
  ["no path at all", gitmodules('""', "../x", "n"), "empty"],
  ["another host", gitmodules("sub", "https://evil.example.net/x"), "another host"],
  ["another port of the host", gitmodules("sub", "https://git.example.org:8443/x"), "another host"],
  ["ext::", gitmodules("sub", "ext::sh -c touch% /tmp/never"), "refused"],
  ["a path of this machine", gitmodules("sub", "/etc/x"), "refused"],
  ["a file address", gitmodules("sub", "file:///etc/x"), "refused"],
  ["plain http", gitmodules("sub", "http://git.example.org/x"), "plain http"],
  ["more '..' than the parent has parts", gitmodules("sub", "../../../../x"), "dots"],
  ["'..' in the middle", gitmodules("sub", "../a/../../../x"), "dots"],
  ["credentials", gitmodules("sub", "https://me:secret@git.example.org/x"), "credentials"],
  ["no address", gitmodules("sub", '""'), "empty"],
])("%s is refused", async (_what, entry, reason) => {
  const path = /path = "?([^"\r\n]*)/.exec(entry[2])?.[1] ?? "";
  const canBeLinked = /^[\w/]+$/.test(path) && !path.startsWith("/");
  const { read } = await repository([entry, ...(canBeLinked ? [link(path)] : [])]);
  const reading = read();
  await expect(reading).rejects.toMatchObject({ name: "GitError", code: "rejected" });
  await expect(reading).rejects.toThrow(reason);
  const { message } = (await reading.catch((error: unknown) => error)) as Error;
  expect(message).not.toMatch(/secret|\p{Cc}/u);
});

test("a path of this machine stays refused below a remote, even where such paths are allowed", async () => {
  const { read } = await repository([gitmodules("sub", "/srv/x"), link("sub")]);
  await expect(read({ allowLocal: true })).rejects.toMatchObject({ code: "rejected" });
  const local = parseRemoteUrl("/srv/app", { allowLocal: true });
  expect((await read({ allowLocal: true }, local))[0]?.remote.text).toBe("/srv/x");
});

test("another host is accepted when the operator names it", async () => {
  const { read } = await repository([
    gitmodules("sub", "https://other.example.net/x"),
    link("sub"),
  ]);
  const [found] = await read({ allowHosts: ["other.example.net"] });
  expect(found?.remote.text).toBe("https://other.example.net/x.git");
});

test("a link beside a directory of the same letters is refused (CVE-2024-32002)", async () => {
  const { read } = await repository([
    gitmodules("A/modules/x", "../x", "x"),
    link("A/modules/x"),
    ["120000", "a", ".git"],
  ]);
  await expect(read()).rejects.toThrow("'a' looks like a part of it");
});

test("a path through a link has no commit, and is left out", async () => {
  const { read } = await repository([gitmodules("a/x", "../x", "x"), ["120000", "a", "/etc"]]);
  expect(await read()).toEqual([]);
});

test("a .gitmodules that is a link, no config, or too large is refused", async () => {
  const cases: [Entry, string][] = [
    [["120000", ".gitmodules", "/etc/passwd"], "not a plain file"],
    [["100644", ".gitmodules", "[oops\n"], "cannot read it"],
    [["100644", ".gitmodules", `# ${"x".repeat(1024 * 1024)}\n`], "too large"],
  ];
  for (const [entry, reason] of cases) {
    const { read } = await repository([entry, link("sub")]);
    await expect(read()).rejects.toThrow(reason);
  }
});

test("two submodules of one path, and more than anybody needs, are refused", async () => {
  const both = gitmodules("sub", "../x", "one")[2] + gitmodules("SUB", "../y", "two")[2];
  const twice = await repository([["100644", ".gitmodules", both], link("sub")]);
  await expect(twice.read()).rejects.toThrow("the same path");
  const many = Array.from({ length: 501 }, (_, n) => gitmodules(`s${n}`, "../x")[2]).join("");
  const flood = await repository([["100644", ".gitmodules", many]]);
  await expect(flood.read()).rejects.toThrow("too many");
});
