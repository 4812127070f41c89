// The history is read as git has it, whatever names its files and makers have.
import { expect, test } from "vitest";
import { importHistory } from "../../test/support/import-history.ts";
import { makeBomb } from "../../test/support/make-bomb.ts";
import { git, makeRepository } from "../../test/support/make-repository.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { type CommitId, commitId } from "../remote/commit-id.ts";
import { type HistoryRecord, readCommitFacts, readHistory } from "./commit-history.ts";

async function historyOf(gitDir: string, head: CommitId) {
  const read: HistoryRecord[] = [];
  for await (const lot of readHistory({ gitDir }, head, { countMax: 10 })) read.push(...lot);
  return read.map((record) => ("path" in record ? record.path.toString() : record));
}

test("every commit comes with its files, newest first, also with odd names and none at all", async () => {
  const gitDir = await makeRepository(await scratchDirectory(), "app", { files: 0 });
  const by = { author: "Änn Ö", email: "ann@example.org" };
  await importHistory(gitDir, [
    { ...by, at: 1000, message: "one", files: { "\nfirst": "1", "\nsecond": "2", "a\tb": "3" } },
    { ...by, at: 2000, message: "none", files: {} },
    { ...by, at: 3000, message: "three\n\nand more", files: { "a\tb": "4" } },
  ]);
  const head = commitId(await git(["--git-dir", gitDir, "rev-parse", "main"]));
  const person = { author: "Änn Ö", email: "ann@example.org" };
  expect(await historyOf(gitDir, head)).toEqual([
    { commit: { ...person, committedAt: 3000 } },
    "a\tb",
    { commit: { ...person, committedAt: 2000 } },
    { commit: { ...person, committedAt: 1000 } },
    ...["\nfirst", "\nsecond", "a\tb"],
  ]);
  expect(await readCommitFacts({ gitDir }, head)).toEqual({
    ...{ subject: "three", committedAt: 3000, author: "Änn Ö", email: "ann@example.org" },
    parents: [expect.stringMatching(/^[0-9a-f]{40}$/)],
  });
});

test("names and subjects of any length are cut at a character, and what comes after them is not lost", async () => {
  const gitDir = await makeRepository(await scratchDirectory(), "app", { files: 0 });
  const by = { author: "x".repeat(2_000_000), email: `a${"é".repeat(1_000_000)}` };
  await importHistory(gitDir, [
    { ...by, at: 1000, message: "s".repeat(3_000_000), files: { f: "1" } },
  ]);
  const head = commitId(await git(["--git-dir", gitDir, "rev-parse", "main"]));
  const cut = { author: `${"x".repeat(199)}…`, email: `a${"é".repeat(99)}…`, committedAt: 1000 };
  expect(await historyOf(gitDir, head)).toEqual([{ commit: cut }, "f"]);
  expect(await readCommitFacts({ gitDir }, head)).toEqual({
    ...{ ...cut, subject: `${"s".repeat(999)}…`, parents: [] },
  });
});

test("the files of a commit come in lots, however many they are", async () => {
  const gitDir = await makeBomb(await scratchDirectory(), { depth: 5, nameLength: 20 });
  const head = commitId(await git(["--git-dir", gitDir, "rev-parse", "main"]));
  const lots: number[] = [];
  for await (const lot of readHistory({ gitDir }, head, { countMax: 10 })) lots.push(lot.length);
  expect(lots.reduce((sum, length) => sum + length)).toBe(100_001);
  expect(Math.max(...lots)).toBeLessThan(2000);
});
