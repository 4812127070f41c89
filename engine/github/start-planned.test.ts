// Where runs of events begin.
import { putPipeline } from "@croft/engine";
import { expect, test } from "vitest";
import { inboxScene } from "../../test/support/inbox-scene.ts";

const SHA = "1".repeat(40);

test.each([
  ["push", { after: SHA }, SHA],
  ["push", { after: "2".repeat(40), head_commit: { id: SHA } }, SHA],
  ["merge_group", { action: "checks_requested", merge_group: { head_sha: SHA } }, SHA],
  ["issues", { action: "opened" }, "refs/heads/trunk"],
])("a run of %s %j begins at %s", async (event, more, ref) => {
  const { engine, bring, dispatch, settled, query } = await inboxScene();
  const text = "on: { github: [push, merge_group, issues] }\nsteps: { a: { run: 'true' } }\n";
  await putPipeline(engine, { owner: "local", name: "build", by: "test", text });
  const clone_url = "https://github.com/acme/engine.git";
  const repository = { id: 5, full_name: "acme/engine", clone_url, default_branch: "trunk" };
  const sender = { login: "ada", type: "User" };
  await bring(event, { installation: { id: 1 }, repository, sender, ...more }, "one");
  await dispatch();
  await settled();
  expect(await query("select ref from croft.run")).toEqual([{ ref }]);
});
