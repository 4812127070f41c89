// An attempt that is over records and publishes nothing any more.
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commitObject, idOf, makePack, treeObject } from "../../test/support/make-pack.ts";
import { git as plainGit } from "../../test/support/make-repository.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { SANDBOXED, shareWorkspaces, shell } from "../../test/support/workspace-scene.ts";
import { removeTree, stagingPlace } from "../disk/git-directories.ts";
import { commitId } from "../remote/commit-id.ts";
import { ResultRepository } from "./result-repository.ts";
import { incomingPack, prepareQuarantine, takeIn } from "./take-in.ts";

const scene = shareWorkspaces({ files: 3, commits: 1 });
const attemptOf = (jobId: string, attempt: number) => ({ owner: "app:1", jobId, attempt });

function results(): ResultRepository {
  const { directories, locks } = scene.git;
  return new ResultRepository({ directories, locks }, "app:1", scene.mirror);
}

describe.each(SANDBOXED)("$name", (machine) => {
  test("the next attempt's workspace shuts out the one before, wherever that stands", async () => {
    const jobId = `job-${machine.name}`;
    const late = await scene.create(machine, { owner: attemptOf(jobId, 1) });
    await shell(late, "echo late > late");
    const before = await late.result();
    const next = await scene.create(machine, { owner: attemptOf(jobId, 2) });
    const refs = await plainGit(["--git-dir", results().gitDir, "for-each-ref"]);
    const stale = {
      code: "stale-attempt",
      message: `attempt 1 of job '${jobId}' is over: attempt 2 has begun`,
    };
    await expect(late.result()).rejects.toMatchObject(stale);
    await expect(late.keep()).rejects.toMatchObject(stale);
    const publishing = late.publish({ branch: `late-${machine.name}`, commit: before.commit });
    await expect(publishing).rejects.toMatchObject(stale);
    expect(await plainGit(["--git-dir", results().gitDir, "for-each-ref"])).toBe(refs);
    expect(
      await plainGit([
        "--git-dir",
        scene.origin,
        "for-each-ref",
        `refs/heads/late-${machine.name}`,
      ]),
    ).toBe("");
    await expect(scene.create(machine, { owner: attemptOf(jobId, 1) })).rejects.toMatchObject(
      stale,
    );

    await shell(next, "echo next > next");
    const { commit } = await next.result();
    const again = await scene.create(machine, { owner: attemptOf(jobId, 2) }); // a second of the same attempt
    await next.publish({ branch: `next-${machine.name}`, commit });
    await Promise.all([late.remove(), next.remove(), again.remove()]);
  });
});

test("other jobs, other owners and workspaces without a job are not meant", async () => {
  const [machine] = SANDBOXED;
  if (machine === undefined) expect.fail();
  await results().fence({ jobId: "one", attempt: 7 });
  for (const owner of [
    attemptOf("two", 1),
    { ...attemptOf("one", 1), owner: "app:2" },
    { owner: "app:1" },
    attemptOf("one", 7),
  ]) {
    const workspace = await scene.create(machine, { owner });
    expect(await workspace.result()).toMatchObject({ commit: workspace.base });
    await workspace.remove();
  }
});

test("a fence only moves forward", async () => {
  await results().fence({ jobId: "three", attempt: 3 });
  await expect(results().fence({ jobId: "three", attempt: 2 })).rejects.toMatchObject({
    code: "stale-attempt",
  });
  await results().fence({ jobId: "three", attempt: 3 });
});

test("a first attempt has nobody to shut out, and makes nothing for it", async () => {
  const [machine] = SANDBOXED;
  if (machine === undefined) expect.fail();
  const workspace = await scene.create(machine, {
    owner: { ...attemptOf("four", 1), owner: "app:new" },
  });
  const owners = readdirSync(scene.git.directories.results);
  expect(owners.filter((name) => name.endsWith("app-new"))).toEqual([]);
  await workspace.remove();
});

test("a result is refused at the last moment too: the next attempt began while it was on its way", async () => {
  const [machine] = SANDBOXED;
  if (machine === undefined) expect.fail();
  const late = await scene.create(machine, { owner: attemptOf("five", 1) });
  // The filter waits until it is let go: the result is in the middle of being recorded.
  await shell(
    late,
    `echo '* filter=wait' > .gitattributes; echo x > x
     git config filter.wait.clean 'touch begun; while [ ! -e let-go ]; do sleep 0.02; done; cat'`,
  );
  const recording = late.result();
  recording.catch(() => {});
  await waitUntil("the filter", () => existsSync(join(late.path, "begun")));
  await results().fence({ jobId: "five", attempt: 2 });
  await late.run(["touch", "let-go"]);
  await expect(recording).rejects.toMatchObject({ code: "stale-attempt" });
  await late.remove();
});

test("also in the last moment before its ref is set", async () => {
  const tree = treeObject([]);
  const commit = commitObject(idOf(tree), [scene.commits[0]]);
  const place = stagingPlace(scene.git.directories, "result");
  prepareQuarantine(place);
  writeFileSync(incomingPack(place), makePack([commit, tree]));
  const repository = results();
  const ref = "refs/croft/late";
  const incoming = { place, commit: commitId(idOf(commit)), base: scene.commits[0], ref };
  const taking = takeIn(repository, { ...incoming, attempt: { jobId: "six", attempt: 1 } });
  const fencing = repository.fence({ jobId: "six", attempt: 2 }); // next in line, while the pack is looked at
  await expect(taking).rejects.toMatchObject({ code: "stale-attempt" });
  await fencing;
  expect(await plainGit(["--git-dir", repository.gitDir, "for-each-ref", ref])).toBe("");
  await removeTree(place);
});
