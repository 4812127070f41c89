// Brings refs of a remote into a bare repository of ours, and tells the remote's faults from the repository's own.
import { classifyGitFailure, GitError } from "../command/git-error.ts";
import { redactSecrets } from "../command/redact-secrets.ts";
import { runGit } from "../command/run-git.ts";
import { readRemoteRefs } from "../remote/read-remote-refs.ts";
import {
  ASK_TIMEOUT_MS,
  type Entrance,
  entranceOf,
  runRemoteGit,
} from "../remote/remote-access.ts";
import type { RemoteUrl } from "../remote/remote-url.ts";

export interface FetchContext extends Entrance {
  readonly remote: RemoteUrl;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs: number;
  /** Of the locks that the fetch runs under. */
  readonly held?: readonly number[] | undefined;
}

/** Refs of a fetch are moved or packed afterwards: to write each through to the disk made 5,000 of them take 3 s, not 0.3 s. */
const UNSYNCED_REFS = ["core.fsync", "objects,derived-metadata"] as const;

/** Returns the names among `refs` that the remote does not have; patterns that match nothing are not among them. */
export async function fetchRefs(
  gitDir: string,
  refs: readonly string[],
  nameHere: (ref: string) => string,
  context: FetchContext,
): Promise<ReadonlySet<string>> {
  const fetchSome = async (some: readonly string[]) => {
    const refspecs = some.map((ref) => `+${ref}:${nameHere(ref)}`);
    if (refspecs.length > 0) await fetchInto(gitDir, refspecs, [], context);
  };
  try {
    await fetchSome(refs);
    return new Set();
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== "invalid-ref") throw error;
    // One caller's pull request has gone meanwhile: that must not cost the others theirs.
    const missing = await missingAmong(refs, context);
    if (missing.size === 0) throw error;
    await fetchSome(refs.filter((ref) => !missing.has(ref)));
    return missing;
  }
}

/** Refspecs go in by a stream: of many callers together they may be longer than an argument list. */
export async function fetchInto(
  gitDir: string,
  refspecs: readonly string[],
  flags: readonly string[],
  context: FetchContext,
): Promise<void> {
  const { remote, signal, timeoutMs, held } = context;
  const usual = ["--quiet", "--no-tags", "--no-write-fetch-head", "--force", "--stdin"];
  const args = ["fetch", ...usual, ...flags, "--end-of-options", remote.text];
  const options = { gitDir, signal, timeoutMs, lockDescriptors: held, config: [UNSYNCED_REFS] };
  const input = refspecs.map((refspec) => `${refspec}\n`).join("");
  try {
    const { stderr } = await runRemoteGit(args, remote, {
      ...{ ...options, ...entranceOf(context), input },
    });
    // Git fetches again what a damaged pack has lost, and only mentions the damage.
    if (!saysDamaged(stderr)) return;
    const details = { command: "fetch", stderr: redactSecrets(stderr, []) };
    throw new GitError("corrupt", "the mirror is damaged", details);
  } catch (error) {
    throw await atFault(error, gitDir, { signal, timeoutMs, held });
  }
}

/** What the remote says of its own objects is no word about ours. */
function saysDamaged(stderr: string): boolean {
  const own = stderr.split("\n").filter((line) => !line.startsWith("remote: "));
  return classifyGitFailure(own.join("\n")) === "corrupt";
}

/** A remote that sends half of what belongs together is not healed by throwing away what we have. */
async function atFault(
  error: unknown,
  gitDir: string,
  { signal, timeoutMs, held }: Pick<FetchContext, "signal" | "timeoutMs" | "held">,
): Promise<unknown> {
  if (!(error instanceof GitError) || error.code !== "corrupt") return error;
  const { stderr = "" } = error.details;
  const isOurs = saysDamaged(stderr.replace(/^.*did not send all necessary objects.*$/gm, ""));
  if (isOurs) return error;
  const args = ["rev-list", "--objects", "--quiet", "--all"];
  const options = { gitDir, signal, timeoutMs, lockDescriptors: held, answers: [128] };
  if ((await runGit(args, options)).exitCode !== 0) return error;
  const reason = "the remote's objects are damaged or incomplete";
  return new GitError("rejected", `git fetch failed: ${reason}`, error.details, error);
}

async function missingAmong(
  refs: readonly string[],
  context: FetchContext,
): Promise<ReadonlySet<string>> {
  const missing = new Set(refs.filter((ref) => !ref.includes("*")));
  const { remote, signal, timeoutMs } = context;
  const asking = { signal, timeoutMs: Math.min(timeoutMs, ASK_TIMEOUT_MS) };
  const access = { ...entranceOf(context), ...asking };
  await readRemoteRefs(remote, [], access, ({ name }) => missing.delete(name));
  return missing;
}
