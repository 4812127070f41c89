// Whatever the dead have left is gone after a sweep; whatever belongs to the living, or to nobody known, stays.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findLeftovers } from "../../test/support/find-leftovers.ts";
import { gitProcess } from "../../test/support/git-process.ts";
import { idle } from "../../test/support/idle.ts";
import { scratchGit } from "../../test/support/scratch-git.ts";
import { unmountWhenFinished } from "../../test/support/unmount-below.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { thisProcess } from "../command/process-identity.ts";
import { mountsBelow } from "../disk/mount-overlay.ts";
import type { GitOptions } from "../open-git.ts";
import type { LedgerEntry } from "../workspace/ledger.ts";

const isRoot = process.getuid?.() === 0;
const owner = { owner: "local" };
/** Of a process that has never been. */
const DEAD = { pid: 4_000_000, start: "1" };

async function prepare(files = 20, options: Partial<GitOptions> = {}) {
  const scratch = await scratchGit({ files, commits: 2, odd: false }, options);
  unmountWhenFinished(scratch.root);
  const { git, data, mirror } = scratch;
  const { workspaces } = git.directories;
  return {
    ...scratch,
    workspaces,
    parts: join(workspaces, ".parts"),
    ledger: join(workspaces, ".ledger"),
    left: () => findLeftovers(data, [mirror.gitDir]),
  };
}

function entryOf(workspaces: string, id: string, process = DEAD): LedgerEntry {
  return {
    ...{ id, kind: "clone", path: join(workspaces, id), repository: "none", process },
    ...{ ...owner, createdAt: new Date().toISOString() },
  };
}

/** As a creation leaves it that was killed between the marker and the files. */
function makeHalf(workspaces: string, entry: LedgerEntry): void {
  const parts = join(workspaces, ".parts", entry.id);
  mkdirSync(parts);
  writeFileSync(join(parts, "workspace.json"), JSON.stringify(entry));
  mkdirSync(entry.path);
  writeFileSync(join(entry.path, "half"), "");
}

test.skipIf(!isRoot)(
  "the workspaces of a killed process go, those of a living one stay and work on",
  async () => {
    const { git, data, origin, mirror, commits, left } = await prepare();
    const body = `
      const commit = commitId(${JSON.stringify(commits[0])});
      const made = [];
      for (const kind of ["overlay", "overlay", "clone"]) {
        made.push(await git.workspaces.createAt(mirror, commit, { name: kind, owner, kind }));
      }
      for (const workspace of made) void workspace.run(["sleep", "1000"]);
      for (const workspace of made) say("made " + workspace.id);
      say("ready");
      await told();
      const { stdout } = await made[0].run(["sh", "-c", "echo new > new && git status --short"]);
      say("status " + stdout.toString().trim());
      await told();`;
    const [dying, living] = [
      gitProcess({ data, origin, body }),
      gitProcess({ data, origin, body }),
    ];
    await dying.hasSaid("ready");
    await living.hasSaid("ready");
    const own = await git.workspaces.createAt(mirror, commits[0], { name: "own", owner });
    expect(await git.sweep()).toEqual({ removed: [], kept: [], failed: [] });

    dying.signal("SIGKILL");
    await dying.ended();
    const dead = dying.said.filter((line) => line.startsWith("made ")).map((line) => line.slice(5));
    const { removed, kept, failed } = await git.sweep();
    expect(removed.map((path) => basename(path))).toEqual(expect.arrayContaining(dead));
    expect({ kept, failed }).toEqual({ kept: [], failed: [] });
    for (const id of dead) {
      expect(readdirSync(git.directories.workspaces)).not.toContain(id);
      expect(left().filter((path) => path.includes(id))).toEqual([]);
    }
    living.tell();
    await living.hasSaid("status ?? new");
    expect((await own.run(["git", "status", "--short"])).stdout.toString()).toBe("");
    expect(mountsBelow(data)).toHaveLength(3);

    living.signal("SIGKILL");
    await living.ended();
    await own.remove();
    await git.sweep();
    expect(left()).toEqual([]);
  },
);

