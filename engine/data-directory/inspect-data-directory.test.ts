// A data directory is judged without being made or changed.
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { openDataDirectory } from "./data-directory.ts";
import { inspectDataDirectory } from "./inspect-data-directory.ts";

test("one that is not there is looked for above, and not made", async () => {
  const parent = await scratchDirectory();
  const { check, place } = await inspectDataDirectory(join(parent, "a/b/data"));
  expect(check).toMatchObject({ name: "data-directory", outcome: "ok" });
  expect(place).toEqual({ directory: parent, isUsable: true });
  expect(await readdir(parent)).toEqual([]);
});

test.each(["empty", "Croft's", "a link to one"])("one that is %s is fine", async (what) => {
  const parent = await scratchDirectory();
  const data = join(parent, "data");
  await mkdir(data, { mode: 0o755 });
  if (what === "Croft's") await openDataDirectory(data);
  const link = join(parent, "link");
  await symlink(data, link);
  const path = what === "a link to one" ? link : data;
  const { check, place } = await inspectDataDirectory(path);
  expect(check).toMatchObject({ outcome: "ok", detail: `'${path}'` });
  expect(place).toEqual({ directory: path, isUsable: true });
});

test.each([
  ["is a file", "file", "'.*file' is not a directory"],
  ["lies below a file", "file/data", "'.*file' is not a directory"],
  ["is a link to nothing", "link", "'.*link' leads nowhere"],
  ["has files of others", "theirs", "it has files that are not Croft's"],
])("one that %s cannot be used", async (_what, name, reason) => {
  const parent = await scratchDirectory();
  await writeFile(join(parent, "file"), "");
  await symlink(join(parent, "nothing"), join(parent, "link"));
  await mkdir(join(parent, "theirs"));
  await writeFile(join(parent, "theirs/file"), "");
  const { check, place } = await inspectDataDirectory(join(parent, name));
  expect(check).toMatchObject({
    outcome: "failed",
    detail: expect.stringMatching(new RegExp(` cannot be used: ${reason}$`)),
    advice: "choose another with CROFT_DATA",
  });
  expect(place.isUsable).toBe(false);
});
