// PostgreSQL's pid file is believed only while it names a living server of that cluster.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { findPostmaster, removeStalePidFile } from "./postmaster.ts";

async function writePidFile(cluster: string, pid: number, status = "ready"): Promise<void> {
  const lines = [pid, cluster, 1_700_000_000, 5432, "/socket", "", "   5432  0", `${status}   `];
  await writeFile(join(cluster, "postmaster.pid"), `${lines.join("\n")}\n`);
}

const hasPidFile = (cluster: string) => existsSync(join(cluster, "postmaster.pid"));

/** A process that looks like a server of the cluster: it works in that directory and has it on its command line. */
async function startServerOf(cluster: string): Promise<number> {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)", cluster], {
    cwd: cluster,
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  await once(child, "spawn");
  return child.pid ?? -1;
}

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  return child.pid ?? -1;
}

test("without a pid file there is no server and nothing to remove", async () => {
  const cluster = await scratchDirectory();
  expect(await findPostmaster(cluster)).toBeUndefined();
  await removeStalePidFile(cluster);
  expect(await findPostmaster("/nowhere")).toBeUndefined();
});

test("a file that names a living process of somebody else is stale and removed", async () => {
  const cluster = await scratchDirectory();
  await writePidFile(cluster, process.pid);
  expect(await findPostmaster(cluster)).toBeUndefined();
  await removeStalePidFile(cluster);
  expect(hasPidFile(cluster)).toBe(false);
});

test("a file that names a dead process is stale and removed", async () => {
  const cluster = await scratchDirectory();
  await writePidFile(cluster, await deadPid());
  expect(await findPostmaster(cluster)).toBeUndefined();
  await removeStalePidFile(cluster);
  expect(hasPidFile(cluster)).toBe(false);
});

test.each([
  ["ready", true],
  ["starting", false],
  ["stopping", false],
])("a living server that is %s is found and its file stays", async (status, ready) => {
  const cluster = await scratchDirectory();
  const pid = await startServerOf(cluster);
  await writePidFile(cluster, pid, status);
  expect(await findPostmaster(cluster)).toMatchObject({ pid, ready });
  await removeStalePidFile(cluster);
  expect(hasPidFile(cluster)).toBe(true);
});

test("a server that has written only the first lines is found, not ready", async () => {
  const cluster = await scratchDirectory();
  const pid = await startServerOf(cluster);
  await writeFile(join(cluster, "postmaster.pid"), `${pid}\n${cluster}\n`);
  expect(await findPostmaster(cluster)).toMatchObject({ pid, ready: false });
});

test.runIf(process.platform === "linux")(
  "a server is found also through a link to its cluster",
  async () => {
    const directory = await scratchDirectory();
    const cluster = join(directory, "cluster");
    await mkdir(cluster);
    const pid = await startServerOf(cluster);
    await writePidFile(cluster, pid);
    await symlink(cluster, join(directory, "link"));
    expect((await findPostmaster(join(directory, "link")))?.pid).toBe(pid);
  },
);

test("the server of another cluster does not count", async () => {
  const [own, other] = [await scratchDirectory(), await scratchDirectory()];
  await writePidFile(own, await startServerOf(other));
  expect(await findPostmaster(own)).toBeUndefined();
});

test.each(["", "\n", "not a number\n", "-1\n"])(
  "a broken file '%s', with which PostgreSQL would not start, is removed",
  async (text) => {
    const cluster = await scratchDirectory();
    await writeFile(join(cluster, "postmaster.pid"), text);
    expect(await findPostmaster(cluster)).toBeUndefined();
    await removeStalePidFile(cluster);
    expect(hasPidFile(cluster)).toBe(false);
  },
);
