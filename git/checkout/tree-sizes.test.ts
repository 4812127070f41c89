// Sizes of trees are asked of git once.
import { expect, test } from "vitest";
import { scratchGit } from "../../test/support/scratch-git.ts";
import { measureTree } from "./measure-tree.ts";
import { TreeSizes } from "./tree-sizes.ts";

test("the size of a commit's tree is remembered, whatever becomes of the repository", async () => {
  const { mirror, commits } = await scratchGit({ files: 20 });
  const sizes = new TreeSizes(undefined);
  const measured = await sizes.measure(mirror.gitDir, commits[0]);
  expect(measured).toEqual(await measureTree(mirror.gitDir, commits[0]));
  expect(await sizes.measure("/nonexistent", commits[0])).toEqual(measured);
  await expect(sizes.measure("/nonexistent", commits[1] ?? commits[0])).rejects.toThrow("ls-tree");
});

test("a tree that is too large is refused each time", async () => {
  const { mirror, commits } = await scratchGit({ files: 20 });
  const sizes = new TreeSizes({ files: 5, bytes: 1e9 });
  for (const _ of ["first", "second"]) {
    await expect(sizes.measure(mirror.gitDir, commits[0])).rejects.toMatchObject({
      code: "too-large",
    });
  }
});
