// A result goes to another host as a bundle, and only what could have been made there comes in.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { gitProcess } from "../../test/support/git-process.ts";
import { treeOf } from "../../test/support/import-commits.ts";
import { commitObject, idOf, makePack, object, treeObject } from "../../test/support/make-pack.ts";
import { git as plainGit } from "../../test/support/make-repository.ts";
import { type ResultScene, resultScene } from "../../test/support/result-scene.ts";
import { seededRandom } from "../../test/support/seeded-random.ts";
import { openGit } from "../open-git.ts";
import { type CommitId, commitId } from "../remote/commit-id.ts";
import { ResultRepository } from "./result-repository.ts";

const REF = "refs/croft/runs/r1/plan";

/** Another data directory, with nothing in it. */
async function elsewhere({ root, remote, holder }: ResultScene, name = "elsewhere") {
  const data = join(root, name);
  const git = await openGit({ data, onReport: () => {} });
  onTestFinished(() => git.close());
  const mirror = { gitDir: git.mirrors.pathOf(remote), remote };
  const { gitDir } = new ResultRepository(git, holder.owner, mirror);
  return { git, data, gitDir, at: (...args: string[]) => plainGit(["--git-dir", gitDir, ...args]) };
}

async function prepare() {
  const scene = await resultScene();
  const base = { a: "a\n", b: "b\n".repeat(500) };
  const trees = [
    treeOf({ ...base, a: "1\n" }),
    treeOf({ ...base, a: "2\n", b: `${base.b}more\n` }),
  ];
  const { base: from, commits } = await scene.record(treeOf(base), { plan: trees });
  const commit = commits[0]?.commit ?? expect.fail();
  const bytes = await scene.git.results.exportBundle(
    { ...scene.holder, commit, base: from },
    async ({ file, sizeBytes }) => {
      const content = readFileSync(file);
      expect(content.length).toBe(sizeBytes);
      return content;
    },
  );
  return { scene, base: from, commit, bytes };
}

const streamOf = (bytes: Buffer, size = 7) => {
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  return Readable.from(pieces);
};

test("it goes on elsewhere: the commit with all its history above the base, once, twice and at once", async () => {
  const { scene, base, commit, bytes } = await prepare();
  const there = await elsewhere(scene);
  const into = () =>
    there.git.results.importBundle({
      ...scene.holder,
      commit,
      base,
      ref: REF,
      bundle: streamOf(bytes),
    });
  await Promise.all([into(), into(), into()]);
  await into();
  expect(await there.at("rev-parse", REF)).toBe(commit);
  expect(await there.at("fsck", "--strict", "--no-dangling")).toBe("");
  expect(await there.at("show", `${REF}~1:a`)).toBe("1");
  const workspace = await there.git.workspaces.create({
    ...{
      repository: scene.remote,
      name: "next",
      owner: { owner: scene.holder.owner },
      from: { commit, base },
    },
  });
  onTestFinished(() => workspace.remove());
  expect((await workspace.run(["cat", "a"])).stdout.toString()).toBe("2\n");
  await there.git.results.publish({ ...scene.holder, commit, branch: "moved" });
  expect(await plainGit(["--git-dir", scene.origin, "rev-parse", "moved"])).toBe(commit);
});

test("any git can read it", async () => {
  const { scene, base, commit, bytes } = await prepare();
  const file = join(scene.root, "result.bundle");
  writeFileSync(file, bytes);
  const clone = join(scene.root, "clone");
  await plainGit(["clone", "--quiet", scene.origin, clone]);
  await plainGit(["bundle", "verify", "--quiet", file], clone);
  await plainGit(["fetch", "--quiet", file, "refs/croft/result:refs/heads/result"], clone);
  expect(await plainGit(["rev-parse", "result", `${base}^{commit}`], clone)).toBe(
    `${commit}\n${base}`,
  );
});

test("the base itself, and a commit below it, need no objects", async () => {
  const { scene, base } = await prepare();
  const there = await elsewhere(scene);
  const ref = "refs/croft/runs/r1/nothing";
  const empty = await scene.git.results.exportBundle(
    { ...scene.holder, commit: base, base },
    async ({ file }) => readFileSync(file),
  );
  await there.git.results.importBundle({
    ...scene.holder,
    commit: base,
    base,
    ref,
    bundle: streamOf(empty),
  });
  expect(await there.at("rev-parse", ref)).toBe(base);
});

