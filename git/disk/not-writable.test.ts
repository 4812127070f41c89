// A directory that may not be written is said clearly, leaves nothing, and is forgotten once it may.
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { projectRoot } from "../../scripts/source-files.ts";
import { findLeftovers } from "../../test/support/find-leftovers.ts";
import { idle } from "../../test/support/idle.ts";
import { LockProcess } from "../../test/support/lock-process.ts";
import { makeRepository } from "../../test/support/make-repository.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { scratchGit } from "../../test/support/scratch-git.ts";
import { unmountBelow, unmountWhenFinished } from "../../test/support/unmount-below.ts";
import { USUAL_REFS } from "../mirror/update-mirror.ts";
import { openGit } from "../open-git.ts";

const isRoot = process.getuid?.() === 0;
const owner = { owner: "local" };
const KINDS = ["overlay", "clone"] as const;
const NOT_WRITABLE = { name: "GitError", code: "not-writable" };

test.skipIf(!isRoot)(
  "on a read-only disk nothing can be made, until it is writable again",
  async () => {
    const { git, root, data, remote, mirror, commits } = await scratchGit();
    unmountWhenFinished(root);
    const create = (kind: (typeof KINDS)[number]) =>
      git.workspaces.createAt(mirror, commits[0], { name: "work", owner, kind });
    await (await create("overlay")).remove();
    await idle(git);
    execFileSync("mount", ["--bind", data, data]);
    execFileSync("mount", ["-o", "remount,bind,ro", data]);
    for (const kind of KINDS) await expect(create(kind)).rejects.toMatchObject(NOT_WRITABLE);
    await expect(git.mirrors.fetch(remote, USUAL_REFS)).rejects.toMatchObject(NOT_WRITABLE);
    await expect(git.templates.get(mirror, commits[1] ?? commits[0])).rejects.toThrow(/read-only/i);
    await expect(openGit({ data })).rejects.toMatchObject(NOT_WRITABLE);
    await expect(openGit({ data: join(data, "deep/er") })).rejects.toMatchObject(NOT_WRITABLE);
    for (const { reason } of (await git.sweep()).failed) expect(reason).toMatch(/read-only/);
    unmountBelow(data);
    for (const kind of KINDS) await (await create(kind)).remove();
    await git.mirrors.fetch(remote, USUAL_REFS);
    await idle(git);
    expect(findLeftovers(data, [mirror.gitDir])).toEqual([]);
  },
);

/** Root without the right to pass over modes: as a container often has it. */
const WITHOUT_OVERRIDE = [
  "setpriv",
  "--bounding-set=-dac_override,-dac_read_search",
  "--inh-caps=-dac_override,-dac_read_search",
];

test.skipIf(!isRoot)("directories of somebody else are said to be not writable", async () => {
  const root = await scratchDirectory();
  const origin = await makeRepository(join(root, "remotes"), "app", { files: 5 });
  const another = await makeRepository(join(root, "remotes"), "another", { files: 5 });
  const data = join(root, "data");
  const foreign = join(root, "foreign");
  mkdirSync(foreign);
  chownSync(foreign, 1, 1);
  chmodSync(foreign, 0o700);
  const url = (path: string) => JSON.stringify(pathToFileURL(join(projectRoot, path)).href);
  const other = new LockProcess({
    directory: join(root, "locks"),
    repository: origin,
    wrapper: WITHOUT_OVERRIDE,
    body: `
      const { openGit, parseRemoteUrl, USUAL_REFS } = await import(${url("git/index.ts")});
      const { chmodSync, chownSync } = await import("node:fs");
      const attempt = async (what, work) => {
        const said = await work().then(() => "done", ({ name, code }) => name + " " + code);
        say(what + ": " + said);
      };
      await attempt("foreign", () => openGit({ data: ${JSON.stringify(foreign)} }));
      await attempt("below foreign", () => openGit({ data: ${JSON.stringify(join(foreign, "data"))} }));
      const git = await openGit({ data: ${JSON.stringify(data)} });
      const remote = parseRemoteUrl(repository, { allowLocal: true });
      const { mirrors, workspaces, staging } = git.directories;
      say(JSON.stringify(git.platform.jobUser ?? "jobs are run as ourselves"));
      const create = async () => {
        const plan = { repository: remote, name: "x", owner: { owner: "local" } };
        await (await git.workspaces.create(plan)).remove();
      };
      const without = async (directory, name, work) => {
        chmodSync(directory, 0o500);
        await attempt(name, work);
        chmodSync(directory, 0o711);
      };
      const another = parseRemoteUrl(${JSON.stringify(another)}, { allowLocal: true });
      await without(mirrors, "mirrors", () => git.mirrors.fetch(another, USUAL_REFS));
      await without(staging, "staging", create);
      await without(workspaces, "workspaces", create);
      await attempt("workspace", create);
      await git.close();`,
  });
  const refused = "GitError not-writable";
  expect(await other.ended()).toEqual([
    `foreign: ${refused}`,
    `below foreign: ${refused}`,
    '"jobs are run as ourselves"', // who cannot remove what is somebody else's should not make it
    `mirrors: ${refused}`,
    `staging: ${refused}`,
    `workspaces: ${refused}`,
    "workspace: done",
  ]);
  expect(findLeftovers(data)).toEqual([]);
});
