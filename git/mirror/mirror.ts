// The bare copies of remotes on this host's disk: made once, fetched for many, repaired after any kill.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { GitError } from "../command/git-error.ts";
import { runGit } from "../command/run-git.ts";
import { asDiskError } from "../disk/disk-error.ts";
import { makeDirectories } from "../disk/make-directories.ts";
import { LockTimeout, type RepositoryLocks } from "../lock/repository-lock.ts";
import type { CommitId } from "../remote/commit-id.ts";
import {
  type Entrance,
  entranceOf,
  type RemoteAccess,
  withDeadline,
} from "../remote/remote-access.ts";
import { directoryNameOf, type RemoteUrl } from "../remote/remote-url.ts";
import { askedFor, type ResolvedRef, resolveRef } from "../remote/resolve-ref.ts";
import { withPatience } from "../remote/with-patience.ts";
import { BackgroundWork } from "./background-work.ts";
import { type FetchGoal, FetchQueue, type Wanted } from "./fetch-queue.ts";
import { hasCommit, isReachable } from "./is-reachable.ts";
import { fetchShallow, type ShallowFetchOptions } from "./shallow-fetch.ts";
import {
  FIRST_FETCH_TIMEOUT_MS,
  type MirrorDirectories,
  type MirrorPlace,
  makeMirror,
  USUAL_REFS,
  updateMirror,
} from "./update-mirror.ts";
import { Wishes, wishesOf } from "./wishes.ts";

export interface Mirror {
  readonly gitDir: string;
  readonly remote: RemoteUrl;
}

/** A mirror that has a commit which its caller may read. */
export interface EnsuredMirror extends Mirror {
  /** What was resolved; what its ref points to now, if it was forced away meanwhile and not asked for by its id. */
  readonly commit: CommitId;
}

export type EnsuredCommit =
  | { readonly kind: "mirror"; readonly mirror: EnsuredMirror; readonly commit: CommitId }
  | { readonly kind: "shallow"; readonly gitDir: string; readonly commit: CommitId };

export interface ShallowPlan extends Pick<ShallowFetchOptions, "history"> {
  /** How long the first fetch of a mirror is waited for. */
  readonly patienceMs?: number | undefined;
  readonly depth?: number | undefined;
  /** Where the shallow repository is made, if it must be; nothing may be there. */
  readonly shallowAt: string;
}

export interface MirrorsOptions {
  /** A first fetch that nobody waits for any more has failed. */
  readonly onBackgroundError?: ((error: unknown) => void) | undefined;
}

const PATIENCE_MS = 2000;
/** Under the long lock one waits for somebody else's fetch, as long as that may take. */
const JOIN_TIMEOUT_MS = FIRST_FETCH_TIMEOUT_MS;

export class Mirrors {
  readonly #directories: MirrorDirectories;
  readonly #locks: RepositoryLocks;
  readonly #queues = new Map<string, FetchQueue>();
  readonly #background: BackgroundWork;

  constructor(
    directories: MirrorDirectories,
    locks: RepositoryLocks,
    { onBackgroundError = warn }: MirrorsOptions = {},
  ) {
    this.#directories = directories;
    this.#locks = locks;
    this.#background = new BackgroundWork(onBackgroundError);
  }

