// Files out of a job's directory, and into it, whatever the job has put in the way.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { assetScene } from "../../test/support/asset-scene.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { materialise } from "./materialise.ts";
import { storeFile } from "./store-asset.ts";

const isRoot = process.getuid?.() === 0;
const JOB = {
  uid: isRoot ? 65_533 : (process.getuid?.() ?? 0),
  gid: isRoot ? 65_533 : (process.getgid?.() ?? 0),
};

async function scene() {
  const base = await scratchDirectory();
  const [directory, outside] = [join(base, "workspace"), join(base, "outside")];
  for (const path of [directory, outside]) mkdirSync(path);
  writeFileSync(join(outside, "secret"), "hunter2");
  if (isRoot) chownSync(directory, JOB.uid, JOB.gid);
  const assets = await assetScene();
  const take = (path: string, maxBytes = 1_000_000) =>
    storeFile(assets.assets, { directory, path }, { maxBytes });
  /** As the job would. */
  const write = (path: string, text: string) => {
    writeFileSync(join(directory, path), text);
    if (isRoot) chownSync(join(directory, path), JOB.uid, JOB.gid);
  };
  return { ...assets, directory, outside, take, write };
}

test("a file of the job's is taken, wherever it lies and whatever its name", async () => {
  const { take, write, directory, files } = await scene();
  mkdirSync(join(directory, "a/b c"), { recursive: true });
  write("a/b c/-ü\n.txt", "yes");
  write("..hidden", "too");
  linkSync(join(directory, "..hidden"), join(directory, "second name")); // as compilers do
  expect(await take("a/b c/-ü\n.txt")).toMatchObject({ bytes: 3 });
  expect(await take("..hidden")).toMatchObject({ bytes: 3 });
  expect(await take("second name")).toMatchObject({ bytes: 3 });
  expect(files()).toHaveLength(2);
});

test.each([
  "",
  ".",
  "..",
  "/etc/passwd",
  "a/../b",
  "./a",
  "a//b",
  "a/",
  "../outside/secret",
  "a\0b",
  "x".repeat(5000),
])("the path %j is refused", async (path) => {
  const { take, write } = await scene();
  write("b", "b");
  await expect(take(path)).rejects.toMatchObject({ code: "unsafe-path" });
});

test("links are not followed: to a file, to a directory on the way, to nowhere", async () => {
  const { take, directory, outside, files } = await scene();
  symlinkSync(join(outside, "secret"), join(directory, "file"));
  symlinkSync(outside, join(directory, "dir"));
  symlinkSync("loop", join(directory, "loop"));
  symlinkSync("/proc/self/environ", join(directory, "environ"));
  for (const path of ["file", "dir/secret", "loop", "loop/x", "environ"]) {
    await expect(take(path)).rejects.toMatchObject({ code: "unsafe-path" });
  }
  await expect(take("dir")).rejects.toMatchObject({ code: "unsafe-path" });
  expect(files()).toEqual([]);
});

test("pipes, sockets, devices and directories are no files, and nobody waits for them", async () => {
  const { take, directory } = await scene();
  execFileSync("mkfifo", [join(directory, "pipe")]);
  const server = createServer().listen(join(directory, "socket"));
  onTestFinished(() => void server.close());
  mkdirSync(join(directory, "folder"));
  if (isRoot) execFileSync("mknod", [join(directory, "zero"), "c", "1", "5"]);
  for (const path of ["pipe", "socket", ...(isRoot ? ["zero"] : [])]) {
    await expect(take(path)).rejects.toMatchObject({ code: "not-a-file" });
  }
  await expect(take("folder")).rejects.toMatchObject({ code: "is-directory" });
  for (const path of ["missing", "missing/too", "pipe/x"]) {
    await expect(take(path)).rejects.toMatchObject({ code: "not-found" });
  }
});

test("holes count as what they would be read as, and a file that never ends is cut off", async () => {
  const { take, write, directory, files, staged, keep } = await scene();
  await keep("x");
  write("sparse", "");
  truncateSync(join(directory, "sparse"), 1024 ** 4);
  await expect(take("sparse")).rejects.toMatchObject({ code: "too-large" });
  write("small", "");
  truncateSync(join(directory, "small"), 1_000_000);
  expect(await take("small")).toMatchObject({ bytes: 1_000_000 });
  write("growing", "a".repeat(900_000));
  let isDone = false;
  const taking = take("growing").finally(() => {
    isDone = true;
  });
  const grow = () => {
    writeFileSync(join(directory, "growing"), "b".repeat(200_000), { flag: "a" });
    if (!isDone) setImmediate(grow);
  };
  grow();
  await expect(taking).rejects.toMatchObject({ code: "too-large" });
  expect(files()).toHaveLength(2);
  expect(staged()).toEqual([]);
});

