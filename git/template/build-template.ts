// Makes the files of a template: the whole tree, or only what differs from an earlier one.
import { rmdirSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { type CheckoutPlace, checkOut, checkoutOptions } from "../checkout/check-out.ts";
import {
  DEFAULT_IDENTITY,
  layOutRepository,
  linkPacks,
  makeOwned,
  packFiles,
  type RepositoryLayout,
  writeHead,
  writeOwned,
} from "../checkout/lay-out-repository.ts";
import { runGit } from "../command/run-git.ts";
import { makeDirectories } from "../disk/make-directories.ts";
import { mountOverlay, unmountPatiently } from "../disk/mount-overlay.ts";
import type { RepositoryLocks } from "../lock/repository-lock.ts";
import type { Mirror } from "../mirror/mirror.ts";
import type { CommitId } from "../remote/commit-id.ts";
import type { JobUser } from "../sandbox/job-user.ts";
import type { ChangedFile } from "./change-list.ts";
import { type LayerPlace, settleAll, settleFiles, TOUCHED_FILES_MAX } from "./settle-index.ts";
import { namesOf, stageChanges } from "./stage-changes.ts";

/** What the next layer is laid on: nothing, for a whole tree. */
export interface TemplateSource {
  readonly mirror: Mirror;
  readonly commit: CommitId;
  readonly locks: RepositoryLocks;
  readonly owner: JobUser | undefined;
}

/** Into `<place>/tree`. */
export async function buildWhole(source: TemplateSource, place: string, files: number) {
  const { commit, owner } = source;
  const tree = join(place, "tree");
  await makePassable(place);
  makeOwned(tree, owner);
  const layout = layoutOf(source, tree);
  layOutRepository(layout);
  await fillFromMirror(source, layout.gitDir, new Set());
  const checkout: CheckoutPlace = { path: tree, owner };
  await checkOut(checkout, commit);
  if (files > TOUCHED_FILES_MAX) await settleAll(checkout);
  else await settleFiles(checkout, await listFiles(checkout), layerAt(place));
}

/**
 * An overlay on the earlier template, in which only the changed files are written; then its upper layer is the template.
 * Plumbing instead of `read-tree -m -u`, which takes four times as long at 100,000 files.
 */
export async function buildDelta(
  source: TemplateSource,
  place: string,
  { layers, changes }: { layers: readonly string[]; changes: readonly ChangedFile[] },
): Promise<void> {
  const { owner } = source;
  const tree = join(place, "tree");
  const root = join(place, "root");
  const work = join(place, "work");
  await makePassable(place);
  for (const directory of [tree, root, work]) makeOwned(directory, owner);
  const gitDir = join(tree, ".git");
  makeOwned(gitDir, owner);
  makeOwned(join(gitDir, "objects"), owner);
  makeOwned(join(gitDir, "objects/pack"), owner);
  writeHead(layoutOf(source, tree));
  const known = layers.flatMap((layer) => packFiles(join(layer, ".git/objects/pack")));
  await fillFromMirror(source, gitDir, new Set(known));
  await mountOverlay({
    base: join(layers[0] ?? "", "../.."),
    layers,
    upper: tree,
    work,
    target: root,
  });
  try {
    await applyChanges({ path: root, owner }, changes, layerAt(place));
  } finally {
    await unmountPatiently(root);
  }
  rmdirSync(root);
}

/** Whatever the umask is: the job's user, who checks out, must pass through. */
async function makePassable(place: string): Promise<void> {
  await makeDirectories(place);
  await chmod(place, 0o711);
}

/** Under the repository lock: a repack must not take a pack away between listing and linking. */
async function fillFromMirror(
  { mirror, locks, owner }: TemplateSource,
  gitDir: string,
  known: ReadonlySet<string>,
): Promise<void> {
  const from = join(mirror.gitDir, "objects/pack");
  const request = { purpose: "link packs into a template" };
  await locks.hold(mirror.gitDir, request, async ({ descriptor }) => {
    linkPacks(from, join(gitDir, "objects/pack"), known);
    writeOwned(join(gitDir, "packed-refs"), await remoteRefs(mirror, [descriptor]), owner);
  });
}

/** Branches as `origin/*`, tags as they are; the remote's pull requests are not anybody's business. */
export async function remoteRefs(
  { gitDir }: Mirror,
  lockDescriptors: readonly number[] = [],
): Promise<string> {
  const format = "--format=%(objectname) %(refname)";
  const args = ["for-each-ref", format, "refs/remote/heads", "refs/remote/tags"];
  const { stdout } = await runGit(args, { gitDir, lockDescriptors });
  const lines = stdout
    .toString("utf8")
    .replaceAll(" refs/remote/heads/", " refs/remotes/origin/")
    .replaceAll(" refs/remote/tags/", " refs/tags/");
  return `# pack-refs with:\n${lines}`;
}

/** Settled afterwards: a template's index must be trusted by everybody who looks at it later. */
async function applyChanges(
  place: CheckoutPlace,
  changes: readonly ChangedFile[],
  layer: LayerPlace,
): Promise<void> {
  await stageChanges(place, changes);
  const written = changes.filter(({ mode }) => mode !== "000000");
  await runGit(["checkout-index", "-f", "-z", "--stdin"], {
    ...checkoutOptions(place),
    input: namesOf(written),
  });
  const files = written.filter(({ mode }) => mode !== "160000"); // a submodule is an empty directory
  const paths = files.map(({ path }) => path);
  await settleFiles(place, paths, layer);
}

async function listFiles(place: CheckoutPlace): Promise<Buffer[]> {
  const { stdout } = await runGit(["ls-files", "-z", "--stage"], checkoutOptions(place));
  const paths: Buffer[] = [];
  for (let at = 0; at < stdout.length; ) {
    const end = stdout.indexOf(0, at);
    const isSubmodule = stdout.toString("latin1", at, at + 6) === "160000";
    if (!isSubmodule) paths.push(stdout.subarray(stdout.indexOf(9, at) + 1, end));
    at = end + 1;
  }
  return paths;
}

function layerAt(place: string): LayerPlace {
  return { tree: join(place, "tree"), links: join(place, "links") };
}

function layoutOf({ mirror, commit, owner }: TemplateSource, tree: string): RepositoryLayout {
  return {
    gitDir: join(tree, ".git"),
    head: { commit },
    remote: mirror.remote,
    identity: DEFAULT_IDENTITY,
    owner,
  };
}