test("what was not recorded is not given away", async () => {
  const { scene, base, commit } = await prepare();
  const nothing = async () => expect.fail();
  for (const request of [
    { ...scene.holder, owner: "app:2", commit, base },
    { ...scene.holder, commit: commitId("5".repeat(40)), base },
  ]) {
    await expect(scene.git.results.exportBundle(request, nothing)).rejects.toMatchObject({
      code: "invalid-request",
    });
  }
});

describe("refused is", () => {
  type Forgery = (made: { base: CommitId; commit: CommitId; bytes: Buffer }) => {
    bytes: Buffer;
    commit?: string;
  };
  const head = (base: string, commit: string, more = "") =>
    Buffer.from(`# v2 git bundle\n-${base} \n${commit} refs/x\n${more}\n`);
  const FORGERIES: Record<string, Forgery> = {
    nothing: () => ({ bytes: Buffer.alloc(0) }),
    "no bundle": () => ({ bytes: Buffer.from("hello\n\nworld") }),
    "an endless head": () => ({ bytes: Buffer.alloc(100_000, "x") }),
    "another commit": ({ base, bytes }) => ({
      bytes: Buffer.concat([head(base, "6".repeat(40)), bytes.subarray(bytes.indexOf("PACK"))]),
    }),
    "another base": ({ commit, bytes }) => ({
      bytes: Buffer.concat([head("6".repeat(40), commit), bytes.subarray(bytes.indexOf("PACK"))]),
    }),
    "more than one ref": ({ base, commit, bytes }) => ({
      bytes: Buffer.concat([
        head(base, commit, `${commit} refs/heads/main\n`),
        bytes.subarray(bytes.indexOf("PACK")),
      ]),
    }),
    "one cut short": ({ bytes }) => ({ bytes: bytes.subarray(0, bytes.length - 40) }),
    "one that is changed": ({ bytes }) => {
      const other = Buffer.from(bytes);
      other[other.length - 60] = (other[other.length - 60] ?? 0) ^ 1;
      return { bytes: other };
    },
    "one without its objects": ({ base, commit }) => ({
      bytes: Buffer.concat([head(base, commit), makePack([])]),
    }),
    "a tree that leads into .git": ({ base }) => {
      const blob = object("blob", "x");
      const tree = treeObject([["40000", ".git", idOf(blob)]]);
      const commit = commitObject(idOf(tree), [base]);
      return {
        bytes: Buffer.concat([head(base, idOf(commit)), makePack([commit, tree, blob])]),
        commit: idOf(commit),
      };
    },
    "one that is too large": ({ bytes }) => ({
      bytes: Buffer.concat([bytes, Buffer.alloc(200_000)]),
    }),
  };

  test("every forgery, and the results stay empty", async () => {
    const { scene, base, commit, bytes } = await prepare();
    const there = await elsewhere(scene);
    for (const [what, forge] of Object.entries(FORGERIES)) {
      const forged = forge({ base, commit, bytes });
      const wanted = commitId(forged.commit ?? commit);
      const importing = there.git.results.importBundle({
        ...{ ...scene.holder, commit: wanted, base, ref: REF, maxBytes: 100_000 },
        bundle: streamOf(forged.bytes, 1000),
      });
      await expect(importing, what).rejects.toMatchObject({ code: "result-refused" });
      expect(await there.git.results.readRunRefs(scene.holder, "r1"), what).toEqual([]);
    }
    expect(await there.git.sweep()).toMatchObject({ kept: [] });
  });

  test("a ref elsewhere, an unknown base, and a stream that breaks is told as it broke", async () => {
    const { scene, base, commit, bytes } = await prepare();
    const there = await elsewhere(scene);
    const request = { ...scene.holder, commit, base, ref: REF };
    const wrongRef = there.git.results.importBundle({
      ...request,
      ref: "refs/heads/x",
      bundle: streamOf(bytes),
    });
    await expect(wrongRef).rejects.toMatchObject({ code: "invalid-request" });
    const unknown = there.git.results.importBundle({
      ...request,
      base: commitId("4".repeat(40)),
      bundle: streamOf(bytes),
    });
    await expect(unknown).rejects.toMatchObject({ code: "invalid-ref" });
    async function* broken() {
      yield bytes.subarray(0, 200);
      throw new Error("the store is gone");
    }
    await expect(there.git.results.importBundle({ ...request, bundle: broken() })).rejects.toThrow(
      "the store is gone",
    );
    const aborted = AbortSignal.abort(new Error("cancelled"));
    await expect(
      there.git.results.importBundle({ ...request, bundle: streamOf(bytes), signal: aborted }),
    ).rejects.toThrow();
  });
});

