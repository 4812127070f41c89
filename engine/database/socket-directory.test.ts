// The socket lies where its path fits and nobody else can reach it.
import { chmod, chown, mkdir, readdir, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { type DataDirectory, openDataDirectory } from "../data-directory/data-directory.ts";
import { POSTGRES_UID } from "../data-directory/postgres-uid.ts";
import { makeSocketDirectory } from "./socket-directory.ts";

const isRoot = process.getuid?.() === 0;
const owner = isRoot ? POSTGRES_UID : process.getuid?.();

/** A data directory whose path is too long for a socket, and the temporary directory used instead. */
async function tooLong(): Promise<{ directory: DataDirectory; temporary: string }> {
  const temporary = await scratchDirectory();
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const path = join(await scratchDirectory(), "x".repeat(100));
  return { directory: await openDataDirectory(path), temporary };
}

test("the socket lies in the data directory, for PostgreSQL's user alone", async () => {
  const directory = await openDataDirectory(await scratchDirectory());
  const path = await makeSocketDirectory(directory);
  expect(path).toBe(join(directory.postgres, "socket"));
  const { mode, uid } = await stat(path);
  expect({ mode: mode & 0o777, uid }).toEqual({ mode: 0o700, uid: owner });
});

test("a path too long for a socket moves it into the temporary directory, always the same place", async () => {
  const { directory, temporary } = await tooLong();
  const path = await makeSocketDirectory(directory);
  expect(path.startsWith(join(temporary, "croft-"))).toBe(true);
  expect((await stat(path)).mode & 0o777).toBe(0o700);
  expect(await makeSocketDirectory(directory)).toBe(path);
});

test("two data directories with long paths do not share a socket", async () => {
  const first = await tooLong();
  const second = await openDataDirectory(join(await scratchDirectory(), "y".repeat(100)));
  expect(await makeSocketDirectory(first.directory)).not.toBe(await makeSocketDirectory(second));
  expect(await readdir(first.temporary)).toHaveLength(2);
});

test("a directory that somebody opened to others is refused", async () => {
  const { directory } = await tooLong();
  const path = await makeSocketDirectory(directory);
  await chmod(path, 0o755);
  await expect(makeSocketDirectory(directory)).rejects.toMatchObject({
    code: "data-directory-unusable",
    message: expect.stringContaining(`'${path}'`),
  });
});

test("a link that somebody laid in its place is refused", async () => {
  const { directory, temporary } = await tooLong();
  const path = await makeSocketDirectory(directory);
  const trap = join(temporary, "trap");
  await mkdir(trap, { mode: 0o700 });
  const other = await tooLong();
  await symlink(trap, join(other.temporary, nameOf(path)));
  await expect(makeSocketDirectory(directory)).rejects.toMatchObject({
    code: "data-directory-unusable",
  });
});

test.runIf(isRoot)("a directory of somebody else is refused", async () => {
  const { directory } = await tooLong();
  await chown(await makeSocketDirectory(directory), 12_345, 12_345);
  await expect(makeSocketDirectory(directory)).rejects.toMatchObject({
    code: "data-directory-unusable",
  });
});

test.runIf(isRoot)(
  "one that was made but not yet given to PostgreSQL's user is finished",
  async () => {
    const { directory } = await tooLong();
    const path = await makeSocketDirectory(directory);
    await chown(path, 0, 0);
    await makeSocketDirectory(directory);
    expect((await stat(path)).uid).toBe(POSTGRES_UID);
  },
);

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
