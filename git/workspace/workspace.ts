// One isolated checkout for one attempt of a job. Once a command has run in it, no git of ours opens its `.git`.
import { mkdir } from "node:fs/promises";
import type { Identity } from "../checkout/lay-out-repository.ts";
import { asDiskError } from "../disk/disk-error.ts";
import { type GitDirectories, removeTree, stagingPlace } from "../disk/git-directories.ts";
import { type CommitId, isCommitId } from "../remote/commit-id.ts";
import type { RemoteAccess } from "../remote/remote-access.ts";
import type { RemoteUrl } from "../remote/remote-url.ts";
import { keepBundle } from "../result/keep-bundle.ts";
import { RESULT_BYTES_MAX } from "../result/move-result.ts";
import { type Published, publish } from "../result/publish.ts";
import { publishWorktree } from "../result/publish-worktree.ts";
import { PackReceiver } from "../result/receive-pack.ts";
import { COMMIT, DIFF, HEAD, RECORD } from "../result/record-script.ts";
import type { ResultRepository } from "../result/result-repository.ts";
import { incomingPack, prepareQuarantine, takeIn } from "../result/take-in.ts";
import {
  JobCommand,
  type JobCommandOptions,
  type JobCommandResult,
  type JobPlace,
} from "../sandbox/job-command.ts";
import type { JobUser } from "../sandbox/job-user.ts";
import { runJobGit } from "../sandbox/run-job-git.ts";
import type { LedgerEntry, WorkspaceKind } from "./ledger.ts";
import { WorkspaceError } from "./workspace-error.ts";

export interface WorkspaceParts {
  readonly entry: LedgerEntry;
  /** Why it is of this kind. */
  readonly reason: string;
  readonly base: CommitId;
  readonly mergeBase?: CommitId | undefined;
  readonly identity: Identity;
  readonly place: JobPlace;
  /** Its commands, unlike git of ours, do without the sandbox. */
  readonly isOpen?: boolean | undefined;
  readonly directories: GitDirectories;
  readonly results: ResultHome;
  /** `isQuiet`: nobody can be left in it. */
  readonly remove: (isQuiet: boolean) => Promise<void>;
}

/** Where its results go. */
export type ResultHome =
  /** To the owner's results; opening waits for the mirror where that is still being made. */
  | {
      readonly kind: "results";
      readonly open: () => Promise<ResultRepository>;
      readonly remote: RemoteUrl;
    }
  /** A worktree's are in its repository, which is the caller's own. */
  | {
      readonly kind: "repository";
      readonly gitDir: string;
      readonly user: JobUser | undefined;
      /** Sets a ref below `refs/croft/` there. */
      readonly record: (
        ref: string,
        commit: CommitId,
        signal: AbortSignal | undefined,
      ) => Promise<void>;
    };

export interface RunOptions extends JobCommandOptions {
  /** Off unless asked for. */
  readonly network?: boolean | undefined;
}

export interface WorkspaceResult {
  readonly commit: CommitId;
  readonly base: CommitId;
  readonly ref: string;
}

export interface PublishOptions {
  readonly remote?: RemoteUrl | undefined;
  readonly branch: string;
  readonly commit: CommitId;
  readonly access?: RemoteAccess | undefined;
  readonly expected?: CommitId | "none" | undefined;
}

const DIFF_BYTES_MAX = 64 * 1024 ** 2;

export class Workspace {
  readonly id: string;
  readonly kind: WorkspaceKind;
  readonly reason: string;
  readonly path: string;
  readonly branch: string | undefined;
  /** The commit it began at. */
  readonly base: CommitId;
  /** Where that has left the commit that was named for `history`; undefined when they have nothing in common. */
  readonly mergeBase: CommitId | undefined;
  readonly #parts: WorkspaceParts;
  readonly #running = new Set<JobCommand>();
  #removing: Promise<void> | undefined;
  #isLeaving = false;

  constructor(parts: WorkspaceParts) {
    this.id = parts.entry.id;
    this.kind = parts.entry.kind;
    this.reason = parts.reason;
    this.path = parts.entry.path;
    this.branch = parts.entry.branch;
    this.base = parts.base;
    this.mergeBase = parts.mergeBase;
    this.#parts = parts;
  }

  /** Whether a command in it is kept from everything else on the machine. */
  get isSandboxed(): boolean {
    return this.#parts.isOpen !== true && this.#parts.place.sandbox !== undefined;
  }

  /** As whom its commands run, and whose its files are; undefined: as ourselves. */
  get user(): JobUser | undefined {
    return this.#parts.place.user;
  }

  /** For what the command and its caller tell each other: no part of the checkout, and gone with it. */
  get temporary(): { readonly path: string; readonly seenAs: string } {
    const { temporary } = this.#parts.place;
    return { path: temporary, seenAs: this.isSandboxed ? "/tmp" : temporary };
  }

  /** The command's own failure is a result, not an error. */
  async run(argv: readonly string[], options: RunOptions = {}): Promise<JobCommandResult> {
    const { place } = this.#parts;
    const sandbox = this.isSandboxed ? place.sandbox : undefined;
    return await this.#start(argv, { ...place, sandbox }, options).result;
  }

