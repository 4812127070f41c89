// One generated repository with everything that the ways to check it out begin from.
import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import {
  type CommitId,
  commitId,
  type Git,
  type Mirror,
  parseRemoteUrl,
  USUAL_REFS,
} from "@croft/git";
import { makeRepository, git as plainGit } from "../../test/support/make-repository.ts";
import type { GitServer } from "../../test/support/serve-git.ts";

export interface BenchRepository {
  readonly files: number;
  readonly git: Git;
  readonly mirror: Mirror;
  /** Of branch main, the newest first; each changes ten files. */
  readonly commits: readonly [CommitId, ...CommitId[]];
  /** The bare repository that plays the remote, and that peers borrow from. */
  readonly origin: string;
  /** Its address over HTTP. */
  readonly url: string;
  /** A checkout with a repository of its own, to be copied. */
  readonly original: string;
  /** Where peers put their checkouts, and what is no longer needed waits for the end. */
  readonly places: string;
}

export interface BenchParts {
  readonly root: string;
  /** What `server` serves. */
  readonly remotes: string;
  readonly server: GitServer;
  readonly git: Git;
}

/** More than a chain of layers may have. */
const COMMITS = 12;

export async function makeBenchRepository(
  { root, remotes, server, git }: BenchParts,
  files: number,
): Promise<BenchRepository> {
  const origin = await makeRepository(remotes, `files-${files}`, { files, commits: COMMITS });
  await plainGit(["--git-dir", origin, "repack", "-a", "-d", "--quiet"]); // as a server would have it
  const mirror = await git.mirrors.fetch(parseRemoteUrl(origin, { allowLocal: true }), USUAL_REFS);
  const name = basename(origin, ".git");
  const original = join(root, "originals", name);
  await plainGit(["clone", "--quiet", "--no-hardlinks", origin, original]);
  const places = join(root, "places", name);
  mkdirSync(places, { recursive: true });
  const ids = await plainGit(["--git-dir", origin, "rev-list", "main"]);
  const [first, ...rest] = ids.split("\n").map(commitId);
  if (first === undefined) throw new Error(`no commit in '${origin}'`);
  const commits = [first, ...rest] as const;
  return { files, git, mirror, commits, origin, url: server.url(name), original, places };
}