test.runIf(isRoot)(
  "root's eyes are not lent: foreign hard links and unreadable files",
  async () => {
    const { take, directory, outside } = await scene();
    linkSync(join(outside, "secret"), join(directory, "linked"));
    await expect(take("linked")).rejects.toThrow(/hard link to a file of somebody else/);
    writeFileSync(join(directory, "moved"), "root's", { mode: 0o600 });
    await expect(take("moved")).rejects.toThrow(/the job itself cannot read/);
    chmodSync(join(directory, "moved"), 0o644);
    expect(await take("moved")).toMatchObject({ bytes: 6 });
  },
);

test("while directories are swapped for links under way, only the job's own file comes out", async () => {
  const { take, write, directory, outside, files } = await scene();
  mkdirSync(join(directory, "real"));
  write("real/secret", "mine");
  symlinkSync(outside, join(directory, "link"));
  let isDone = false;
  const swap = () => {
    renameSync(join(directory, "real"), join(directory, "away"));
    renameSync(join(directory, "link"), join(directory, "real"));
    renameSync(join(directory, "real"), join(directory, "link"));
    renameSync(join(directory, "away"), join(directory, "real"));
    if (!isDone) setImmediate(swap);
  };
  swap();
  const outcomes = await Promise.all(
    Array.from({ length: 300 }, () => take("real/secret").catch((error) => error.code as string)),
  );
  isDone = true;
  const odd = outcomes.filter(
    (outcome) => typeof outcome === "string" && !["not-found", "unsafe-path"].includes(outcome),
  );
  expect(odd).toEqual([]);
  expect(files().length).toBeLessThanOrEqual(1);
});

test("an asset is put into the job's directory, as the job's own", async () => {
  const { assets, keep, directory } = await scene();
  const asset = await keep("contents");
  const user = isRoot ? JOB : undefined;
  await materialise(assets, asset, { directory, path: "in/deep er/tasks.json", user });
  await materialise(assets, asset, { directory, path: "in/run.sh", user, mode: 0o755 });
  const found = statSync(join(directory, "in/deep er/tasks.json"));
  expect([found.uid, found.gid, found.mode & 0o777, found.nlink]).toEqual([
    JOB.uid,
    JOB.gid,
    0o644,
    1,
  ]);
  expect(statSync(join(directory, "in/deep er")).uid).toBe(JOB.uid);
  expect(statSync(join(directory, "in/run.sh")).mode & 0o777).toBe(0o755);
  writeFileSync(join(directory, "in/run.sh"), "changed"); // never the store's own file
  await materialise(assets, asset, { directory, path: "in/run.sh", user });
  expect(readFileSync(join(directory, "in/run.sh"), "utf8")).toBe("contents");
  expect(readdirSync(join(directory, "in")).sort()).toEqual(["deep er", "run.sh"]);
});

test("it leaves the job's directory by no link, and replaces a link itself", async () => {
  const { assets, keep, directory, outside } = await scene();
  const asset = await keep("contents");
  const put = (path: string) => materialise(assets, asset, { directory, path });
  symlinkSync(outside, join(directory, "out"));
  symlinkSync(join(outside, "secret"), join(directory, "file"));
  writeFileSync(join(directory, "plain"), "");
  await expect(put("out/secret")).rejects.toMatchObject({ code: "unsafe-path" });
  await expect(put("out/new/secret")).rejects.toMatchObject({ code: "unsafe-path" });
  await expect(put("../outside/secret")).rejects.toMatchObject({ code: "unsafe-path" });
  await expect(put("plain/x")).rejects.toMatchObject({ code: "not-found" });
  mkdirSync(join(directory, "taken"));
  await expect(put("taken")).rejects.toMatchObject({ code: "unsafe-path" });
  await put("file");
  expect(lstatSync(join(directory, "file")).isFile()).toBe(true);
  expect(readFileSync(join(outside, "secret"), "utf8")).toBe("hunter2");
  expect(readdirSync(outside)).toEqual(["secret"]);
  expect(readlinkSync(join(directory, "out"))).toBe(outside);
  expect(readdirSync(directory).sort()).toEqual(["file", "out", "plain", "taken"]);
});

test("damaged contents are not put anywhere", async () => {
  const { assets, keep, directory, pathOf } = await scene();
  const asset = await keep("contents");
  const path = pathOf(asset.sha256);
  rmSync(path);
  writeFileSync(path, "CONTENTS");
  const putting = materialise(assets, asset, { directory, path: "x" });
  await expect(putting).rejects.toMatchObject({ code: "lost" });
  expect(readdirSync(directory)).toEqual([]);
});
