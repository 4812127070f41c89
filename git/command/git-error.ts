// A git command that failed, with a code that says what the caller can do next.

/**
 * - `auth`: the remote refused the credential: get another.
 * - `not-found`: no such repository, or this credential may not see it.
 * - `invalid-ref`: the remote has no such branch, tag or commit.
 * - `network`: the remote could not be reached or broke off: try later.
 * - `busy`: the remote takes no more requests for the moment: wait a minute, then try again.
 * - `timeout`: it took longer than allowed.
 * - `aborted`: the caller's signal ended it.
 * - `locked`: another git holds a lock file: wait, or sweep.
 * - `corrupt`: objects or refs are damaged: rebuild.
 * - `disk-full`: no room: free some.
 * - `not-writable`: a directory is read-only or belongs to somebody else: give the right.
 * - `rejected`: the remote refused the push, or the content failed its checks.
 * - `too-large`: git wrote more than the caller accepts, or needs more memory than it is given.
 * - `failed`: anything else; the message quotes git.
 */
export type GitErrorCode =
  | "auth"
  | "not-found"
  | "invalid-ref"
  | "network"
  | "busy"
  | "timeout"
  | "aborted"
  | "locked"
  | "corrupt"
  | "disk-full"
  | "not-writable"
  | "rejected"
  | "too-large"
  | "failed";

export interface GitErrorDetails {
  /** The subcommand: `fetch`. Arguments may hold names of others and are not kept. */
  readonly command: string;
  readonly exitCode?: number | undefined;
  readonly stderr?: string | undefined;
}

export class GitError extends Error {
  override readonly name = "GitError";
  readonly code: GitErrorCode;
  readonly details: GitErrorDetails;

  constructor(code: GitErrorCode, message: string, details: GitErrorDetails, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }
}

/** Git's own wordings, in English because the environment says so; the first that fits decides. */
const WORDINGS: readonly [GitErrorCode, RegExp][] = [
  [
    "disk-full",
    // Of a file in a checkout git does not say why; it is hardly ever anything else.
    /No space left on device|Disk quota exceeded|file write error|unable to write file|out of disk space/i,
  ],
  ["not-writable", /Read-only file system|Permission denied(?!,? (?:\(|please))/i],
  [
    "locked",
    /Unable to create '': File exists|cannot lock ref|could not lock|is already locked|File exists\.\s+Another git process/i,
  ],
  [
    "corrupt",
    /bad object|object file .* is empty|loose object .* is corrupt|packfile .* (cannot be accessed|is truncated|does not match index)|inflate: data stream error|unable to read (sha1|tree|object)|missing (blob|tree|commit)|broken link|index file (corrupt|smaller|.* is too small)|index not opened|not a git repository|bad (config|signature)|invalid sha1 pointer|did not send all necessary objects/i,
  ],
  [
    "auth",
    /Authentication failed|told us to quit|could not read Username|could not read Password|terminal prompts disabled|HTTP (401|403)|returned error: (401|403)|Permission denied,? (?:\(|please)|Invalid username or|Host key verification failed|access denied/i,
  ],
  [
    "not-found",
    /repository .*not found|returned error: (404|410)|HTTP (404|410)|does not appear to be a git repository|does not exist|no such (repository|project)/i,
  ],
  [
    "invalid-ref",
    /couldn't find remote ref|not our ref|unadvertised object|unknown revision|bad revision|ambiguous argument|Needed a single revision|not a valid (object name|ref)|invalid refspec|reference is not a tree/i,
  ],
  [
    "rejected",
    /\[(remote )?rejected\]|failed to push some refs|pre-receive hook declined|non-fast-forward|stale info|fsck error|(empty filename|malformed mode) in tree entry|unable to update url base from redirection|transport '.*' not allowed/i,
  ],
  ["busy", /returned error: 429|HTTP 429/i],
  [
    "network",
    /Could not resolve host|unable to access|Connection (refused|reset|timed out)|Operation too slow|early EOF|the remote end hung up|RPC failed|returned error: 5\d\d|SSL|transfer closed|Network is unreachable|Empty reply|unexpected disconnect|expected flush|invalid index-pack output|fetch-pack/i,
  ],
];

/** These are about our own disk; what a remote says of its own is no word about ours. */
const OURS: readonly GitErrorCode[] = ["disk-full", "not-writable", "locked", "corrupt"];

export function classifyGitFailure(stderr: string): GitErrorCode {
  return findWording(stderr)?.[0] ?? "failed";
}

/** The line that decided: what comes after it is often only what went wrong because of it. */
export function tellingLine(stderr: string): string {
  const lines = stderr.trim().split("\n");
  const wording = findWording(stderr)?.[1];
  const isTelling = (line: string) => (wording ?? /^error: /).test(withoutNames(line));
  return lines.find(isTelling) ?? lines.at(-1) ?? "";
}

/** Names are no wordings: a file may be called `bad object`, and stands in quotes. */
function findWording(stderr: string) {
  const said = withoutNames(stderr);
  const own = said.replaceAll(/^(?:remote: |.*\[remote rejected\]).*$/gm, "");
  return WORDINGS.find(([code, wording]) => wording.test(OURS.includes(code) ? own : said));
}

function withoutNames(text: string): string {
  return text.replaceAll(/(?<=^|[\s(])'.*'(?=$|[\s:,.)])/gm, "''");
}
