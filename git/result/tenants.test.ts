// What the jobs of one owner made is in no workspace of another, however and whenever that is made.
import { expect, test } from "vitest";
import { git as plainGit } from "../../test/support/make-repository.ts";
import { SANDBOXED, shareWorkspaces, shell } from "../../test/support/workspace-scene.ts";
import { USUAL_REFS } from "../mirror/update-mirror.ts";
import type { Workspace } from "../workspace/workspace.ts";

const scene = shareWorkspaces({ files: 5, commits: 3 });

const everyObject = (job: Workspace) =>
  shell(job, "git cat-file --batch-all-objects --batch-check='%(objectname)' --unordered | sort");

/** All that the remote's own branches have. */
async function publicObjects(): Promise<string> {
  const list = await plainGit([
    "--git-dir",
    scene.origin,
    "rev-list",
    "--objects",
    "--all",
    "--no-object-names",
  ]);
  return list.split("\n").sort().join("\n");
}

test("a job of owner B finds nothing of owner A's, nor of A's results, kept work or publications", async () => {
  const [first] = SANDBOXED;
  if (first === undefined) expect.fail();
  const before = await publicObjects();
  const made: string[] = [];
  for (const machine of SANDBOXED) {
    const job = await scene.create(machine, { owner: { owner: "app:a" }, branch: "b" });
    await shell(job, "echo committed > one; git add one; git commit -qm one; echo loose > two");
    const { commit } = await job.result();
    await shell(job, "echo kept > three");
    await job.keep();
    made.push(
      commit,
      ...(await shell(job, "git rev-list --objects --all --no-object-names")).split("\n"),
    );
    await job.remove();
  }
  const old = new Set(before.split("\n"));
  expect(made.filter((id) => !old.has(id)).length).toBeGreaterThan(3);

  const lists: string[] = [];
  for (const machine of SANDBOXED) {
    // At a commit whose template is there, and at one whose template is built only now, after the results.
    for (const commit of [scene.commits[0], scene.commits[2] ?? expect.fail()]) {
      const job = await scene.create(machine, { owner: { owner: "app:b" } }, commit);
      lists.push(await everyObject(job));
      await job.remove();
    }
  }
  expect(lists).toEqual(lists.map(() => before));

  // What A publishes is public from then on, and comes to B by way of the remote only.
  const job = await scene.create(first, { owner: { owner: "app:a" } });
  await shell(job, "echo public > public");
  const { commit } = await job.result();
  await job.publish({ branch: "published", commit });
  await job.remove();
  const unaware = await scene.create(first, { owner: { owner: "app:b" } });
  expect(await everyObject(unaware)).toBe(before);
  await unaware.remove();
  await scene.git.mirrors.fetch(scene.remote, USUAL_REFS);
  const aware = await scene.create(first, { owner: { owner: "app:b" } }, commit);
  expect(await everyObject(aware)).toBe(await publicObjects());
  await aware.remove();
});
