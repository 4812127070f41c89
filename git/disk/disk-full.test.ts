// A full disk is said clearly, leaves nothing half made, hurts nobody else, and is forgotten once there is room again.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findLeftovers } from "../../test/support/find-leftovers.ts";
import { idle } from "../../test/support/idle.ts";
import { importCommits, type Tree, treeOf } from "../../test/support/import-commits.ts";
import { makeRepository } from "../../test/support/make-repository.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { mountSmallDisk, type SmallDiskSize } from "../../test/support/small-disk.ts";
import { GitError } from "../command/git-error.ts";
import { USUAL_REFS } from "../mirror/update-mirror.ts";
import { type Git, openGit } from "../open-git.ts";
import type { CommitId } from "../remote/commit-id.ts";
import { parseRemoteUrl, type RemoteUrl } from "../remote/remote-url.ts";

const isRoot = process.getuid?.() === 0;
const owner = { owner: "local" };
/** Little: these disks are small. */
const RESERVE_BYTES = 300_000;
const KINDS = ["overlay", "clone"] as const;

/** Two remotes on a large disk, the data on a small one. The first has branch `story` of these trees. */
async function prepare(size: SmallDiskSize, trees: readonly Tree[]) {
  const root = await scratchDirectory();
  const origin = await makeRepository(join(root, "remotes"), "app", { files: 1 });
  const other = await makeRepository(join(root, "remotes"), "other", { files: 10 });
  const story = await importCommits(origin, "story", trees);
  const disk = mountSmallDisk(join(root, "disk"), size);
  const data = join(disk.path, "data");
  const git = await openGit({ data, reserveBytes: RESERVE_BYTES, onBackgroundError: () => {} });
  const remote = parseRemoteUrl(origin, { allowLocal: true });
  const otherRemote = parseRemoteUrl(other, { allowLocal: true });
  const [commit, next] = story as [CommitId, CommitId | undefined];
  return { root, origin, disk, data, git, remote, otherRemote, commit, next: next ?? commit };
}

/** That it is about the disk, and how it was found out. */
async function refusal(work: Promise<unknown>): Promise<"admission" | "writing"> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof GitError)) throw error ?? new Error("it was not refused");
  expect({ code: error.code, message: error.message }).toEqual({
    code: "disk-full",
    message: expect.stringMatching(
      /no room|disk is full|No space left|write error|unable to write/i,
    ),
  });
  return error.details.command === "admission" ? "admission" : "writing";
}

async function expectClean(git: Git, data: string, remotes: readonly RemoteUrl[]): Promise<void> {
  await idle(git);
  expect(
    findLeftovers(
      data,
      remotes.map((remote) => git.mirrors.pathOf(remote)),
    ),
  ).toEqual([]);
}

/** A workspace of each kind can be made, and is sound. */
async function expectWorking(git: Git, remote: RemoteUrl, ref: string): Promise<void> {
  for (const kind of KINDS) {
    const workspace = await git.workspaces.create({
      repository: remote,
      ref,
      name: "works",
      owner,
      kind,
    });
    const { stdout, exitCode } = await workspace.run(["git", "status", "--short"]);
    expect({ exitCode, said: stdout.toString() }).toEqual({ exitCode: 0, said: "" });
    await workspace.remove();
  }
}

function filesOf(count: number, content: (number: number) => string | Buffer) {
  return Object.fromEntries(
    Array.from({ length: count }, (_, number) => [
      `${number % 7}/${number}.txt`,
      { mode: "100644", content: content(number) } as const,
    ]),
  );
}

/** That no packing makes smaller. */
const noise = (sizeBytes: number) => randomBytes(sizeBytes);

