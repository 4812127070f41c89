// The example that keeps a folder equal to a branch: every kind of file, every trick, started as its README says.
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { treeOf } from "./support/import-commits.ts";
import { mirrorProgram, startMirror } from "./support/mirror-process.ts";
import { folderOf } from "./support/mirrored-trees.ts";
import { differences, readCheckout } from "./support/read-checkout.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import {
  deletedFile,
  type FilesPlan,
  filesChanged,
  keptFile,
  messageOf,
  send,
  WATCH_ID,
} from "./support/signed-messages.ts";

async function startScene() {
  const scratch = await scratchDirectory();
  const folder = join(scratch, "mirror");
  const mirror = await startMirror(mirrorProgram, folder);
  const root = join(folder, WATCH_ID);
  const told = async (plan: FilesPlan) => (await send(mirror.url, filesChanged(plan))).status;
  const expectTree = (entries: Parameters<typeof treeOf>[0]) =>
    expect(differences(folderOf(treeOf(entries)), readCheckout(root))).toEqual([]);
  return { scratch, folder, mirror, root, told, expectTree };
}

test("files come, change and go, with their modes, and empty directories go with them", async () => {
  const { mirror, told, expectTree } = await startScene();
  const name255 = "n".repeat(255);
  const files = [
    ...[keptFile("a/b/c", "deep"), keptFile("run", "#!/bin/sh\n", "100755"), keptFile("empty", "")],
    ...[keptFile(name255, "long"), keptFile("new\nline", "odd"), keptFile("A", "upper")],
    keptFile("a/b/binary", Buffer.from([0, 255, 10])),
  ];
  expect(await told({ files })).toBe(200);
  const kept = { empty: "", [name255]: "long", "new\nline": "odd" };
  const run = { mode: "100755", content: "#!/bin/sh\n" } as const;
  const binary = { mode: "100644", content: Buffer.from([0, 255, 10]) } as const;
  expectTree({ ...kept, run, A: "upper", "a/b/c": "deep", "a/b/binary": binary });
  // A mode alone, a rename of case only, and a directory that has nothing left.
  const changes = [
    ...[
      deletedFile("a/b/c"),
      deletedFile("a/b/binary"),
      deletedFile("A"),
      deletedFile("never/was"),
    ],
    ...[keptFile("run", "#!/bin/sh\n"), keptFile("lower", "x"), keptFile("a.b", "upper")],
  ];
  expect(await told({ sync: 2, files: changes })).toBe(200);
  expectTree({ ...kept, run: run.content, lower: "x", "a.b": "upper" });
  expect((await send(mirror.url, messageOf("ping", {}))).status).toBe(200);
  expect(await mirror.kill("SIGTERM")).toBe(0);
});

test("links are written as links and never followed, also not by what comes after them", async () => {
  const { scratch, told, root, expectTree } = await startScene();
  const outside = join(scratch, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "precious"), "mine");
  const link = (path: string, target: string) => keptFile(path, target, "120000");
  expect(
    await told({ files: [link("out", outside), link("file", join(outside, "precious"))] }),
  ).toBe(200);
  expect(readlinkSync(join(root, "out"))).toBe(outside);
  // Through a link to a directory, over a link to a file, and removed behind a link.
  expect(await told({ sync: 1, files: [deletedFile("out/precious")] })).toBe(200);
  expect(
    await told({ sync: 2, files: [keptFile("out/precious", "stolen"), keptFile("file", "x")] }),
  ).toBe(200);
  expectTree({ "out/precious": "stolen", file: "x" });
  expect(readdirSync(outside)).toEqual(["precious"]);
  expect(readFileSync(join(outside, "precious"), "utf8")).toBe("mine");
  // A submodule and a deletion behind a link that leads out.
  mkdirSync(join(outside, "module"));
  const submodule = { ...keptFile("way/module", "", "160000"), content: undefined };
  expect(await told({ sync: 3, files: [link("way", outside)] })).toBe(200);
  expect(await told({ sync: 4, files: [submodule, deletedFile("way/precious")] })).toBe(200);
  expect(await told({ sync: 5, files: [deletedFile("way")] })).toBe(200);
  expect(readdirSync(outside)).toEqual(["module", "precious"]);
  for (const target of ["", "a\0b", "x".repeat(5000)]) {
    expect(await told({ sync: 6, files: [link("bad/link", target)] })).toBe(422);
  }
  expectTree({ "out/precious": "stolen", file: "x" });
});