  /** Everything that is not ignored, on the workspace's branch. Undefined when there was nothing to commit. */
  async commit(message: string, signal?: AbortSignal): Promise<CommitId | undefined> {
    const options = { identity: this.#parts.identity, input: message, signal };
    const { stdout } = await this.#git(COMMIT, [], options);
    return stdout.length === 0 ? undefined : commitIn(stdout);
  }

  /** From where it began to what is there now, committed or not, new files included. */
  async diff(signal?: AbortSignal): Promise<string> {
    const options = { identity: this.#parts.identity, maxOutputBytes: DIFF_BYTES_MAX + 1, signal };
    const { stdout } = await this.#git(DIFF, [this.base], options);
    if (stdout.length > DIFF_BYTES_MAX) {
      throw new WorkspaceError("result-refused", `the diff is larger than ${DIFF_BYTES_MAX} bytes`);
    }
    return stdout.toString("utf8");
  }

  /** Records what is there now as a commit in the owner's results; of a worktree, on its branch, and under `ref` if given. */
  async result(options: ResultOptions = {}): Promise<WorkspaceResult> {
    const { results } = this.#parts;
    if (results.kind === "results") return await this.#record(await results.open(), options);
    const { message = `croft: ${this.id}`, signal } = options;
    await this.commit(message, signal);
    const { stdout } = await this.#git(HEAD, [], { identity: this.#parts.identity, signal });
    const commit = commitIn(stdout);
    if (options.ref !== undefined) await results.record(options.ref, commit, signal);
    const own = this.branch === undefined ? "HEAD" : `refs/heads/${this.branch}`;
    return { commit, base: this.base, ref: options.ref ?? own };
  }

  /** Of a commit that `result` gave; to the repository it came from, or to another (a fork, say). */
  async publish(options: PublishOptions): Promise<Published> {
    const { entry, results } = this.#parts;
    const { branch, commit, expected, access = {} } = options;
    const remote = options.remote ?? (results.kind === "results" ? results.remote : undefined);
    if (remote === undefined) {
      throw new WorkspaceError(
        "invalid-request",
        "a worktree is published to a remote that is named",
      );
    }
    const what = { remote, commit, branch, expected, access };
    if (results.kind === "repository") {
      const { gitDir, user } = results;
      return await publishWorktree(gitDir, this.#parts.directories, { ...what, user });
    }
    const repository = await results.open();
    await repository.requireRecorded(commit, this.base);
    const fence = () => repository.hold("publish", async () => repository.requireCurrent(entry));
    return await publish({ ...what, gitDir: repository.gitDir, fence });
  }

  /** What a failed job left, as a bundle for a day; undefined when it changed nothing. */
  async keep(): Promise<string | undefined> {
    const { results } = this.#parts;
    if (results.kind === "repository") {
      await this.result();
      return undefined; // it is on its branch
    }
    const result = await this.result({ ref: `refs/croft/kept/${this.id}` });
    return await keepBundle(await results.open(), { ...result, id: this.id });
  }

  /** Ends everything in it and takes it away. Twice does nothing more, unless the first time failed. */
  remove(): Promise<void> {
    this.#isLeaving = true;
    this.#removing ??= this.#remove().catch((error: unknown) => {
      this.#removing = undefined;
      throw error;
    });
    return this.#removing;
  }

  async #remove(): Promise<void> {
    await Promise.all([...this.#running].map((command) => command.end()));
    await this.#parts.remove(this.isSandboxed);
  }

  async #record(results: ResultRepository, options: ResultOptions): Promise<WorkspaceResult> {
    const { directories, entry, identity } = this.#parts;
    const { ref = `refs/croft/workspaces/${this.id}`, message = `croft: ${this.id}` } = options;
    const { maxBytes = RESULT_BYTES_MAX, signal } = options;
    const place = stagingPlace(directories, "result");
    try {
      await mkdir(place, { mode: 0o700 });
      prepareQuarantine(place);
      const pack = new PackReceiver(incomingPack(place), maxBytes);
      const commit = await this.#receive(pack, [this.base, message], { identity, signal });
      const { base } = this;
      const { jobId, attempt } = entry;
      await takeIn(results, { place, commit, base, ref, attempt: { jobId, attempt } });
      return { commit, base, ref };
    } catch (error) {
      throw asDiskError(error);
    } finally {
      await removeTree(place);
    }
  }

  #start(
    argv: readonly string[],
    place: JobPlace,
    { network = false, ...options }: RunOptions,
  ): JobCommand {
    if (this.#isLeaving) throw new Error(`workspace '${this.id}' is being removed`);
    const sandbox = place.sandbox && { ...place.sandbox, hasNetwork: network };
    const command = new JobCommand(argv, { ...place, sandbox }, options);
    this.#running.add(command);
    const ended = () => this.#running.delete(command);
    command.result.then(ended, ended);
    return command;
  }

  #git(script: string, args: readonly string[], options: Parameters<typeof runJobGit>[3]) {
    const { place } = this.#parts;
    return runJobGit((argv, start) => this.#start(argv, place, start), script, args, options);
  }

  async #receive(
    pack: PackReceiver,
    args: readonly string[],
    options: Parameters<typeof runJobGit>[3],
  ): Promise<CommitId> {
    const stop = new AbortController();
    const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
    let overflow: unknown;
    pack.on("error", (error) => {
      overflow = error;
      stop.abort();
    });
    const closed = new Promise<void>((resolve) => pack.once("close", () => resolve()));
    try {
      await this.#git(RECORD, args, { ...options, signal, output: pack });
    } catch (error) {
      throw overflow ?? error;
    } finally {
      pack.end();
      await closed;
    }
    if (overflow !== undefined) throw overflow;
    const { commit } = pack;
    if (commit !== undefined) return commit;
    throw new WorkspaceError("result-refused", "the job's repository did not give a commit");
  }
}

/** What a program in the sandbox says is only believed if it can be right. */
function commitIn(output: Buffer): CommitId {
  const text = output.toString("latin1").trim();
  if (isCommitId(text)) return text;
  throw new WorkspaceError("result-refused", "git in the job's repository did not name a commit");
}

export interface ResultOptions {
  readonly ref?: string | undefined;
  readonly message?: string | undefined;
  readonly maxBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}