  pathOf(remote: RemoteUrl): string {
    return join(this.#directories.mirrors, `${directoryNameOf(remote)}.git`);
  }

  /** Whether there is a mirror, or its first fetch runs, in this process or another. */
  async stateOf(remote: RemoteUrl): Promise<"ready" | "first-fetch" | "absent"> {
    const gitDir = this.pathOf(remote);
    if (existsSync(gitDir)) return "ready";
    if (this.#queues.has(gitDir)) return "first-fetch";
    await this.#makePlace();
    try {
      const look = { purpose: "look for a first fetch", timeoutMs: 0 };
      return await this.#locks.holdLong(gitDir, look, async () =>
        existsSync(gitDir) ? "ready" : "absent",
      );
    } catch (error) {
      if (error instanceof LockTimeout) return "first-fetch";
      throw error;
    }
  }

  /**
   * The mirror with these refs as the remote had them at some moment after this call. Callers that come while a fetch
   * runs share the next one; its refs are all of theirs together. A caller's time and signal end its own wait; the fetch
   * ends with the last of them. It is no permission: one of the callers' credentials brings the refs for all of them.
   * Whoever hands out what is in a mirror asks the remote with the reader's own credential first, as `ensure` does.
   */
  async fetch(
    remote: RemoteUrl,
    refs: readonly string[],
    access: RemoteAccess = {},
  ): Promise<Mirror> {
    return await this.#join(remote, refs, access);
  }

  /**
   * The mirror with a commit that this caller's own credential has resolved: that was the permission, so nothing is
   * fetched when the commit is there already, whoever brought it.
   */
  async ensure(
    remote: RemoteUrl,
    resolved: ResolvedRef,
    access: RemoteAccess = {},
  ): Promise<EnsuredMirror> {
    return await withPatience(access, "fetch", async (signal) => {
      const patient = { ...access, signal, timeoutMs: undefined };
      const found = await this.#ensureOnce(remote, resolved, patient);
      if (found !== undefined) return found;
      const again = await resolveRef(remote, askedFor(resolved), patient);
      const foundAgain = await this.#ensureOnce(remote, again, patient);
      if (foundAgain !== undefined) return foundAgain;
      throw unreachable(resolved);
    });
  }

  /**
   * The same, but a first fetch is not waited for longer than a moment, whichever process runs it: then the commit alone
   * is fetched beside it. A commit named by its id only has to wait, because without its history nobody can say whether
   * the caller may read it.
   */
  async ensureOrShallow(
    remote: RemoteUrl,
    resolved: ResolvedRef,
    access: RemoteAccess,
    { patienceMs = PATIENCE_MS, depth = 1, history, shallowAt }: ShallowPlan,
  ): Promise<EnsuredCommit> {
    if (resolved.ref === undefined || existsSync(this.pathOf(remote))) {
      return inMirror(await this.ensure(remote, resolved, access));
    }
    const { signal, timeoutMs } = access;
    const limited = timeoutMs === undefined ? access : withDeadline(access);
    const mirror = await this.#background.waitFor(
      async (ending) =>
        await this.ensure(remote, resolved, { ...access, signal: ending, timeoutMs: undefined }),
      { patienceMs: Math.min(patienceMs, timeoutMs ?? patienceMs), signal },
    );
    if (mirror !== undefined) return inMirror(mirror);
    const shallow = { depth, history, access: limited, directory: shallowAt };
    try {
      await fetchShallow(remote, resolved, shallow);
      return { kind: "shallow", gitDir: shallowAt, commit: resolved.commit };
    } catch (error) {
      if (!(error instanceof GitError) || error.code !== "invalid-ref") throw error;
      const again = await resolveRef(remote, askedFor(resolved), limited);
      if (again.ref === undefined || again.commit === resolved.commit) throw error;
      await fetchShallow(remote, again, shallow);
      return { kind: "shallow", gitDir: shallowAt, commit: again.commit };
    }
  }

  /** Asked before it is made anew: what failed may have been something else. */
  async isDamaged(remote: RemoteUrl, signal?: AbortSignal): Promise<boolean> {
    const args = ["fsck", "--connectivity-only", "--no-dangling", "--no-progress"];
    const options = { gitDir: this.pathOf(remote), signal, timeoutMs: FIRST_FETCH_TIMEOUT_MS };
    const answers = Array.from({ length: 128 }, (_, index) => index + 1);
    return (await runGit(args, { ...options, answers })).exitCode !== 0;
  }

