// The bare copy of a remote on this host's disk: made once, fetched for many, repaired after any kill.
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { classifyGitFailure, GitError } from "../command/git-error.ts";
import { gitText, type RunGitOptions, runGit } from "../command/run-git.ts";
import type { RepositoryLocks } from "../lock/repository-lock.ts";
import { runGitWithToken, type TokenSource } from "../remote/credential-broker.ts";
import { directoryNameOf, type RemoteUrl } from "../remote/remote-url.ts";
import { FetchQueue, type Wanted } from "./fetch-queue.ts";
import { removeStaleFiles } from "./remove-stale-files.ts";

/** How one caller reaches a remote: each with its own credential and patience. */
export interface RemoteAccess {
  readonly tokens?: TokenSource | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface Mirror {
  readonly gitDir: string;
  readonly remote: RemoteUrl;
}

export interface MirrorDirectories {
  readonly mirrors: string;
  readonly staging: string;
  readonly trash: string;
}

/** Branches and tags; pull requests and single refs are asked for by name. */
export const USUAL_REFS: readonly string[] = ["refs/heads/*", "refs/tags/*"];

const FETCH_TIMEOUT_MS = 15 * 60_000;
const FIRST_FETCH_TIMEOUT_MS = 6 * 3_600_000;
/** Under the long lock one waits for somebody else's fetch, as long as that may take. */
const JOIN_TIMEOUT_MS = FIRST_FETCH_TIMEOUT_MS;

/** What the remote calls `refs/heads/x` is `refs/remote/heads/x` here: never checked out, never in anybody's way. */
function ownName(ref: string): string {
  return ref.replace(/^refs\//, "refs/remote/");
}

export class Mirrors {
  readonly #directories: MirrorDirectories;
  readonly #locks: RepositoryLocks;
  readonly #queues = new Map<string, FetchQueue>();

  constructor(directories: MirrorDirectories, locks: RepositoryLocks) {
    this.#directories = directories;
    this.#locks = locks;
  }

  pathOf(remote: RemoteUrl): string {
    return join(this.#directories.mirrors, `${directoryNameOf(remote)}.git`);
  }

  /**
   * The mirror with these refs as the remote had them at some moment after this call. Callers that come while a fetch
   * runs share the next one; its refs are all of theirs together.
   */
  async fetch(
    remote: RemoteUrl,
    refs: readonly string[],
    access: RemoteAccess = {},
  ): Promise<Mirror> {
    const gitDir = this.pathOf(remote);
    const queue = this.#queueOf(gitDir);
    try {
      const { signal, ...shared } = access;
      await queue.join(refs, signal, (wanted) => this.#fetchNow(remote, gitDir, wanted, shared));
    } finally {
      if (queue.isIdle && this.#queues.get(gitDir) === queue) this.#queues.delete(gitDir);
    }
    return { gitDir, remote };
  }

  #queueOf(gitDir: string): FetchQueue {
    const existing = this.#queues.get(gitDir);
    if (existing !== undefined) return existing;
    const queue = new FetchQueue(
      join(this.#directories.mirrors, `.${gitDir.split("/").at(-1)}.wanted`),
    );
    this.#queues.set(gitDir, queue);
    return queue;
  }

  /** One process of the host at a time; whoever waited finds that another has fetched for it. */
  async #fetchNow(
    remote: RemoteUrl,
    gitDir: string,
    wanted: Wanted,
    access: SharedAccess,
  ): Promise<void> {
    const request = { purpose: "fetch", timeoutMs: JOIN_TIMEOUT_MS };
    await mkdir(this.#directories.mirrors, { recursive: true });
    await this.#locks.holdLong(gitDir, request, async ({ descriptor }) => {
      const refs = await wanted.take();
      if (refs === undefined) return; // done meanwhile
      const held = [descriptor];
      if (!existsSync(gitDir)) {
        await this.#create(remote, gitDir, refs, { access, held });
      } else {
        await this.#update(remote, gitDir, refs, { access, held });
      }
      await wanted.done();
    });
  }

  async #create(
    remote: RemoteUrl,
    gitDir: string,
    refs: readonly string[],
    { access, held }: FetchContext,
  ) {
    const staged = join(this.#directories.staging, `mirror-${randomUUID()}`);
    await mkdir(this.#directories.staging, { recursive: true });
    try {
      await runGit(["init", "--quiet", "--bare", staged], { lockDescriptors: held });
      const refspecs = [...new Set([...USUAL_REFS, ...refs])].map(
        (ref) => `+${ref}:${ownName(ref)}`,
      );
      await fetchInto(staged, remote, refspecs, {
        access: { timeoutMs: FIRST_FETCH_TIMEOUT_MS, ...access },
        held,
      });
      await rename(staged, gitDir);
    } catch (error) {
      await rm(staged, { recursive: true, force: true, maxRetries: 5 });
      throw error;
    }
  }

  async #update(remote: RemoteUrl, gitDir: string, refs: readonly string[], context: FetchContext) {
    const recovery = { purpose: "recover before fetch" };
    await this.#locks.hold(gitDir, recovery, async () => removeStaleFiles(gitDir));
    try {
      await this.#fetchAndMove(remote, gitDir, refs, context);
    } catch (error) {
      if (!(error instanceof GitError) || error.code !== "corrupt") throw error;
      await this.#discard(gitDir);
      await this.#create(remote, gitDir, refs, context);
    }
  }

  /** The transfer runs without the repository lock; only the refs are moved under it. */
  async #fetchAndMove(
    remote: RemoteUrl,
    gitDir: string,
    refs: readonly string[],
    context: FetchContext,
  ) {
    const incoming = `refs/incoming/${randomUUID()}`;
    const refspecs = refs.map((ref) => `+${ref}:${ref.replace(/^refs/, incoming)}`);
    await fetchInto(gitDir, remote, refspecs, context);
    const request = { purpose: "move fetched refs" };
    await this.#locks.hold(gitDir, request, async ({ descriptor }) => {
      await moveRefs(gitDir, incoming, refs, [descriptor, ...context.held]);
    });
  }