test("killed at any moment, an import and an integration are done again, and nothing is doubled or left", async () => {
  const { scene, base, commit, bytes } = await prepare();
  const there = await elsewhere(scene);
  const file = join(scene.root, "kill.bundle");
  writeFileSync(file, bytes);
  const random = seededRandom(7);
  const plan = JSON.stringify({ owner: scene.holder.owner, commit, base, ref: REF });
  const commits = JSON.stringify([{ id: "plan", commit }]);
  for (let kill = 0; kill < 12; kill++) {
    const body = `
      const { createReadStream } = await import("node:fs");
      say("begin");
      await git.results.importBundle({ ...${plan}, repository: remote, bundle: createReadStream(${JSON.stringify(file)}) });
      await git.results.integrate({ ...${plan}, repository: remote, ref: "refs/croft/runs/r1/merge", commits: ${commits} });
      await git.results.removeRunRefs({ owner: ${JSON.stringify(scene.holder.owner)}, repository: remote }, "r1");
      say("end");`;
    const process = gitProcess({ data: there.data, origin: scene.origin, body });
    await process.hasSaid("begin");
    await new Promise((resolve) => setTimeout(resolve, random.below(350)));
    process.signal("SIGKILL");
    await process.ended();
    if (kill % 4 === 3) await there.git.sweep();
  }
  await there.git.results.importBundle({
    ...scene.holder,
    commit,
    base,
    ref: REF,
    bundle: streamOf(bytes),
  });
  const merge = { ...scene.holder, base, commits: [{ id: "plan", commit }] };
  const here = await scene.git.results.integrate({ ...merge, ref: "refs/croft/runs/r1/merge" });
  const made = await there.git.results.integrate({ ...merge, ref: "refs/croft/runs/r1/merge" });
  expect(made.commit).toBe(here.commit);
  const refs = await there.git.results.readRunRefs(scene.holder, "r1");
  expect(refs.map(({ name, commit: at }) => [name, at])).toEqual([
    ["merge", made.commit],
    ["plan", commit],
  ]);
  expect(await there.at("fsck", "--strict", "--no-dangling")).toBe("");
  await there.git.sweep();
  expect(readdirSync(join(there.data, "staging"))).toEqual([]);
}, 240_000);

test("a run's refs go together, and no other run's", async () => {
  const { scene, base } = await prepare();
  const { git, holder } = scene;
  for (const ref of ["run/a", "run/a-2/1", "runs/a", "run-2/a"]) {
    await git.results.integrate({ ...holder, base, commits: [], ref: `refs/croft/runs/${ref}` });
  }
  expect((await git.results.readRunRefs(holder, "run")).map(({ name }) => name)).toEqual([
    "a",
    "a-2/1",
  ]);
  expect(await git.results.removeRunRefs({ ...holder, owner: "app:2" }, "run")).toBe(0);
  const removed = await Promise.all([
    git.results.removeRunRefs(holder, "run"),
    git.results.removeRunRefs(holder, "run"),
  ]);
  expect(removed.sort()).toEqual([0, 2]);
  expect(await git.results.readRunRefs(holder, "run")).toEqual([]);
  expect((await git.results.readRunRefs(holder, "runs")).length).toBe(1);
  expect((await git.results.readRunRefs(holder, "run-2")).length).toBe(1);
  for (const run of ["", "..", "a/b", "-x", "*"]) {
    await expect(git.results.removeRunRefs(holder, run)).rejects.toMatchObject({
      code: "invalid-request",
    });
  }
});
