// Makes the files of a workspace: an overlay on a template, or a clone of its own.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { checkOut } from "../checkout/check-out.ts";
import {
  configText,
  type Head,
  type Identity,
  layOutRepository,
  linkPacks,
  makeOwned,
  packFiles,
  writeHead,
  writeOwned,
} from "../checkout/lay-out-repository.ts";
import { removeTree } from "../disk/git-directories.ts";
import { makeDirectories } from "../disk/make-directories.ts";
import { mountOverlay } from "../disk/mount-overlay.ts";
import type { RepositoryLocks } from "../lock/repository-lock.ts";
import type { Mirror } from "../mirror/mirror.ts";
import type { RemoteUrl } from "../remote/remote-url.ts";
import { HOME } from "../sandbox/job-environment.ts";
import type { JobUser } from "../sandbox/job-user.ts";
import { remoteRefs } from "../template/build-template.ts";
import type { Template } from "../template/templates.ts";
import type { LedgerEntry } from "./ledger.ts";

export const WORKSPACE_MARKER = "workspace.json";

export interface CheckoutPlan {
  readonly entry: LedgerEntry;
  readonly path: string;
  /** Beside it: the writable layer and temporary files. */
  readonly parts: string;
  readonly head: Head;
  readonly remote: RemoteUrl;
  readonly identity: Identity;
  readonly owner: JobUser | undefined;
  readonly sparse: readonly string[];
  /** A directory of further packs, ours alone: of the result it begins at. */
  readonly packs?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Only the job's user may look in. */
const PRIVATE = 0o700;

export function temporaryOf(parts: string): string {
  return join(parts, "tmp");
}

/** Everything but the mount is a handful of small files: the cost does not grow with the repository. */
export async function makeOverlay(plan: CheckoutPlan, template: Template): Promise<void> {
  const { path, parts, owner } = plan;
  const upper = join(parts, "upper");
  const work = join(parts, "work");
  makePlaces(plan);
  for (const directory of [upper, work, path]) makeOwned(directory, owner);
  chmodSync(upper, PRIVATE);
  const gitDir = join(upper, ".git");
  const layout = { ...plan, gitDir };
  writeHead(layout);
  if (plan.packs !== undefined) {
    makeOwned(join(gitDir, "objects"), owner);
    makeOwned(join(gitDir, "objects/pack"), owner);
    linkPacks(plan.packs, join(gitDir, "objects/pack"));
  }
  writeOwned(join(gitDir, "config"), configText(layout), owner);
  const base = join(template.directory, "..");
  await mountOverlay({ base, layers: template.layers, upper, work, target: path });
}

/**
 * Packs are linked when the job has another user: they are ours and cannot be written by it. Under the same user it could
 * change the mirror through the link, so it gets copies.
 */
export async function makeClone(
  plan: CheckoutPlan,
  mirror: Mirror,
  locks: RepositoryLocks,
): Promise<void> {
  const { path, parts, owner } = plan;
  makePlaces(plan);
  makeOwned(path, owner);
  chmodSync(path, PRIVATE);
  const layout = { ...plan, gitDir: join(path, ".git") };
  layOutRepository(layout);
  const packs = join(layout.gitDir, "objects/pack");
  const linked = owner === undefined ? join(parts, "packs") : packs;
  if (linked !== packs) mkdirSync(linked);
  const request = { purpose: "link packs into a clone", signal: plan.signal };
  await locks.hold(mirror.gitDir, request, async ({ descriptor }) => {
    linkPacks(join(mirror.gitDir, "objects/pack"), linked);
    writeOwned(join(layout.gitDir, "packed-refs"), await remoteRefs(mirror, [descriptor]), owner);
  });
  if (linked !== packs) await copyPacks(linked, packs);
  if (plan.packs !== undefined) linkPacks(plan.packs, packs);
  await checkOut({ path, owner, signal: plan.signal }, plan.head.commit, plan.sparse);
}

/** From a repository that has this one commit and belongs to nobody else. */
export async function makeShallowClone(plan: CheckoutPlan, shallow: string): Promise<void> {
  const { path, owner } = plan;
  makePlaces(plan);
  makeOwned(path, owner);
  chmodSync(path, PRIVATE);
  const layout = { ...plan, gitDir: join(path, ".git") };
  layOutRepository(layout);
  linkPacks(join(shallow, "objects/pack"), join(layout.gitDir, "objects/pack"));
  const boundary = join(shallow, "shallow"); // absent when the history is no longer than what was asked for
  if (existsSync(boundary)) {
    writeOwned(join(layout.gitDir, "shallow"), readFileSync(boundary, "utf8"), owner);
  }
  await checkOut({ path, owner, signal: plan.signal }, plan.head.commit, plan.sparse);
}

/** Before anything else lies in them. The marker proves whose they are, should the ledger be lost. */
export function makePlaces({
  parts,
  owner,
  entry,
}: Pick<CheckoutPlan, "parts" | "owner" | "entry">): void {
  mkdirSync(parts);
  chmodSync(parts, 0o711); // the job passes through; the umask may forbid it
  writeFileSync(join(parts, WORKSPACE_MARKER), JSON.stringify(entry), { mode: 0o600 });
  makeOwned(temporaryOf(parts), owner);
  chmodSync(temporaryOf(parts), PRIVATE);
  makeOwned(join(temporaryOf(parts), HOME), owner);
}

/** Outside the lock, because it may take long. */
export async function copyPacks(from: string, to: string): Promise<void> {
  await makeDirectories(to);
  for (const name of packFiles(from)) {
    await copyFile(join(from, name), join(to, name));
  }
  await removeTree(from);
}
