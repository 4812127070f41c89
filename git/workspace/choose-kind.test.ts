// The kind is chosen by what the machine can do, and the reason is told.
import { expect, test } from "vitest";
import {
  isRoot,
  type Machine,
  shareWorkspaces,
  shell,
} from "../../test/support/workspace-scene.ts";
import { chooseKind } from "./choose-kind.ts";

const scene = shareWorkspaces();
const can: Machine = { name: "can", kind: "overlay", hasOverlay: true, hasSandbox: true };
const cannot: Machine = { name: "cannot", kind: "clone", hasOverlay: false, hasSandbox: true };

test.runIf(isRoot)("an overlay where the machine can mount one", async () => {
  const workspace = await scene.create(can, { kind: undefined });
  expect([workspace.kind, workspace.reason]).toEqual([
    "overlay",
    "this machine can mount overlays",
  ]);
  await workspace.remove();
});

test.runIf(isRoot)("a clone where one is asked for", async () => {
  const workspace = await scene.create(can, { kind: "clone" });
  expect([workspace.kind, workspace.reason]).toEqual(["clone", "asked for"]);
  await workspace.remove();
});

test("a clone where the machine cannot, with the reason, and it works all the same", async () => {
  const workspace = await scene.create(cannot, { kind: undefined, branch: "b" });
  expect([workspace.kind, workspace.reason]).toEqual(["clone", "not in this test"]);
  await shell(workspace, "echo x > x");
  const { commit } = await workspace.result();
  expect(commit).not.toBe(workspace.base);
  await workspace.remove();
});

test("a clone for a part of the tree, which has only that part", async () => {
  const workspace = await scene.create(can, { kind: undefined, sparse: ["src/d0"] });
  expect([workspace.kind, workspace.reason]).toMatchObject(
    isRoot ? ["clone", "a sparse checkout has no template"] : ["clone", expect.any(String)],
  );
  expect(await shell(workspace, "ls; git status --porcelain")).not.toContain("ünïcödé");
  await shell(workspace, "echo x > src/d0/new"); // the result still has all the rest
  const { commit } = await workspace.result();
  expect(await workspace.diff()).toContain("src/d0/new");
  expect(commit).not.toBe(workspace.base);
  await workspace.remove();
});

test("an overlay that is asked for where it cannot be is refused before anything is made", async () => {
  const making = scene.create(cannot, { kind: "overlay" });
  await expect(making).rejects.toMatchObject({
    code: "kind-unavailable",
    message: "cannot make an overlay workspace: not in this test",
  });
  expect(await scene.git.ledger.list()).toEqual([]);
});

test("while a mirror is still being made there is no template to lay it on", () => {
  const platform = { ...scene.git.platform, overlay: { isPossible: true as const } };
  const choice = chooseKind({ isSparse: false, isShallow: true }, platform);
  expect(choice).toEqual({ kind: "clone", reason: "the mirror's first fetch is still running" });
});
