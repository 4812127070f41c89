// Attributes are found without an index of all files.
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { importCommits, treeOf } from "../../test/support/import-commits.ts";
import { git, makeRepository } from "../../test/support/make-repository.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { gitText } from "../command/run-git.ts";
import { commitId } from "../remote/commit-id.ts";
import { ExportAttributes } from "./export-attributes.ts";

async function opened(paths: readonly string[]) {
  const gitDir = await makeRepository(await scratchDirectory(), "app", { files: 0 });
  const files = {
    ".gitattributes": "*.log export-ignore\n",
    "a/.gitattributes": "*.tmp export-ignore\n",
    "a/b/.gitattributes": "kept.log -export-ignore\n",
    "c/.gitattributes": "* export-ignore\n",
    ...{ "a/b/kept.log": "1", "a/b/x.tmp": "2", "a/b/x.log": "3", "a/b/plain": "4", "c/d": "5" },
    "no.gitattributes": "6",
  };
  await importCommits(gitDir, "main", [treeOf(files)]);
  const commit = commitId(await git(["--git-dir", gitDir, "rev-parse", "main"]));
  const directory = join(await scratchDirectory(), "attributes");
  const attributes = await ExportAttributes.open({ gitDir }, commit, { directory, paths });
  onTestFinished(() => attributes.close());
  const variables = { GIT_INDEX_FILE: join(directory, "index") };
  const indexed = (await gitText(["ls-files"], { gitDir, variables })).split("\n");
  return { attributes, indexed };
}

const entry = (path: string) => ({ path: Buffer.from(path), mode: "100644", blob: "" });
const ENTRIES = ["a/b/kept.log", "a/b/x.tmp", "a/b/x.log", "a/b/plain"].map(entry);

test("the index has the attributes' files and no others", async () => {
  const { attributes, indexed } = await opened([]);
  expect(indexed).toEqual([
    ".gitattributes",
    "a/.gitattributes",
    "a/b/.gitattributes",
    "c/.gitattributes",
  ]);
  const asked = await attributes.areLeftOut([...ENTRIES, entry("c/d"), entry("x.tmp")]);
  expect(asked).toEqual([false, true, true, false, true, false]);
});

test("of some paths only those in them and above them are read", async () => {
  const { attributes, indexed } = await opened(["a/b"]);
  expect(indexed).toEqual([".gitattributes", "a/.gitattributes", "a/b/.gitattributes"]);
  expect(await attributes.areLeftOut(ENTRIES)).toEqual([false, true, true, false]);
});
