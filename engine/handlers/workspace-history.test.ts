// A handler learns where a pull request has left its base.
import { join } from "node:path";
import { expect, test } from "vitest";
import { handlerScene } from "../../test/support/handler-scene.ts";
import { importBranch } from "../../test/support/import-branch.ts";
import { git, makeRepository } from "../../test/support/make-repository.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";

test("a workspace of a handler has the merge base that it asked for, and none that it did not", async () => {
  const origin = await makeRepository(join(await scratchDirectory(), "remotes"), "app", {
    ...{ files: 3, commits: 20 },
  });
  await importBranch(origin, { ref: "refs/pull/7/head", from: "main~12", count: 3 });
  const { submit, ended } = await handlerScene({
    flags: { "git.allowLocal": "true" },
    handlers: {
      look: `async ({ input, workspace }) => {
        const { repository } = input;
        const asked = await workspace({ repository, ref: "refs/pull/7/head", history: "main" });
        const { stdout } = await asked.run("git rev-list --count " + asked.mergeBase + "..HEAD");
        const plain = await workspace({ repository, ref: "refs/pull/7/head" });
        return { base: asked.mergeBase, count: stdout.trim(), isPlain: plain.mergeBase === undefined };
      }`,
    },
  });
  const job = await ended(await submit("look", { input: { repository: origin } }));
  expect(job).toMatchObject({ status: "done", error: null });
  const base = await git(["--git-dir", origin, "rev-parse", "main~12"]);
  expect(job.result).toEqual({ base, count: "3", isPlain: true });
});
