// Keys of Croft's session, and of other jobs', cannot be reached from the sandbox.
import { expect, test } from "vitest";
import { scratchGit } from "../../test/support/scratch-git.ts";
import { keyringFilter } from "./keyring-filter.ts";

test("the calls of the keyring are refused, others work", async () => {
  const { git, mirror, commits } = await scratchGit({ files: 2 });
  const workspace = await git.workspaces.createAt(mirror, commits[0], {
    ...{ name: "keys", owner: { owner: "local" } },
  });
  expect(workspace.isSandboxed).toBe(true);
  // add_key, request_key, keyctl and, as the one that must work, getppid.
  const numbers = process.arch === "arm64" ? [217, 218, 219, 173] : [248, 249, 250, 110];
  const script = `for my $n (${numbers}) { $! = 0; my $r = syscall($n, 0, -3, 0, 0, 0); print $n, " ", $r, " ", $!+0, "\\n"; }`;
  const { stdout } = await workspace.run(["perl", "-e", script]);
  const [add, request, control, parent] = stdout.toString("utf8").trim().split("\n");
  expect([add, request, control]).toEqual(numbers.slice(0, 3).map((number) => `${number} -1 1`));
  expect(parent).toMatch(/^\d+ [1-9]\d* 0$/);
  await workspace.remove();
});

test("there is a filter for the usual processors, and none that is made up", () => {
  expect(keyringFilter("x64")?.length).toBe(96);
  expect(keyringFilter("arm64")?.length).toBe(56);
  expect(keyringFilter("ppc64")).toBeUndefined();
});
