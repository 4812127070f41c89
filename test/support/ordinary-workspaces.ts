// What workspaces are for an ordinary user; run as a process of that user, says what it found as one line of JSON.
import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { USUAL_REFS } from "../../git/mirror/update-mirror.ts";
import { openGit } from "../../git/open-git.ts";
import { commitId } from "../../git/remote/commit-id.ts";
import { parseRemoteUrl } from "../../git/remote/remote-url.ts";
import { fingerprint } from "./fingerprint.ts";
import { makeRepository, git as plainGit } from "./make-repository.ts";

const SPOIL = `
cp -r .git/objects/pack /tmp/packs
for file in .git/objects/pack/*; do chmod 666 "$file"; echo spoilt > "$file"; done
rm -rf .git/objects/pack; mv /tmp/packs .git/objects/pack`;

/** Such as caches of build tools have. */
const CLOSE = "mkdir -p deep/er; touch deep/er/file; chmod 000 deep/er; chmod 555 deep .";

const [, , root = ""] = process.argv;
const origin = await makeRepository(join(root, "remotes"), "app", { files: 5, commits: 1 });
const git = await openGit({ data: join(root, "data") });
const mirror = await git.mirrors.fetch(parseRemoteUrl(origin, { allowLocal: true }), USUAL_REFS);
const base = commitId(await plainGit(["--git-dir", origin, "rev-parse", "main"]));
const before = fingerprint(mirror.gitDir);
const owner = { owner: "local" };
const workspace = await git.workspaces.createAt(mirror, base, {
  name: "mine",
  owner,
  branch: "a/b",
});
const shell = async (script: string) => {
  const { exitCode, stdout, stderr } = await workspace.run(["/bin/sh", "-euc", script]);
  return `${exitCode} ${stdout}${stderr}`.trim();
};
const packs = join(workspace.path, ".git/objects/pack");
const links = (await readdir(packs)).map((name) => statSync(join(packs, name)).nlink);
const seen = {
  uid: process.getuid?.(),
  overlay: git.platform.overlay,
  sandbox: git.platform.sandbox,
  jobUser: git.platform.jobUser ?? null,
  kind: workspace.kind,
  reason: workspace.reason,
  isSandboxed: workspace.isSandboxed,
  asked: await git.workspaces
    .createAt(mirror, base, { name: "overlay", owner, kind: "overlay" })
    .catch(({ code }) => code),
  links: [...new Set(links)],
  rights: await shell("grep CapEff /proc/self/status; git status --porcelain"),
  hidden: await shell(`ls '${git.directories.data}'; id -u`),
  spoilt: await shell(SPOIL),
  status: await shell("echo new > new; git add new; git commit -qm new; git fsck --no-dangling"),
};
const { commit } = await workspace.result();
await workspace.publish({ branch: "mine", commit, expected: "none" });
const done = {
  ...seen,
  isPublished: (await plainGit(["--git-dir", origin, "rev-parse", "mine"])) === commit,
  isMirrorSame: JSON.stringify(fingerprint(mirror.gitDir)) === JSON.stringify(before),
  diff: (await workspace.diff()).includes("+new"),
  kept: (await workspace.keep()) !== undefined,
  closed: await shell(CLOSE),
};
await workspace.remove();
await git.close();
process.stdout.write(`${JSON.stringify(done)}\n`);
