// What a machine allows is found out by trying, and where it does not, everything works in another way and says why.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findLeftovers } from "../../test/support/find-leftovers.ts";
import { gitProcess } from "../../test/support/git-process.ts";
import { scratchGit } from "../../test/support/scratch-git.ts";
import { unmountWhenFinished } from "../../test/support/unmount-below.ts";
import { USUAL_REFS } from "../mirror/update-mirror.ts";
import { type Git, openGit } from "../open-git.ts";
import type { CommitId } from "../remote/commit-id.ts";
import type { RemoteUrl } from "../remote/remote-url.ts";

const isRoot = process.getuid?.() === 0;
const owner = { owner: "local" };
const KINDS = ["overlay", "clone"] as const;

/** Templates, workspaces and jobs in them, of each kind. */
async function expectWorking(git: Git, remote: RemoteUrl, commits: readonly CommitId[]) {
  const mirror = await git.mirrors.fetch(remote, USUAL_REFS);
  for (const commit of commits.toReversed()) {
    for (const kind of KINDS) {
      const plan = { name: "work", owner, kind, branch: "fix/one" };
      const workspace = await git.workspaces.createAt(mirror, commit, plan);
      const script = "git status --short && echo new > new && git add . && git commit -qm new";
      const { exitCode, stdout, stderr } = await workspace.run(["sh", "-c", script]);
      expect({ kind, exitCode, said: `${stdout}${stderr}` }).toEqual({
        kind,
        exitCode: 0,
        said: "",
      });
      await workspace.remove();
    }
  }
  await git.close();
  expect(findLeftovers(git.directories.data, [mirror.gitDir])).toEqual([]);
}

test.skipIf(!isRoot)("as root with all rights both overlay and sandbox are possible", async () => {
  const { git, data } = await scratchGit();
  expect(git.platform).toEqual({
    overlay: { isPossible: true },
    sandbox: { isPossible: true },
    jobUser: { uid: 65_533, gid: 65_533 },
  });
  expect(readdirSync(join(data, "staging"))).toEqual([]);
});

test.skipIf(!isRoot)(
  "a data directory behind a symbolic link works, and what is mounted there is unmounted",
  async () => {
    const { root, remote, commits } = await scratchGit();
    const [real, link] = [join(root, "real"), join(root, "link")];
    mkdirSync(real);
    symlinkSync(real, link);
    const git = await openGit({ data: join(link, "data") });
    unmountWhenFinished(root);
    expect(git.directories.data).toBe(join(real, "data"));
    await expectWorking(git, remote, commits);
  },
);

test.skipIf(!isRoot).each([0o077, 0o000])("whatever the umask is: %o", async (umask) => {
  const { root, remote, commits } = await scratchGit();
  unmountWhenFinished(root);
  const before = process.umask(umask);
  onTestFinished(() => void process.umask(before));
  await expectWorking(await openGit({ data: join(root, "other") }), remote, commits);
});

test.skipIf(!isRoot)(
  "on an overlay, as in a container's own layer, workspaces are clones and the reason is told",
  async () => {
    const { root, remote, commits } = await scratchGit();
    const [lower, upper, work, merged] = ["lower", "upper", "work", "merged"].map((name) =>
      join(root, name),
    ) as [string, string, string, string];
    for (const path of [lower, upper, work, merged]) mkdirSync(path);
    const options = `lowerdir=${lower},upperdir=${upper},workdir=${work}`;
    execFileSync("mount", ["-t", "overlay", "overlay", "-o", options, merged]);
    unmountWhenFinished(root);
    const git = await openGit({ data: join(merged, "data") });
    expect(git.platform.overlay).toEqual({
      isPossible: false,
      reason: expect.stringContaining("overlay itself"),
      advice: expect.stringContaining("put CROFT_DATA on a volume"),
    });
    const mirror = await git.mirrors.fetch(remote, USUAL_REFS);
    const create = (kind?: "overlay") =>
      git.workspaces.createAt(mirror, commits[0], { name: "work", owner, kind });
    await expect(create("overlay")).rejects.toMatchObject({ code: "kind-unavailable" });
    const workspace = await create();
    expect(workspace).toMatchObject({
      kind: "clone",
      reason: expect.stringContaining("overlay itself"),
    });
    await workspace.remove();
    await git.close();
    expect(findLeftovers(git.directories.data, [mirror.gitDir])).toEqual([]);
  },
);

test.skipIf(!isRoot)(
  "without the right to mount workspaces are clones, and the advice is to give it",
  async () => {
    const { data, origin, commits } = await scratchGit();
    const other = gitProcess({
      ...{ data, origin },
      wrapper: ["setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin"],
      body: `
        say(JSON.stringify(git.platform.overlay));
        const commit = commitId(${JSON.stringify(commits[0])});
        const made = await git.workspaces.createAt(mirror, commit, { name: "x", owner });
        say(made.kind + ": " + made.reason);
        const { exitCode } = await made.run(["git", "status"]);
        say("status " + exitCode);
        await made.remove();
        await git.close();`,
    });
    const [overlay = "{}", ...rest] = await other.ended();
    expect(JSON.parse(overlay)).toEqual({
      isPossible: false,
      reason: "root may not mount here",
      advice: expect.stringContaining("CAP_SYS_ADMIN"),
    });
    expect(rest).toEqual(["clone: root may not mount here", "status 0"]);
    expect(findLeftovers(data)).toEqual([]);
  },
);

test.skipIf(!isRoot)("who is killed while finding out leaves nothing after a sweep", async () => {
  const { git, data } = await scratchGit();
  const place = join(git.directories.staging, "probe.4000000.1.00000000");
  const parts = ["lower", "upper", "work", "target"].map((name) => join(place, name));
  mkdirSync(place);
  for (const path of parts) mkdirSync(path);
  const [lower, upper, work, target = ""] = parts;
  const options = `lowerdir=${lower},upperdir=${upper},workdir=${work}`;
  execFileSync("mount", ["-t", "overlay", "overlay", "-o", options, target]);
  unmountWhenFinished(data);
  mkdirSync(join(git.directories.staging, "canary.4000000.1.00000000"));
  expect((await git.sweep()).failed).toEqual([]);
  expect(findLeftovers(data)).toEqual([]);
});
