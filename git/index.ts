// Git on disk: run git, credentials, locks. Knows no jobs, no SQL and no HTTP.

export type { Protocol } from "./command/git-environment.ts";
export { GitError, type GitErrorCode } from "./command/git-error.ts";
export { type ProcessState, readProcessState } from "./command/process-state.ts";
export { type ProfileFinding, type ProfileProof, proveProfile } from "./command/prove-profile.ts";
export { redactText } from "./command/redact-text.ts";
export { type GitResult, gitText, type RunGitOptions, runGit } from "./command/run-git.ts";
export {
  type HeldLock,
  type LockHolder,
  type LockObserver,
  type LockRequest,
  LockTimeout,
  RepositoryLocks,
} from "./lock/repository-lock.ts";
export {
  type Mirror,
  type MirrorDirectories,
  Mirrors,
  type RemoteAccess,
  USUAL_REFS,
} from "./mirror/mirror.ts";
export { type CommitId, commitId, isCommitId } from "./remote/commit-id.ts";
export {
  runGitWithToken,
  staticToken,
  type Token,
  type TokenSource,
} from "./remote/credential-broker.ts";
export { isRefName, type RefName, refName } from "./remote/ref-name.ts";
export {
  directoryNameOf,
  parseRemoteUrl,
  type RemoteUrl,
  RemoteUrlError,
  type RemoteUrlRules,
} from "./remote/remote-url.ts";
