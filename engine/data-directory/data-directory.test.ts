// The data directory is made with the right modes, used again, and refused with a reason when it cannot be used.
import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { discard, openDataDirectory, sweepStaging } from "./data-directory.ts";

const isRoot = process.getuid?.() === 0;
const modeOf = async (path: string) => (await stat(path)).mode & 0o7777;

test("others may pass through where PostgreSQL runs as another user, and enter nothing private", async () => {
  const directory = await openDataDirectory(join(await scratchDirectory(), "data"));
  const passable = isRoot ? 0o711 : 0o700;
  expect(directory.separatesUsers).toBe(isRoot);
  expect(await modeOf(directory.path)).toBe(passable);
  expect(await modeOf(directory.postgres)).toBe(passable);
  expect(await modeOf(directory.staging)).toBe(passable);
  expect(await modeOf(directory.run)).toBe(0o700);
  expect(await modeOf(directory.trash)).toBe(0o700);
  expect(await modeOf(directory.locks)).toBe(0o700);
});

test("the modes do not depend on the umask", async () => {
  const path = join(await scratchDirectory(), "data");
  const before = process.umask(0o077);
  onTestFinished(() => void process.umask(before));
  const { postgres } = await openDataDirectory(path);
  expect(await modeOf(postgres)).toBe(isRoot ? 0o711 : 0o700);
});

test("missing parents are made", async () => {
  const path = join(await scratchDirectory(), "a/b/c");
  await openDataDirectory(path);
  expect((await readdir(path)).sort()).toEqual(["locks", "postgres", "run", "staging", "trash"]);
});

test("a directory is used again with what lies in it, and closed where somebody opened it", async () => {
  const path = await scratchDirectory();
  const { run } = await openDataDirectory(path);
  await writeFile(join(run, "kept"), "kept");
  await chmod(run, 0o777);
  await openDataDirectory(path);
  expect(await readdir(run)).toEqual(["kept"]);
  expect(await modeOf(run)).toBe(0o700);
});

test("what a killed `croft doctor` left in an empty directory is not somebody else's", async () => {
  const path = await scratchDirectory();
  await mkdir(join(path, "croft-probe.1.1.0123abcd"));
  await openDataDirectory(path);
  expect(await readdir(path)).toContain("locks");
});

test("two processes that open it at the same moment both succeed", async () => {
  const path = join(await scratchDirectory(), "data");
  const opened = await Promise.all(Array.from({ length: 8 }, () => openDataDirectory(path)));
  expect(new Set(opened.map(({ run }) => run))).toEqual(new Set([join(path, "run")]));
});

test.each([
  ["is a file", "data", "data"],
  ["lies below a file", "file", "file/data"],
])("a path that %s is refused with the way out", async (_what, file, path) => {
  const directory = await scratchDirectory();
  await writeFile(join(directory, file), "in the way");
  await expect(openDataDirectory(join(directory, path))).rejects.toMatchObject({
    code: "data-directory-unusable",
    message: expect.stringMatching(
      /^cannot use data directory '.*'.*choose another with CROFT_DATA$/,
    ),
  });
});

test("a part that is a file is refused, not overwritten", async () => {
  const path = await scratchDirectory();
  await writeFile(join(path, "run"), "in the way");
  await expect(openDataDirectory(path)).rejects.toMatchObject({ code: "data-directory-unusable" });
  expect((await stat(join(path, "run"))).isFile()).toBe(true);
});

/** Opens the directory in a process of a user who owns nothing here, and returns the error's code or "opened". */
async function openAsStranger(path: string): Promise<string> {
  const script = join(await scratchDirectory(), "open.mjs");
  await build({
    stdin: {
      contents: `import { openDataDirectory } from "./data-directory.ts";
        const opening = openDataDirectory(process.argv[2]);
        process.stdout.write(await opening.then(() => "opened", ({ code }) => code));`,
      resolveDir: import.meta.dirname,
    },
    outfile: script,
    bundle: true,
    platform: "node",
    format: "esm",
  });
  const user = { uid: 12_345, gid: 12_345 };
  return (await promisify(execFile)(process.execPath, [script, path], user)).stdout;
}

test.runIf(isRoot)("a directory that may only be read is refused", async () => {
  expect(await openAsStranger(await scratchDirectory())).toBe("data-directory-unusable");
});

test.runIf(isRoot)(
  "a directory that root used before is refused to a user who cannot write it",
  async () => {
    const path = join(await scratchDirectory(), "data");
    await openDataDirectory(path);
    expect(await openAsStranger(path)).toBe("data-directory-unusable");
  },
);

test("what is discarded is gone, with all that lies below, also when it was gone before", async () => {
  const directory = await openDataDirectory(await scratchDirectory());
  const doomed = join(directory.staging, "doomed");
  await mkdir(join(doomed, "deep"), { recursive: true });
  await writeFile(join(doomed, "deep/file"), "x");
  await discard(directory, doomed);
  await discard(directory, doomed);
  expect(await readdir(directory.staging)).toEqual([]);
  expect(await readdir(directory.trash)).toEqual([]);
});

test("what killed starts left half made is swept, and what others make is not", async () => {
  const directory = await openDataDirectory(await scratchDirectory());
  for (const name of ["cluster-1/base", "binaries-2/native", "mirror-3"]) {
    await mkdir(join(directory.staging, name), { recursive: true });
  }
  await mkdir(join(directory.trash, "old"));
  await sweepStaging(directory);
  expect(await readdir(directory.staging)).toEqual(["mirror-3"]);
  expect(await readdir(directory.trash)).toEqual([]);
});

test("a directory of somebody else's is refused, and keeps its mode", async () => {
  const path = await scratchDirectory();
  await chmod(path, 0o1777);
  await writeFile(join(path, "theirs"), "x");
  await expect(openDataDirectory(path)).rejects.toMatchObject({ code: "data-directory-unusable" });
  expect(await modeOf(path)).toBe(0o1777);
  expect(await readdir(path)).toEqual(["theirs"]);
});

test("an existing empty directory keeps its mode", async () => {
  const path = await scratchDirectory();
  await chmod(path, 0o755);
  await openDataDirectory(path);
  expect(await modeOf(path)).toBe(0o755);
});
