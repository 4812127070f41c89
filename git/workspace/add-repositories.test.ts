// Several repositories in one workspace: each as it is, the job's own, and no part of the result.
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startGitServer } from "../../test/support/git-server.ts";
import { importCommits, treeOf } from "../../test/support/import-commits.ts";
import { makeRepository, git as plainGit } from "../../test/support/make-repository.ts";
import { SANDBOXED, shareWorkspaces, shell } from "../../test/support/workspace-scene.ts";
import { staticToken } from "../remote/credential-broker.ts";
import { parseRemoteUrl } from "../remote/remote-url.ts";

const scene = shareWorkspaces({ files: 5, commits: 1, odd: true });
let count = 0;

/** Beside the workspace's own. */
async function another() {
  const name = `other-${count++}`;
  const origin = await makeRepository(join(scene.root, "remotes"), name, { files: 4, commits: 2 });
  return { name, origin, repository: parseRemoteUrl(origin, { allowLocal: true }) };
}

describe.each(SANDBOXED)("$name", (machine) => {
  test("they are there with their history, and stay out of status, diff and result", async () => {
    const { repository, origin } = await another();
    const workspace = await scene.create(machine, {
      repositories: [
        { repository, path: "deps/other" },
        { repository, path: "a [b] #c!*", ref: "main" },
        {
          repository,
          path: "deps/older",
          ref: await plainGit(["--git-dir", origin, "rev-parse", "main~1"]),
        },
      ],
    });
    const commit = await plainGit(["--git-dir", origin, "rev-parse", "main"]);
    expect(
      await shell(
        workspace,
        "git -C deps/other rev-parse HEAD origin/main; git -C deps/older rev-parse origin/main",
      ),
    ).toBe(`${commit}\n${commit}\n${commit}`);
    expect(
      await shell(
        workspace,
        "git -C 'a [b] #c!*' status --porcelain; git -C deps/other fsck --strict 2>&1; git status --porcelain",
      ),
    ).toBe("");
    await shell(
      workspace,
      "echo more > deps/other/more; git -C deps/other add more; git -C deps/other commit -qm more; echo own > own",
    );
    expect((await workspace.diff()).match(/^diff --git .*/gm)).toEqual(["diff --git a/own b/own"]);
    const result = await workspace.result();
    expect(await shell(workspace, "git add -A; git status --porcelain")).toBe("A  own");
    const { owner, repository: main } = { owner: "local", repository: scene.remote };
    await scene.git.results.publish({
      owner,
      repository: main,
      commit: result.commit,
      branch: `several-${machine.name}`,
    });
    const changed = ["diff-tree", "-r", "--name-only", `${result.commit}^`, result.commit];
    expect(await plainGit(["--git-dir", scene.origin, ...changed])).toBe("own");
    await workspace.remove();
    await scene.idle();
  });

  test("a path that is taken, leads elsewhere or out is refused, and nothing is left", async () => {
    const { repository } = await another();
    const tree = treeOf({
      "dir/file": "x",
      link: { mode: "120000", content: "/tmp" },
      up: { mode: "120000", content: "../.." },
    });
    const [at] = await importCommits(scene.origin, `links-${machine.name}`, [tree]);
    await scene.git.remotes.resolve({ repository: scene.remote, ref: `links-${machine.name}` });
    for (const path of [
      "dir",
      "dir/file",
      "dir/file/x",
      "link",
      "link/x",
      "up/x",
      "../x",
      "/x",
      ".git/x",
      "x/.GIT",
      "",
      "-x",
      "a//b",
      "./x",
    ]) {
      const making = scene.create(machine, { repositories: [{ repository, path }] }, at);
      await expect(making, path).rejects.toMatchObject({ code: "invalid-request" });
    }
    await scene.idle();
  });

  test("each is read with its own credential", async () => {
    const { name } = await another();
    const server = await startGitServer(join(scene.root, "remotes"));
    server.tokens = new Set(["good"]);
    const repository = parseRemoteUrl(server.url(name), { allowHttp: [server.host] });
    const good = { tokens: staticToken({ username: "x", password: "good" }) };
    const without = scene.create(machine, {
      access: good,
      repositories: [{ repository, path: "x" }],
    });
    await expect(without).rejects.toMatchObject({ code: "auth" });
    const workspace = await scene.create(machine, {
      repositories: [{ repository, path: "x", access: good }],
    });
    expect(
      await shell(workspace, "git -C x status --porcelain; grep -rl good x/.git || echo nowhere"),
    ).toBe("nowhere");
    await workspace.remove();
  });
});
