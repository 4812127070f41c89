// Submodules and large files come only when they are asked for, and only with the caller's own credential.
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startGitServer } from "../../test/support/git-server.ts";
import { makeRepository, git as plainGit } from "../../test/support/make-repository.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { openGit } from "../open-git.ts";
import { staticToken } from "../remote/credential-broker.ts";
import { parseRemoteUrl } from "../remote/remote-url.ts";

const owner = { owner: "local" };
const tokens = staticToken({ username: "x", password: "the-token" });
const LARGE = "the content of a large file\n";

/** `app` with submodule `sub` (which has `deep`) and one file of Git LFS, on a server that wants a token. */
async function prepare() {
  const root = await scratchDirectory();
  const remotes = join(root, "remotes");
  const server = await startGitServer(remotes);
  for (const name of ["deep", "sub", "app"]) await makeRepository(remotes, name, { files: 3 });
  await addTo(remotes, "sub", { "in/deep": "../deep.git" });
  const oid = createHash("sha256").update(LARGE).digest("hex");
  await mkdir(join(remotes, "app.git/lfs"));
  await writeFile(join(remotes, "app.git/lfs", oid), LARGE);
  await addTo(
    remotes,
    "app",
    { "vendor/sub": server.url("sub") },
    {
      ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n",
      "large.bin": `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${LARGE.length}\n`,
      ".lfsconfig": "[lfs]\n\turl = http://127.0.0.1:9/elsewhere\n",
    },
  );
  server.tokens = new Set(["the-token"]);
  const git = await openGit({ data: join(root, "data") });
  const rules = { allowHttp: [server.host] };
  const repository = parseRemoteUrl(server.url("app"), rules);
  return { git, server, rules, repository, root };
}

async function addTo(
  remotes: string,
  name: string,
  submodules: Record<string, string>,
  files: Record<string, string> = {},
): Promise<void> {
  const tree = join(remotes, `${name}-${randomUUID()}`);
  await plainGit(["clone", "--quiet", join(remotes, `${name}.git`), tree]);
  for (const [file, content] of Object.entries(files)) await writeFile(join(tree, file), content);
  for (const [path, url] of Object.entries(submodules)) {
    const target = join(remotes, url.split("/").at(-1) ?? "");
    const tip = await plainGit(["--git-dir", target, "rev-parse", "main"]);
    const section = `[submodule "${path}"]\n\tpath = ${path}\n\turl = ${url}\n`;
    await appendFile(join(tree, ".gitmodules"), section);
    await plainGit(["update-index", "--add", "--cacheinfo", `160000,${tip},${path}`], tree);
  }
  await plainGit(["add", "--all", "--", ".gitmodules", ...Object.keys(files)], tree);
  await plainGit(["commit", "--quiet", "-m", "more"], tree);
  await plainGit(["push", "--quiet", "origin", "main"], tree);
}

test.each(["overlay", "clone"] as const)(
  "%s: it has neither submodules nor large files unless they are asked for",
  async (kind) => {
    const { git, repository } = await prepare();
    const workspace = await git.workspaces.create({
      ...{ repository, name: "plain", owner, kind, access: { tokens } },
    });
    expect(existsSync(join(workspace.path, "vendor/sub/src"))).toBe(false);
    expect(await readFile(join(workspace.path, "large.bin"), "utf8")).toContain("oid sha256");
    await workspace.remove();
    await git.close();
  },
);

test.each(["overlay", "clone"] as const)(
  "%s: it gets submodules, those of submodules, and large files",
  async (kind) => {
    const { git, repository, rules, server } = await prepare();
    const workspace = await git.workspaces.create({
      ...{
        repository,
        name: "full",
        owner,
        kind,
        access: { tokens },
        submodules: rules,
        lfs: true,
      },
    });
    const path = (name: string) => join(workspace.path, name);
    expect(existsSync(path("vendor/sub/src/d0/e0/file-0.txt"))).toBe(true);
    expect(existsSync(path("vendor/sub/in/deep/src/d0/e0/file-0.txt"))).toBe(true);
    expect(await readFile(path("large.bin"), "utf8")).toBe(LARGE);
    const { stdout, stderr } = await workspace.run(["git", "status", "--porcelain"]);
    expect(`${stdout}${stderr}`).toBe("");
    const log = await workspace.run(["git", "-C", "vendor/sub", "log", "--oneline"]);
    expect(log.exitCode).toBe(0);
    expect(server.requests.every(({ token }) => token === undefined || token === "the-token")).toBe(
      true,
    );
    const config = await readFile(path(".git/config"), "utf8");
    expect(config).not.toContain("the-token");
    await workspace.remove();
    await git.close();
  },
);

test("a submodule that the caller's credential does not show fails the workspace, and nothing is left", async () => {
  const { git, repository, rules, server } = await prepare();
  const request = { repository, name: "full", owner, submodules: rules };
  server.tokens = new Set(["another-token"]);
  await expect(git.workspaces.create({ ...request, access: { tokens } })).rejects.toMatchObject({
    code: "auth",
  });
  expect(await git.ledger.list()).toEqual([]);
  await git.close();
});

test("a submodule on a host that nobody allowed is refused", async () => {
  const { git, repository, rules, root } = await prepare();
  await addTo(join(root, "remotes"), "app", { "other/sub": "https://elsewhere.example/sub.git" });
  await expect(
    git.workspaces.create({
      ...{ repository, name: "full", owner, submodules: rules, access: { tokens } },
    }),
  ).rejects.toMatchObject({ code: "rejected", message: expect.stringContaining("is refused") });
  expect(await git.ledger.list()).toEqual([]);
  await git.close();
});

test("files of Git LFS are refused where addresses are checked: its program finds them by itself", async () => {
  const { git, repository, server } = await prepare();
  const access = { tokens, reach: { allowPrivate: [server.host] } };
  await expect(
    git.workspaces.create({ ...{ repository, name: "full", owner, access, lfs: true } }),
  ).rejects.toMatchObject({ code: "lfs-unavailable" });
  expect(server.requests.some(({ line }) => line.includes("/lfs"))).toBe(false);
  expect(await git.ledger.list()).toEqual([]);
  await git.close();
});