test("what leads out of the folder, into .git, or has a name too long is refused, and leaves nothing", async () => {
  const { folder, told, expectTree } = await startScene();
  expect(await told({ files: [keptFile("kept", "x")] })).toBe(200);
  const long = `new/${"n".repeat(256)}`;
  const deep = `${"d/".repeat(2045)}x`;
  for (const path of [
    "../escaped",
    "a/../../escaped",
    "/escaped",
    ".git/hooks/x",
    "a/.Git",
    long,
    deep,
  ]) {
    expect(await told({ sync: 2, files: [keptFile(path, "x")] }), path).toBe(422);
  }
  expect(await told({ sync: 3, files: [deletedFile(long), deletedFile(deep)] })).toBe(200);
  expectTree({ kept: "x" });
  expect(readdirSync(folder).sort()).toEqual([".croft", WATCH_ID]);
});

test("a file becomes a directory and a directory a file, in whatever order their messages come", async () => {
  const { told, expectTree } = await startScene();
  expect(
    await told({ sync: 1, files: [keptFile("a", "file"), keptFile("b/c/\xff", "deep")] }),
  ).toBe(200);
  // The creations overtake the deletions.
  expect(await told({ sync: 2, files: [keptFile("a/x", "below"), keptFile("b", "file")] })).toBe(
    200,
  );
  expect(await told({ sync: 2, files: [deletedFile("a"), deletedFile("b/c/\xff")] })).toBe(200);
  expectTree({ "a/x": "below", b: "file" });
  // What was told before comes after: it is no longer so.
  expect(await told({ sync: 1, files: [keptFile("b/late", "old"), keptFile("a", "old")] })).toBe(
    200,
  );
  expectTree({ "a/x": "below", b: "file" });
  // A submodule takes the place of both.
  const submodule = (path: string) => ({ ...keptFile(path, "", "160000"), content: undefined });
  expect(await told({ sync: 3, files: [submodule("a"), submodule("b"), submodule("m/n")] })).toBe(
    200,
  );
  expectTree({});
});

test("a sync that begins anew leaves nothing of before, whichever of its messages comes first", async () => {
  const { told, expectTree, root } = await startScene();
  expect(
    await told({ sync: 1, files: [keptFile("a", "1"), keptFile("b/c", "1"), keptFile("d", "1")] }),
  ).toBe(200);
  expect(await told({ sync: 3, files: [keptFile("later", "3")] })).toBe(200);
  expect(await told({ sync: 2, reset: true, files: [keptFile("a", "2")] })).toBe(200);
  expectTree({ a: "2", later: "3" });
  expect(await told({ sync: 1, files: [keptFile("b/late", "1")] })).toBe(200);
  expect(await told({ sync: 2, reset: true, files: [keptFile("d", "2")] })).toBe(200);
  expectTree({ a: "2", d: "2", later: "3" });
  // Croft's clock was set back: the number counts.
  expect(await told({ sync: 4, clock: -1000, files: [keptFile("new", "4")] })).toBe(200);
  expectTree({ a: "2", d: "2", later: "3", new: "4" });
  // The same repository anew, and empty.
  expect(await told({ sync: 5, reset: true, files: [] })).toBe(200);
  expectTree({});
  expect(lstatSync(root).isDirectory()).toBe(true);
});

test("each watch has a folder of its own", async () => {
  const { folder, told } = await startScene();
  const watchId = "019a8000-0000-7000-8000-000000000002";
  await told({ files: [keptFile("a", "1")] });
  await told({ watchId, files: [keptFile("a", "2")] });
  await told({ watchId, sync: 2, reset: true, files: [] });
  expect(readdirSync(folder).sort()).toEqual([".croft", WATCH_ID, watchId]);
  expect(readFileSync(join(folder, WATCH_ID, "a"), "utf8")).toBe("1");
  expect(readdirSync(join(folder, watchId))).toEqual([]);
});