describe.skipIf(!isRoot)("a full disk", () => {
  test("is found out before a checkout is begun that would not fit", async () => {
    const trees = [treeOf(filesOf(100, (number) => `${number}\n`.repeat(80_000)))]; // packs to very little
    const scene = await prepare({ sizeMiB: 12 }, trees);
    const { git, disk, data, remote, otherRemote, commit } = scene;
    const mirror = await git.mirrors.fetch(remote, USUAL_REFS);
    for (const kind of KINDS) {
      const plan = { name: "large", owner, kind };
      expect(await refusal(git.workspaces.createAt(mirror, commit, plan))).toBe("admission");
    }
    await expectWorking(git, otherRemote, "main");
    await expectClean(git, data, [remote, otherRemote]);
    disk.resize(200, 20_000);
    await expectWorking(git, remote, "story");
    await expectClean(git, data, [remote]);
  });

  test("is found out before a checkout of more files than the disk can have", async () => {
    const trees = [treeOf(filesOf(800, () => "x"))];
    const scene = await prepare({ sizeMiB: 64, files: 900 }, trees);
    const { git, disk, data, remote, otherRemote, commit } = scene;
    const mirror = await git.mirrors.fetch(remote, USUAL_REFS);
    for (const kind of KINDS) {
      const plan = { name: "many", owner, kind };
      expect(await refusal(git.workspaces.createAt(mirror, commit, plan))).toBe("admission");
    }
    await expectWorking(git, otherRemote, "main");
    disk.resize(64, 20_000);
    await expectWorking(git, remote, "story");
    await expectClean(git, data, [remote, otherRemote]);
  });

  test("while a checkout is written: it becomes larger than its objects say", async () => {
    const wide = { ".gitattributes": "*.txt working-tree-encoding=UTF-32\n" }; // four bytes a sign
    const files = filesOf(40, (number) => `${number}\n`.repeat(20_000));
    const scene = await prepare({ sizeMiB: 7 }, [treeOf({ ...wide, ...files })]);
    const { git, disk, data, remote, otherRemote, commit } = scene;
    const mirror = await git.mirrors.fetch(remote, USUAL_REFS);
    for (const kind of KINDS) {
      const plan = { name: "wide", owner, kind };
      expect(await refusal(git.workspaces.createAt(mirror, commit, plan))).toBe("writing");
      await expectClean(git, data, [remote]);
    }
    await expectWorking(git, otherRemote, "main");
    disk.resize(100, 20_000);
    await git.workspaces
      .createAt(mirror, commit, { name: "wide", owner })
      .then((workspace) => workspace.remove());
    await expectClean(git, data, [remote, otherRemote]);
  });

  test("while a checkout is written: it has more directories than files", async () => {
    const deep = Object.fromEntries(
      Array.from({ length: 150 }, (_, number) => [`d${number}/e/f/g/h/file`, "x"]),
    );
    const scene = await prepare({ sizeMiB: 64, files: 700 }, [
      treeOf({ small: "1" }),
      treeOf(deep),
    ]);
    const { git, disk, data, remote, next } = scene;
    const mirror = await git.mirrors.fetch(remote, USUAL_REFS);
    for (const kind of KINDS) {
      const plan = { name: "deep", owner, kind };
      expect(await refusal(git.workspaces.createAt(mirror, next, plan))).toBe("writing");
      await expectClean(git, data, [remote]);
    }
    disk.resize(64, 20_000);
    await expectWorking(git, remote, "story");
    await expectClean(git, data, [remote]);
  });

  test("while the next template is written on the last one", async () => {
    const ballast = filesOf(40, (number) => `${number}\n`);
    const rules = { ".gitattributes": "*.wide working-tree-encoding=UTF-32\n" };
    const large = { "new.wide": "12345678\n".repeat(200_000) };
    const scene = await prepare({ sizeMiB: 6 }, [
      treeOf({ ...ballast, ...rules }),
      treeOf({ ...ballast, ...rules, ...large }),
    ]);
    const { git, disk, data, remote, commit, next } = scene;
    const mirror = await git.mirrors.fetch(remote, USUAL_REFS);
    const base = await git.templates.get(mirror, commit);
    expect(await refusal(git.workspaces.createAt(mirror, next, { name: "next", owner }))).toBe(
      "writing",
    );
    await expectClean(git, data, [remote]);
    expect(git.templates.find(mirror, commit)).toEqual(base);
    disk.resize(100, 20_000);
    await expectWorking(git, remote, "story");
    expect(git.templates.find(mirror, next)?.layers).toHaveLength(2);
    await expectClean(git, data, [remote]);
  });

  test("during the first fetch of a mirror, and during a later one", async () => {
    const first = treeOf(filesOf(2, () => noise(1000)));
    const second = treeOf(filesOf(20, () => noise(400_000)));
    const scene = await prepare({ sizeMiB: 6 }, [first, second]);
    const { git, disk, data, remote, otherRemote } = scene;
    await refusal(git.mirrors.fetch(remote, USUAL_REFS));
    await expectClean(git, data, [remote]);
    expect(await git.mirrors.stateOf(remote)).toBe("absent");
    await expectWorking(git, otherRemote, "main");
    disk.resize(100, 20_000);
    await git.mirrors.fetch(remote, USUAL_REFS);
    await importCommits(scene.origin, "more", [treeOf(filesOf(20, () => noise(400_000)))]);
    disk.fill(3 * 1024 * 1024);
    await refusal(git.mirrors.fetch(remote, USUAL_REFS));
    await expectClean(git, data, [remote]);
    disk.free();
    await expectWorking(git, remote, "story");
    await git.mirrors.fetch(remote, USUAL_REFS);
    await expectClean(git, data, [remote, otherRemote]);
  });

  test.each(["bytes", "files"])(
    "without any %s left nothing can be made, but removed",
    async (what) => {
      const scene = await prepare({ sizeMiB: 20, files: 2000 }, [treeOf({ a: "a\n" })]);
      const { git, disk, data, remote, commit } = scene;
      const mirror = await git.mirrors.fetch(remote, USUAL_REFS);
      const plan = { name: "full", owner };
      const made = await Promise.all(
        KINDS.map((kind) => git.workspaces.createAt(mirror, commit, { ...plan, kind })),
      );
      if (what === "bytes") disk.fill(0);
      else disk.fillWithFiles(0);
      for (const kind of KINDS) {
        await refusal(git.workspaces.createAt(mirror, commit, { ...plan, kind }));
      }
      await refusal(git.mirrors.fetch(remote, USUAL_REFS));
      for (const workspace of made) await workspace.remove();
      expect((await git.sweep()).failed).toEqual([]);
      await expectClean(git, data, [remote]);
      disk.free();
      await expectWorking(git, remote, "story");
      await expectClean(git, data, [remote]);
    },
  );
});
