// Everything that git can do to a branch and to names, from the push to the folder of the app that was told.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readWatch } from "@croft/engine";
import { commitId, parseRemoteUrl } from "@croft/git";
import { expect, onTestFinished, test } from "vitest";
import { addWatch, isToldOf, onboard } from "./support/call-api.ts";
import { startServer } from "./support/croft-process.ts";
import { serveFolder } from "./support/folder-receiver.ts";
import { startGitServer } from "./support/git-server.ts";
import { importHidden, type Tree, type TreeEntry, treeOf } from "./support/import-commits.ts";
import { git, makeRepository } from "./support/make-repository.ts";
import { scratchDatabase } from "./support/scratch-database.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { waitUntil } from "./support/wait-until.ts";
import { watchScene } from "./support/watch-scene.ts";

const ALL = { owner: undefined };
const LFS_POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 9\n`;
const LONG = "n".repeat(255);
const BINARY = { mode: "100644", content: Buffer.from([0, 1, 255, 254, 10, 0]) } as const;
const script = (content: string): TreeEntry => ({ mode: "100755", content });
const link = (content: string): TreeEntry => ({ mode: "120000", content });
const submodule: TreeEntry = { mode: "160000", commit: "1".repeat(40) };

/** Names that no UTF-8 is. */
const withOddNames = (tree: Tree): Tree =>
  new Map([
    ...tree,
    ["bad\xff\x80name", { mode: "100644", content: "bytes" }],
    ["dir\xfe/in\xff", { mode: "100644", content: "in" }],
  ]);

/** Each step after the one before, by ordinary commits. */
const STEPS: readonly (readonly [string, Tree])[] = [
  ["the first sync", treeOf({ "a.md": "a\n", "dir/b.md": "b\n", run: script("#!/bin/sh\n") })],
  [
    "binary, empty, LFS pointer",
    treeOf({ "a.md": "a\n", binary: BINARY, empty: "", "l.bin": LFS_POINTER }),
  ],
  ["a file becomes a directory", treeOf({ "a.md/x/y": "deep\n", binary: BINARY, empty: "" })],
  ["a directory becomes a file", treeOf({ "a.md": "back\n", binary: BINARY, empty: "" })],
  ["a rename of case only", treeOf({ "A.md": "back\n", binary: BINARY, empty: "" })],
  [
    "a rename with an edit",
    treeOf({ "moved/A.md": `back\n${"line\n".repeat(20)}`, binary: BINARY }),
  ],
  ["modes alone", treeOf({ "moved/A.md": script(`back\n${"line\n".repeat(20)}`), binary: BINARY })],
  [
    "links and submodules",
    treeOf({ to: link("moved/A.md"), out: link("/etc"), sub: submodule, binary: BINARY }),
  ],
  [
    "a link becomes a directory, a submodule a file",
    treeOf({ "out/in": "x", sub: "file\n", to: link("out") }),
  ],
  [
    "a file becomes a submodule, a directory a link",
    treeOf({ sub: submodule, out: link("sub"), keep: "x" }),
  ],
  [
    "names",
    withOddNames(
      treeOf({ "new\nline": "odd", [LONG]: "long", [`d${LONG.slice(1)}/x`]: "y", 'quo"te': "q" }),
    ),
  ],
  [
    "odd names change",
    withOddNames(treeOf({ "new\nline": "other", [LONG]: script("long"), "tab\there": "t" })),
  ],
  ["nothing is left", treeOf({})],
  ["and it comes back", treeOf({ "docs/a.md": "a", "docs/b.txt": "b", "code/c.ts": "c" })],
];

test("every kind of change gives exactly the tree of the commit", async () => {
  const { bare, move, watch, engine } = await watchScene();
  const trees = STEPS.map(([, tree]) => tree);
  const commits = await importHidden(bare, trees);
  await move("main", commits[0]);
  const app = await watch();
  for (const [index, [what, tree]] of STEPS.entries()) {
    await move("main", commits[index]);
    await app.told(commits[index]);
    try {
      app.expectTree(tree);
    } catch (error) {
      throw new Error(`${what}: ${error instanceof Error ? error.message : error}`);
    }
  }
  expect(app.notices()).toEqual([]);
  // What was sent is not kept any more; what the next change is compared with is.
  const kept = () => engine.database.pool.query("select kind from croft.kept_commit");
  await waitUntil("the release", async () => (await kept()).rows.length === 1);
  expect((await kept()).rows).toEqual([{ kind: "watch" }]);
  const inMirror = (await engine.git()).kept;
  const { url } = await readWatch(engine.database.pool, ALL, app.watchId);
  const remote = parseRemoteUrl(url, { allowHttp: [new URL(url).host] });
  expect((await inMirror.list(remote)).map(({ name }) => name)).toEqual([`watch-${app.watchId}`]);
}, 120_000);

test("an ignore file that is added later takes files away, and brings them back when it goes", async () => {
  const { bare, move, watch } = await watchScene();
  const all = { "docs/a.md": "a", "docs/b.txt": "b", "code/c.ts": "c" };
  const ignore = { ".croftignore": "*.txt\n/code\n" };
  const commits = await importHidden(bare, [
    treeOf(all),
    treeOf({ ...all, ...ignore }),
    treeOf(all),
  ]);
  await move("main", commits[0]);
  const app = await watch();
  await app.told(commits[0]);
  await move("main", commits[1]);
  await app.told(commits[1]);
  app.expectTree(treeOf({ ...ignore, "docs/a.md": "a" }));
  await move("main", commits[2]);
  await app.told(commits[2]);
  app.expectTree(treeOf(all));
});

test("a forced branch, one that is deleted and made again, and another default branch", async () => {
  const { bare, move, watch, inBare, engine } = await watchScene({}, 2);
  const tree = (text: string) => treeOf({ [`${text}.md`]: text, common: "same", dir: text });
  const old = await importHidden(bare, [tree("one"), tree("two")]);
  const [forced] = await importHidden(bare, [tree("forced")]); // no history in common
  await move("main", old[1]);
  const byDefault = await watch(0);
  const ofMain = await watch(1, { ref: "main" });
  await byDefault.told(old[1]);
  await ofMain.told(old[1]);
  await move("main", forced);
  await ofMain.told(forced);
  ofMain.expectTree(tree("forced"));
  await byDefault.told(forced);
  // Another default branch, with the same commit first: nothing to tell, but its name.
  await move("trunk", forced);
  await inBare("symbolic-ref", "HEAD", "refs/heads/trunk");
  const refOf = async () =>
    (await readWatch(engine.database.pool, ALL, byDefault.watchId)).commit_ref;
  await waitUntil("its name", async () => (await refOf()) === "refs/heads/trunk");
  await move("trunk", old[0]);
  await byDefault.told(old[0]);
  byDefault.expectTree(tree("one"));
  ofMain.expectTree(tree("forced"));
  await inBare("update-ref", "-d", "refs/heads/main");
  await waitUntil("the notice", () => ofMain.notices().includes("sync.failed"));
  await inBare("reflog", "expire", "--all", "--expire=now");
  await move("main", old[1]);
  await ofMain.told(old[1]);
  ofMain.expectTree(tree("two"));
  expect(ofMain.notices()).toEqual(["sync.failed", "sync.recovered"]);
  expect(byDefault.notices()).toEqual([]);
});

const LARGE_BYTES = 200 * 1024 * 1024;
const BLOCK = Buffer.alloc(1024 * 1024, "all work and no play makes a large file\n");

/** Written straight into the repository: it is in nobody's memory. */
async function commitLarge(bare: string): Promise<string> {
  const importer = spawn("git", ["-C", bare, "fast-import", "--quiet", "--force"], {
    stdio: ["pipe", "ignore", "inherit"],
  });
  const ended = once(importer, "exit");
  const hash = createHash("sha256");
  const person = "Test <test@example.org> 1700000000 +0000";
  importer.stdin.write(
    `commit refs/heads/main\nauthor ${person}\ncommitter ${person}\ndata 5\nlarge\ndeleteall\n` +
      `M 100644 inline large.bin\ndata ${LARGE_BYTES}\n`,
  );
  for (let at = 0; at < LARGE_BYTES; at += BLOCK.length) {
    BLOCK.writeUInt32BE(at, 0);
    const block = Buffer.from(BLOCK);
    hash.update(block);
    if (!importer.stdin.write(block)) await once(importer.stdin, "drain");
  }
  importer.stdin.end("\ndone\n");
  expect((await ended)[0]).toBe(0);
  return hash.digest("hex");
}

test("a file of 200 MB arrives whole, and the engine never has more than a few pieces of it", async () => {
  const root = await scratchDirectory();
  const bare = await makeRepository(join(root, "remotes"), "docs", { files: 1 });
  const sha256 = await commitLarge(bare);
  const remote = await startGitServer(join(root, "remotes"));
  const receiver = await serveFolder(join(root, "folder"));
  onTestFinished(() => receiver.close());
  const env = {
    DATABASE_URL: await scratchDatabase(),
    CROFT_ALLOW_PRIVATE: `${remote.host},${receiver.host}`,
  };
  const server = await startServer(join(root, "data"), { env });
  onTestFinished(async () => void (await server.stop()));
  const app = await onboard(server, "large", receiver.url);
  receiver.open(app.signing_secret);
  const peakMb = () => {
    const status = readFileSync(`/proc/${server.pid}/status`, "utf8");
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  };
  const before = peakMb();
  const watch = await addWatch(server, app, { url: remote.url("docs") });
  const commit = commitId(await git(["--git-dir", bare, "rev-parse", "main"]));
  await waitUntil("all of it", () => isToldOf(server, watch.id, commit), 150_000);
  expect(peakMb() - before).toBeLessThan(100);
  expect(receiver.faults).toEqual([]);
  const hash = createHash("sha256");
  hash.update(readFileSync(join(receiver.folderOf(watch.id), "large.bin")));
  expect(hash.digest("hex")).toBe(sha256);
}, 180_000);