  /**
   * A new mirror in place of one that somebody has found damaged; a fetch does so by itself when it notices. The old one
   * goes when the new one is complete, and with it what only the old one had.
   */
  async rebuild(remote: RemoteUrl, access: RemoteAccess = {}): Promise<Mirror> {
    const gitDir = this.pathOf(remote);
    await this.#makePlace();
    await withPatience(access, "fetch", async (signal) => {
      await this.#holdLong(gitDir, "rebuild", signal, async (held) => {
        const context = { remote, ...entranceOf(access), signal, held };
        await makeMirror(this.#placeOf(gitDir), USUAL_REFS, context);
      });
    });
    return { gitDir, remote };
  }

  /** Ends the fetches that go on in the background, and waits until they have ended. */
  async close(): Promise<void> {
    const reason = new GitError("aborted", "git fetch was ended", { command: "fetch" });
    await this.#background.close(reason);
  }

  async #ensureOnce(
    remote: RemoteUrl,
    resolved: ResolvedRef,
    access: RemoteAccess,
  ): Promise<EnsuredMirror | undefined> {
    const { commit, ref } = resolved;
    const mirror = { gitDir: this.pathOf(remote), remote, commit };
    const goal: FetchGoal = {
      key: resolved.tips ?? commit,
      isReached: async () =>
        (await hasCommit(mirror, commit, access.signal)) &&
        (resolved.tips === undefined ||
          resolved.isShown === true ||
          (await isReachable(mirror, commit, resolved.tips, access.signal))),
    };
    if (await goal.isReached()) return mirror;
    const wanted = ref === undefined ? (resolved.refs ?? []) : [ref];
    const unusual = wanted.filter((name) => !/^refs\/(heads|tags)\//.test(name));
    await this.#join(remote, [...USUAL_REFS, ...unusual], access, goal);
    return (await goal.isReached()) ? mirror : undefined;
  }

  async #join(
    remote: RemoteUrl,
    refs: readonly string[],
    access: RemoteAccess,
    goal?: FetchGoal,
  ): Promise<Mirror> {
    const gitDir = this.pathOf(remote);
    const queue = this.#queueOf(gitDir);
    try {
      await this.#makePlace();
      await withPatience(access, "fetch", async (signal) => {
        const run = (wanted: Wanted, ending: AbortSignal) =>
          this.#fetchNow(remote, wanted, { ...entranceOf(access), signal: ending });
        await queue.join({ refs, goal, signal, run });
      });
    } catch (error) {
      throw asDiskError(error);
    } finally {
      if (queue.isIdle && this.#queues.get(gitDir) === queue) this.#queues.delete(gitDir);
    }
    return { gitDir, remote };
  }

  #queueOf(gitDir: string): FetchQueue {
    const existing = this.#queues.get(gitDir);
    if (existing !== undefined) return existing;
    const queue = new FetchQueue(new Wishes(wishesOf(gitDir)));
    this.#queues.set(gitDir, queue);
    return queue;
  }

  /** One process of the host at a time; whoever waited finds that another has fetched for it. */
  async #fetchNow(
    remote: RemoteUrl,
    wanted: Wanted,
    access: Entrance & { readonly signal: AbortSignal },
  ): Promise<void> {
    const gitDir = this.pathOf(remote);
    await this.#holdLong(gitDir, "fetch", access.signal, async (held) => {
      const refs = await wanted.take();
      if (refs === undefined) return; // done meanwhile
      const context = { remote, ...access, held };
      await wanted.done(await updateMirror(this.#placeOf(gitDir), refs, context));
    });
  }

  async #holdLong(
    gitDir: string,
    purpose: string,
    signal: AbortSignal | undefined,
    work: (held: readonly number[]) => Promise<void>,
  ): Promise<void> {
    const request = { purpose, timeoutMs: JOIN_TIMEOUT_MS, signal };
    await this.#locks.holdLong(gitDir, request, ({ descriptor }) => work([descriptor]));
  }

  #placeOf(gitDir: string): MirrorPlace {
    return { gitDir, directories: this.#directories, locks: this.#locks };
  }

  async #makePlace(): Promise<void> {
    await makeDirectories(this.#directories.mirrors, 0o700);
  }
}

export function inMirror(mirror: EnsuredMirror): EnsuredCommit {
  return { kind: "mirror", mirror, commit: mirror.commit };
}

/** The same words whether the mirror has it or not: that would tell what others may read. */
function unreachable({ commit }: ResolvedRef): GitError {
  const reason = `'${commit}' is no commit that a branch or tag of the remote leads to`;
  return new GitError("invalid-ref", reason, { command: "fetch" });
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