test("a process of a workspace that is no more is ended, one of another data directory is not", async () => {
  const { git, workspaces, commits, mirror, root } = await prepare();
  const own = await git.workspaces.createAt(mirror, commits[0], { name: "own", owner });
  const start = (workspace: string) => {
    const env = { ...process.env, CROFT_WORKSPACE: workspace };
    const child = spawn("sleep", ["1000"], { env, stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  };
  const late = start(join(workspaces, "gone-1a2b3c4d"));
  const others = [start(own.path), start(join(root, "elsewhere/workspaces/gone-1a2b3c4d"))];
  const ended = once(late, "exit");
  const { removed } = await git.sweep();
  expect(removed).toEqual([`process ${late.pid} of '${join(workspaces, "gone-1a2b3c4d")}'`]);
  expect(await ended).toEqual([null, "SIGKILL"]);
  expect(others.map(({ exitCode, signalCode }) => [exitCode, signalCode])).toEqual([
    [null, null],
    [null, null],
  ]);
  await own.remove();
});

test.skipIf(!isRoot)(
  "a checkout that a killed process has left running is ended with it, in a clone and in a template",
  async () => {
    const { git, data, origin, commits, left } = await prepare(3000);
    for (const kind of ["clone", "overlay"]) {
      const maker = gitProcess({
        ...{ data, origin },
        body: `
          const commit = commitId(${JSON.stringify(commits[0])});
          await git.workspaces.createAt(mirror, commit, { name: "half", owner, kind: "${kind}" });
          say("too late");`,
      });
      const { workspaces, staging } = git.directories;
      await waitUntil("a checkout under way", () => {
        const clones = readdirSync(workspaces).map((name) => join(workspaces, name));
        const templates = readdirSync(staging).map((name) => join(staging, name, "tree"));
        return [...clones, ...templates].some((path) => existsSync(join(path, "src")));
      });
      maker.signal("SIGKILL");
      expect(await maker.ended()).toEqual([]);
      const { removed, failed } = await git.sweep();
      expect(removed.length).toBeGreaterThan(0);
      expect(failed).toEqual([]);
      expect(left()).toEqual([]);
    }
  },
);

test.skipIf(!isRoot)(
  "what was being made goes with its maker: a mount in staging, drafts, trash",
  async () => {
    const { git, data, origin, ledger, left } = await prepare();
    const url = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
    const maker = gitProcess({
      ...{ data, origin },
      body: `
        const { stagingPlace } = await import(${url("../disk/git-directories.ts")});
        const { mountOverlay } = await import(${url("../disk/mount-overlay.ts")});
        const { thisProcess } = await import(${url("../command/process-identity.ts")});
        const { mkdirSync, writeFileSync } = await import("node:fs");
        const place = stagingPlace(git.directories, "template");
        const [lower, upper, work, target] = ["lower", "tree", "work", "root"].map((name) => place + "/" + name);
        for (const path of [place, lower, upper, work, target]) mkdirSync(path);
        await mountOverlay({ base: place, layers: [lower], upper, work, target });
        writeFileSync(target + "/half", "");
        const { pid, start } = thisProcess();
        mkdirSync("${ledger}", { recursive: true });
        writeFileSync("${ledger}/.x-00000000." + pid + "." + start + ".draft", "{");
        mkdirSync(git.directories.trash + "/doomed/deep", { recursive: true });
        say("ready");
        await told();`,
    });
    await maker.hasSaid("ready");
    await git.sweep();
    expect(mountsBelow(data)).toHaveLength(1); // its maker lives
    expect(readdirSync(ledger)).toHaveLength(1);
    maker.signal("SIGKILL");
    await maker.ended();
    expect((await git.sweep()).failed).toEqual([]);
    expect(left()).toEqual([]);
  },
);

test("what is not known to be ours is kept and reported with the reason", async () => {
  const { git, workspaces, parts, left } = await prepare();
  const foreign = [
    join(workspaces, "notes.txt"),
    join(workspaces, "project"),
    join(workspaces, "looks-like-one-12345678"),
    join(git.directories.staging, "upload"),
    join(git.directories.mirrors, "backup"),
  ];
  writeFileSync(join(workspaces, "notes.txt"), "mine");
  for (const path of foreign.slice(1)) mkdirSync(path);
  mkdirSync(join(parts, "looks-like-one-12345678"));
  writeFileSync(
    join(parts, "looks-like-one-12345678", "workspace.json"),
    '{"id":"other-12345678"}',
  );
  for (let sweeps = 0; sweeps < 2; sweeps++) {
    const { removed, kept, failed } = await git.sweep();
    expect({ removed, failed }).toEqual({ removed: [], failed: [] });
    expect(kept.map(({ path }) => path).sort()).toEqual([...foreign].sort());
    for (const { reason } of kept) expect(reason).toMatch(/not made by Croft|not in the ledger/);
  }
  for (const path of foreign) expect(existsSync(path)).toBe(true);
  expect(left().length).toBeGreaterThan(0);
});

test("a workspace without a row in the ledger is judged by its marker: dead goes, living stays", async () => {
  const { git, workspaces, left } = await prepare();
  makeHalf(workspaces, entryOf(workspaces, "dead-00000001"));
  makeHalf(workspaces, entryOf(workspaces, "living-00000002", thisProcess()));
  const parts = join(workspaces, ".parts/only-parts-00000003");
  mkdirSync(parts);
  const lone = entryOf(workspaces, "only-parts-00000003");
  writeFileSync(join(parts, "workspace.json"), JSON.stringify(lone));
  const { removed, kept, failed } = await git.sweep();
  expect(removed.map((path) => basename(path)).sort()).toEqual([
    "dead-00000001",
    "only-parts-00000003",
  ]);
  expect(kept).toEqual([
    { path: join(workspaces, "living-00000002"), reason: expect.stringContaining("works in it") },
  ]);
  expect(failed).toEqual([]);
  await idle(git);
  expect(left().every((path) => path.includes("living-00000002"))).toBe(true);
});

test("a row that a power loss has cut short still tells what to remove", async () => {
  const { git, workspaces, ledger, left } = await prepare();
  mkdirSync(ledger, { recursive: true });
  const entry = entryOf(workspaces, "cut-00000001");
  makeHalf(workspaces, entry);
  writeFileSync(join(workspaces, ".parts", entry.id, "workspace.json"), "");
  writeFileSync(join(ledger, `${entry.id}.json`), "");
  writeFileSync(join(ledger, "gone-00000002.json"), '{"id":"gone-0000');
  const { kept, failed } = await git.sweep();
  expect({ kept, failed }).toEqual({ kept: [], failed: [] });
  await idle(git);
  expect(left()).toEqual([]);
});

test.skipIf(!isRoot)(
  "what cannot be removed is reported, and keeps nothing else from being removed",
  async () => {
    const inBackground: string[] = [];
    const onBackgroundError = (what: string) => void inBackground.push(what);
    const { git, workspaces, ledger, left } = await prepare(20, { onBackgroundError });
    mkdirSync(ledger, { recursive: true });
    const files: string[] = [];
    for (const id of ["a-00000001", "b-00000002", "c-00000003"]) {
      const entry = entryOf(workspaces, id);
      makeHalf(workspaces, entry);
      writeFileSync(join(ledger, `${id}.json`), JSON.stringify(entry));
      files.push(join(entry.path, "half"));
    }
    const doomed = join(git.directories.trash, "doomed");
    const stuck = join(git.directories.staging, "template.4000000.1.00000000");
    for (const path of [doomed, stuck]) {
      mkdirSync(path);
      writeFileSync(join(path, "half"), "");
      files.push(join(path, "half"));
    }
    mkdirSync(join(git.directories.trash, "innocent"));
    const [, fixed = "", , inTrash = "", inStaging = ""] = files;
    execFileSync("chattr", ["+i", fixed, inTrash, inStaging]);
    const free = () =>
      execFileSync("sh", [
        "-c",
        `find '${git.directories.data}' -type f -name half -exec chattr -i {} +`,
      ]);
    onTestFinished(() => void free());
    const { failed } = await git.sweep();
    await idle(git);
    expect(failed.length).toBeGreaterThanOrEqual(2);
    for (const { reason } of failed) expect(reason).toMatch(/not permitted.*; the next sweep/s);
    expect(readdirSync(workspaces).filter((name) => !name.startsWith("."))).toEqual([]);
    expect(existsSync(join(git.directories.trash, "innocent"))).toBe(false);
    expect(left().every((path) => path.includes("/trash/"))).toBe(true);
    expect(inBackground.every((what) => what === "delete a workspace")).toBe(true);
    free();
    expect((await git.sweep()).failed).toEqual([]);
    expect(left()).toEqual([]);
  },
);

test("kept work goes after a day, not before", async () => {
  const { git } = await prepare();
  const kept = join(git.directories.results, "somebody/kept");
  mkdirSync(kept, { recursive: true });
  const hours = { "old-00000001.bundle": 25, "new-00000002.bundle": 23, "old.bundle.draft": 25 };
  for (const [name, age] of Object.entries(hours)) {
    writeFileSync(join(kept, name), "");
    const when = Date.now() / 1000 - age * 3600;
    utimesSync(join(kept, name), when, when);
  }
  writeFileSync(join(git.directories.results, "stray"), "");
  expect((await git.sweep()).failed).toEqual([]);
  expect(readdirSync(kept)).toEqual(["new-00000002.bundle"]);
});

test("a part of the sweep that cannot go on does not keep the others from theirs", async () => {
  const { git, workspaces, ledger, left } = await prepare();
  mkdirSync(ledger, { recursive: true });
  mkdirSync(join(ledger, "odd-00000001.json")); // a directory, where a file should be
  mkdirSync(join(git.directories.trash, "doomed"));
  const { failed } = await git.sweep();
  expect(failed.map(({ path }) => path)).toContain(workspaces);
  expect(left().filter((path) => path.includes("/trash/"))).toEqual([]);
});
