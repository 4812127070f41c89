// An overlay behaves like any directory, is seen by git as such, and costs next to nothing.
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  isRoot,
  type Machine,
  shareWorkspaces,
  shell,
} from "../../test/support/workspace-scene.ts";
import { partsOf } from "./remove-workspace.ts";
import type { Workspace } from "./workspace.ts";

const scene = shareWorkspaces({ files: 120 });
const machine: Machine = { name: "overlay", kind: "overlay", hasOverlay: true, hasSandbox: true };

function upperFiles({ id }: Workspace): { name: string; bytes: number }[] {
  const upper = join(partsOf(scene.git.directories, id), "upper");
  return readdirSync(upper, { recursive: true, encoding: "utf8" }).map((name) => ({
    ...{ name, bytes: lstatSync(join(upper, name)).size },
  }));
}

describe.runIf(isRoot)("overlay", () => {
  test("a first look by git writes nothing into it", async () => {
    // One on a whole template, one on a layer of changes.
    for (const commit of [scene.commits[0], scene.commits[1]]) {
      const workspace = await scene.create(machine, { branch: "b" }, commit);
      const before = upperFiles(workspace);
      expect(
        await shell(workspace, "git status --porcelain; git diff HEAD; git log -1 --format=%H"),
      ).toBe(commit);
      const after = upperFiles(workspace);
      expect(after.map(({ name }) => name)).not.toContain(".git/index");
      expect(after).toEqual(before);
      const files = after.filter(({ bytes }) => bytes !== 4096);
      expect(files.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(2000);
      await workspace.remove();
    }
  });

  test("a directory is renamed by git mv, by mv and by a program, and git follows", async () => {
    const workspace = await scene.create(machine);
    await shell(
      workspace,
      `git mv src/d0/e0 src/d0/moved; mv src/d0/e1 src/d0/plain
       node -e 'require("fs").renameSync("src/d0/e2", "src/d0/program")'`,
    );
    expect(
      await shell(workspace, "ls src/d0; git add -A; git status --porcelain | cut -c1-2 | sort -u"),
    ).toBe("moved\nplain\nprogram\nR");
    const { commit } = await workspace.result();
    expect(commit).not.toBe(workspace.base);
    await workspace.remove();
  });

  test("a tracked directory that is removed is gone, and comes back", async () => {
    const workspace = await scene.create(machine);
    await shell(workspace, "rm -rf src");
    expect(
      await shell(
        workspace,
        "ls -d src 2>/dev/null || git status --porcelain | cut -c1-2 | sort -u",
      ),
    ).toBe(" D");
    expect(await workspace.diff()).toContain("deleted file mode");
    expect(
      await shell(
        workspace,
        "mkdir src; ls -A src; git checkout -q -- src; git status --porcelain",
      ),
    ).toBe("");
    await workspace.remove();
  });

  test("an edit of the same size with the time set back is seen, by status and in the result", async () => {
    const workspace = await scene.create(machine);
    const file = "src/d0/e0/file-7.txt";
    await shell(
      workspace,
      `cp -p ${file} /tmp/before; tr 'l' 'L' < /tmp/before > ${file}; touch -r /tmp/before ${file}
       cmp -s ${file} /tmp/before && exit 9; test "$(stat -c '%s %y' ${file})" = "$(stat -c '%s %y' /tmp/before)"`,
    );
    const { commit } = await workspace.result(); // first, before git status has looked
    expect(commit).not.toBe(workspace.base);
    expect(await shell(workspace, "git status --porcelain")).toBe(` M ${file}`);
    expect(await workspace.diff()).toContain("Lorem");
    await workspace.remove();
  });

  test("npm ci installs a small project", async () => {
    const workspace = await scene.create(machine);
    const manifest = {
      name: "app",
      version: "1.0.0",
      dependencies: { dep: "file:dep.tgz", own: "file:own" },
    };
    const lock = {
      ...{ name: "app", version: "1.0.0", lockfileVersion: 3, requires: true },
      packages: {
        "": manifest,
        "node_modules/dep": { version: "1.0.0", resolved: "file:dep.tgz" },
        "node_modules/own": { resolved: "own", link: true },
        own: { version: "1.0.0" },
      },
    };
    await shell(
      workspace,
      `mkdir package own; echo '{"name":"dep","version":"1.0.0"}' > package/package.json
       echo 'module.exports = "from dep"' > package/index.js; tar czf dep.tgz package; rm -r package
       echo '{"name":"own","version":"1.0.0"}' > own/package.json; echo 'module.exports = "from own"' > own/index.js
       echo '${JSON.stringify(manifest)}' > package.json; echo '${JSON.stringify(lock)}' > package-lock.json
       echo node_modules > .gitignore; git add -A; git commit -qm app
       npm ci --offline --no-audit --no-fund --silent; npm ci --offline --no-audit --no-fund --silent`,
    );
    const script = `node -p 'require("dep") + ", " + require("own")'; git status --porcelain`;
    expect(await shell(workspace, script)).toBe("from dep, from own");
    await workspace.remove();
  });
});
