// Refs are found however many are asked for.
import { expect, test } from "vitest";
import { mirrorScene } from "../../test/support/mirror-scene.ts";
import { GitError } from "../command/git-error.ts";
import { runGit } from "../command/run-git.ts";
import { readTips } from "./read-tips.ts";

test("more names than an argument list takes", async () => {
  const { remote, idOf } = await mirrorScene();
  const names = Array.from({ length: 10_000 }, (_, n) => `${"x".repeat(60)}${n}`);
  const tips = await readTips(remote, ["main", "", ...names]);
  const main = { commit: await idOf("main"), ref: "refs/heads/main" };
  expect([...tips]).toEqual([
    ["main", main],
    ["", main],
  ]);
});

test("a git that the system does not start is a failure like others", async () => {
  const error = await runGit(["ls-remote", ...Array<string>(40_000).fill("x".repeat(100))]).catch(
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(GitError);
  expect(error).toMatchObject({ code: "failed", message: expect.stringContaining("E2BIG") });
});
