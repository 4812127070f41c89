// The history is read as git has it, whatever names its files and makers have.
import { expect, test } from "vitest";
import { importHistory } from "../../test/support/import-history.ts";
import { git, makeRepository } from "../../test/support/make-repository.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { commitId } from "../remote/commit-id.ts";
import { type PastCommit, readCommitFacts, readHistory } from "./commit-history.ts";

test("every commit comes with its files, newest first, also with odd names and none at all", async () => {
  const gitDir = await makeRepository(await scratchDirectory(), "app", { files: 0 });
  const by = { author: "Änn Ö", email: "ann@example.org" };
  await importHistory(gitDir, [
    { ...by, at: 1000, message: "one", files: { "\nfirst": "1", "\nsecond": "2", "a\tb": "3" } },
    { ...by, at: 2000, message: "none", files: {} },
    { ...by, at: 3000, message: "three\n\nand more", files: { "a\tb": "4" } },
  ]);
  const head = commitId(await git(["--git-dir", gitDir, "rev-parse", "main"]));
  const read: PastCommit[] = [];
  for await (const lot of readHistory({ gitDir }, head, { countMax: 10 })) read.push(...lot);
  const found = read.map(({ subject, committedAt, author, paths }) => ({
    ...{ subject, committedAt, author, paths: paths.map((path) => path.toString()) },
  }));
  expect(found).toEqual([
    { subject: "three", committedAt: 3000, author: "Änn Ö", paths: ["a\tb"] },
    { subject: "none", committedAt: 2000, author: "Änn Ö", paths: [] },
    { subject: "one", committedAt: 1000, author: "Änn Ö", paths: ["\nfirst", "\nsecond", "a\tb"] },
  ]);
  expect(await readCommitFacts({ gitDir }, head)).toEqual({
    ...{ subject: "three", committedAt: 3000, author: "Änn Ö", email: "ann@example.org" },
    parents: [expect.stringMatching(/^[0-9a-f]{40}$/)],
  });
});
