// The first directory on the way that another user may not enter is named.
import { chmod, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { firstClosedTo } from "./first-closed-to.ts";

const STRANGER = 12_345;

async function nested(): Promise<{ outer: string; inner: string }> {
  const outer = join(await scratchDirectory(), "outer");
  const inner = join(outer, "inner");
  await mkdir(inner, { recursive: true, mode: 0o755 });
  return { outer, inner };
}

test("a way that is open all along is closed nowhere", async () => {
  const { inner } = await nested();
  expect(await firstClosedTo(inner, STRANGER)).toBeUndefined();
});

test("passing needs only the right to enter, not to list", async () => {
  const { outer, inner } = await nested();
  await chmod(outer, 0o711);
  expect(await firstClosedTo(inner, STRANGER)).toBeUndefined();
});

test("the outermost closed directory is named, though an inner one is closed too", async () => {
  const { outer, inner } = await nested();
  await chmod(inner, 0o700);
  expect(await firstClosedTo(inner, STRANGER)).toBe(inner);
  await chmod(outer, 0o700);
  expect(await firstClosedTo(inner, STRANGER)).toBe(outer);
});

test("the owner passes by the owner's bits", async () => {
  const { outer, inner } = await nested();
  const owner = process.getuid?.() ?? -1;
  await chmod(outer, 0o700);
  expect(await firstClosedTo(inner, owner)).toBeUndefined();
  await chmod(inner, 0o611);
  expect(await firstClosedTo(inner, owner)).toBe(inner);
});

test("a link into a closed directory is closed, though the way to the link is open", async () => {
  const { outer, inner } = await nested();
  await chmod(outer, 0o700);
  const link = join(await scratchDirectory(), "link");
  await symlink(inner, link);
  expect(await firstClosedTo(link, STRANGER)).toBe(outer);
});
