// A probe directory is gone afterwards, whatever happens in it, and so is what killed processes left.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { thisProcess } from "../command/process-identity.ts";
import { runTool } from "../command/run-tool.ts";
import { mountsBelow } from "../disk/mount-overlay.ts";
import { openGit } from "../open-git.ts";
import { withProbeDirectory } from "./probe-directory.ts";

const isRoot = process.getuid?.() === 0;

/** As a process that is gone would have left it. */
async function leaveProbe(parent: string): Promise<string> {
  const gone = spawn(process.execPath, ["-e", ""]);
  await once(gone, "exit");
  const path = join(parent, `croft-probe.${gone.pid}.1.0123abcd`);
  mkdirSync(join(path, "inside"), { recursive: true });
  return path;
}

test("others can pass through it, whatever the umask, and it is gone afterwards", async () => {
  const parent = await scratchDirectory();
  const before = process.umask(0o077);
  onTestFinished(() => void process.umask(before));
  const answer = await withProbeDirectory(parent, async (directory) => {
    writeFileSync(join(directory, "file"), "");
    return statSync(directory).mode & 0o777;
  });
  expect(answer).toBe(0o711);
  expect(readdirSync(parent)).toEqual([]);
});

test("it is gone also when the work in it fails", async () => {
  const parent = await scratchDirectory();
  const failing = withProbeDirectory(parent, () => Promise.reject(new Error("no luck")));
  await expect(failing).rejects.toThrow("no luck");
  expect(readdirSync(parent)).toEqual([]);
});

test("one that a dead process left is removed; one of a living process, and what only looks like one, is not", async () => {
  const parent = await scratchDirectory();
  const { pid, start } = thisProcess();
  const names = ["croft-probe.txt", `croft-probe.${pid}.${start}.0123abcd`, "other.1.1.0123abcd"];
  for (const name of names) mkdirSync(join(parent, name));
  await leaveProbe(parent);
  await withProbeDirectory(parent, async () => {});
  expect(readdirSync(parent).sort()).toEqual(names.sort());
});

test.runIf(isRoot)("one of another user is left alone", async () => {
  const parent = await scratchDirectory();
  const path = await leaveProbe(parent);
  chownSync(path, 1, 1);
  await withProbeDirectory(parent, async () => {});
  expect(readdirSync(parent)).toHaveLength(1);
});

test.runIf(isRoot)(
  "a mount that a dead process left in it goes too, also through a link",
  async () => {
    const root = await scratchDirectory();
    const parent = join(root, "real");
    mkdirSync(parent);
    const link = join(root, "link");
    await runTool("ln", ["-s", parent, link]);
    const left = await leaveProbe(parent);
    await runTool("mount", ["-t", "tmpfs", "tmpfs", join(left, "inside")]);
    onTestFinished(async () => {
      for (const mount of mountsBelow(parent)) await runTool("umount", [mount]);
    });
    expect(mountsBelow(parent)).toHaveLength(1);
    await withProbeDirectory(link, async () => {});
    expect(mountsBelow(parent)).toEqual([]);
    expect(readdirSync(parent)).toEqual([]);
  },
);

test("the sweep of a data directory removes it, too", async () => {
  const data = join(await scratchDirectory(), "data");
  const git = await openGit({ data });
  onTestFinished(() => git.close());
  const path = await leaveProbe(data);
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  expect((await git.sweep()).removed).toContain(path);
  expect(existsSync(path)).toBe(false);
});