  async #discard(gitDir: string): Promise<void> {
    await mkdir(this.#directories.trash, { recursive: true });
    const doomed = join(this.#directories.trash, randomUUID());
    await this.#locks.hold(gitDir, { purpose: "discard a damaged mirror" }, () =>
      rename(gitDir, doomed),
    );
    await rm(doomed, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Of the caller that started it; nobody's signal ends a fetch that others have joined. */
type SharedAccess = Omit<RemoteAccess, "signal">;

interface FetchContext {
  readonly access: SharedAccess;
  readonly held: readonly number[];
}

async function fetchInto(
  gitDir: string,
  remote: RemoteUrl,
  refspecs: readonly string[],
  { access, held }: FetchContext,
): Promise<void> {
  const flags = ["--quiet", "--no-tags", "--no-write-fetch-head", "--force"];
  const args = ["fetch", ...flags, "--end-of-options", remote.text, ...refspecs];
  const options: RunGitOptions = {
    gitDir,
    protocols: [remote.protocol],
    timeoutMs: access.timeoutMs ?? FETCH_TIMEOUT_MS,
    lockDescriptors: held,
  };
  const { stderr } =
    access.tokens === undefined
      ? await runGit(args, options)
      : await runGitWithToken(args, { ...options, remote, tokens: access.tokens });
  // Git fetches again what a damaged pack has lost, and only mentions the damage.
  if (classifyGitFailure(stderr) !== "corrupt") return;
  throw new GitError("corrupt", "the mirror is damaged", { command: "fetch", stderr });
}

/** Refs that the remote no longer has go first: `a` must be gone before `a/b` can be. */
async function moveRefs(
  gitDir: string,
  incoming: string,
  refs: readonly string[],
  held: readonly number[],
) {
  const options = { gitDir, lockDescriptors: held };
  const fetched = await listRefs(gitDir, incoming);
  const target = (name: string) => name.replace(incoming, "refs/remote");
  const fresh = new Map(fetched.map(({ name, id }) => [target(name), id]));
  const patterns = refs.map((ref) => ownName(ref).replace(/\*$/, ""));
  const existing = (await Promise.all(patterns.map((pattern) => listRefs(gitDir, pattern)))).flat();
  const gone = existing.filter(({ name }) => !fresh.has(name));
  const current = new Map(existing.map(({ name, id }) => [name, id]));
  const changed = [...fresh].filter(([name, id]) => current.get(name) !== id);
  const remove = (name: string) => `delete ${name}\n`;
  await updateRefs(
    gone.map(({ name }) => remove(name)),
    options,
  );
  await updateRefs(
    [
      ...changed.map(([name, id]) => `update ${name} ${id}\n`),
      ...fetched.map(({ name }) => remove(name)),
    ],
    options,
  );
}

async function updateRefs(lines: readonly string[], options: RunGitOptions): Promise<void> {
  if (lines.length === 0) return;
  await runGit(["update-ref", "--no-deref", "--stdin"], { ...options, input: lines.join("") });
}

async function listRefs(gitDir: string, pattern: string) {
  const text = await gitText(["for-each-ref", "--format=%(objectname) %(refname)", pattern], {
    gitDir,
  });
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const at = line.indexOf(" ");
      return { id: line.slice(0, at), name: line.slice(at + 1) };
    });
}
