// One data directory with a mirrored repository for all tests of a file, seen by machines of different abilities.
import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  type CommitId,
  commitId,
  type Git,
  type Mirror,
  openGit,
  type Platform,
  parseRemoteUrl,
  type RemoteUrl,
  USUAL_REFS,
  type Workspace,
  type WorkspacePlan,
} from "@croft/git";
import { afterAll, beforeAll, expect, inject } from "vitest";
import { findLeftovers } from "./find-leftovers.ts";
import { makeRepository, git as plainGit, type RepositoryPlan } from "./make-repository.ts";

export const isRoot = process.getuid?.() === 0;

/** What a machine can do, and the kind of workspace to be made on it. */
export interface Machine {
  readonly name: string;
  readonly kind: "overlay" | "clone";
  readonly hasSandbox: boolean;
  readonly hasOverlay: boolean;
}

const machine = (name: string, can: Omit<Machine, "name">): Machine => ({ name, ...can });
const overlay = { kind: "overlay", hasOverlay: true } as const;
const clone = { kind: "clone", hasOverlay: isRoot } as const;

/** With a sandbox, which is where promises about hostile jobs hold. */
export const SANDBOXED: readonly Machine[] = [
  ...(isRoot ? [machine("overlay", { ...overlay, hasSandbox: true })] : []),
  machine("clone", { ...clone, hasSandbox: true }),
];

export const BARE: readonly Machine[] = [
  ...(isRoot ? [machine("overlay without a sandbox", { ...overlay, hasSandbox: false })] : []),
  machine("clone without a sandbox", { ...clone, hasSandbox: false }),
];

export const MACHINES: readonly Machine[] = [...SANDBOXED, ...BARE];

export interface WorkspaceScene {
  readonly root: string;
  readonly data: string;
  readonly git: Git;
  /** The bare repository that plays the remote. */
  readonly origin: string;
  readonly remote: RemoteUrl;
  readonly mirror: Mirror;
  /** Of branch main, the newest first. */
  readonly commits: readonly [CommitId, ...CommitId[]];
  /** What was reported as not having gone as it should. */
  readonly reports: string[];
  on(machine: Machine): Promise<Git>;
  /** What was removed is gone from the disk too. */
  idle(): Promise<void>;
  /** At the newest commit, unless told otherwise. */
  create(machine: Machine, plan?: Partial<WorkspacePlan>, commit?: CommitId): Promise<Workspace>;
}

/** Filled before the first test; after the last, nothing may be left and nothing may have failed unseen. */
export function shareWorkspaces(plan: Partial<RepositoryPlan> = {}): WorkspaceScene {
  const scene = {} as WorkspaceScene & { close: () => Promise<void> };
  beforeAll(async () => {
    Object.assign(scene, await open(plan));
  });
  afterAll(async () => {
    await scene.close?.();
  });
  return scene;
}

async function open(plan: Partial<RepositoryPlan>) {
  const root = join(inject("scratch"), randomUUID().slice(0, 8));
  await mkdir(root, { recursive: true, mode: 0o755 });
  const origin = await makeRepository(join(root, "remotes"), "app", {
    ...{ files: 20, commits: 3, odd: true },
    ...plan,
  });
  const data = join(root, "data");
  const failures: string[] = [];
  const reports: string[] = [];
  const openAs = (platform?: Platform) =>
    openGit({
      ...{ data, platform },
      onReport: (report) => reports.push(report),
      onBackgroundError: (what, error) => failures.push(`${what}: ${error}`),
    });
  const git = await openAs();
  const opened = new Map<string, Promise<Git>>();
  const made: Workspace[] = [];
  const on = (wanted: Machine) => {
    const key = `${wanted.hasOverlay} ${wanted.hasSandbox}`;
    const found = opened.get(key) ?? openAs(lessen(git.platform, wanted));
    opened.set(key, found);
    return found;
  };
  const remote = parseRemoteUrl(origin, { allowLocal: true });
  const mirror = await git.mirrors.fetch(remote, USUAL_REFS);
  const ids = await plainGit(["--git-dir", origin, "rev-list", "main"]);
  const commits = ids.split("\n").map(commitId);
  return {
    ...{ root, data, git, origin, remote, mirror, commits, reports, on },
    create: async (wanted: Machine, more: Partial<WorkspacePlan> = {}, commit = commits[0]) => {
      if (commit === undefined) throw new Error("the repository has no commit");
      const { workspaces } = await on(wanted);
      const usual = { name: "test", owner: { owner: "local" }, kind: wanted.kind };
      const workspace = await workspaces.createAt(mirror, commit, { ...usual, ...more });
      made.push(workspace);
      return workspace;
    },
    idle: async () => {
      for (const one of [git, ...(await Promise.all(opened.values()))]) await one.workspaces.idle();
    },
    close: async () => {
      for (const workspace of made) await workspace.remove(); // does nothing unless its test has failed
      for (const one of [git, ...(await Promise.all(opened.values()))]) await one.close();
      const left = findLeftovers(data, [mirror.gitDir]);
      await rm(root, { recursive: true, force: true });
      expect({ failures, left }).toEqual({ failures: [], left: [] });
    },
  };
}

function lessen(platform: Platform, { hasOverlay, hasSandbox }: Machine): Platform {
  const no = { isPossible: false as const, reason: "not in this test", advice: "none" };
  return {
    ...platform,
    overlay: hasOverlay ? platform.overlay : no,
    sandbox: hasSandbox ? platform.sandbox : no,
  };
}

/** Runs a script and gives what it wrote; it must succeed. */
export async function shell(workspace: Workspace, script: string): Promise<string> {
  const { exitCode, stdout, stderr } = await workspace.run(["/bin/sh", "-euc", script]);
  if (exitCode !== 0) throw new Error(`exit code ${exitCode}: ${stderr}`);
  return stdout.toString("utf8").trimEnd();
}
