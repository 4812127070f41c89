// Git on disk: run git, credentials, locks. Knows no jobs, no SQL and no HTTP.
export { type CommitId, commitId, isCommitId } from "./commit-id.ts";
export { runGitWithToken, staticToken, type Token, type TokenSource } from "./credential-broker.ts";
export type { Protocol } from "./git-environment.ts";
export { GitError, type GitErrorCode } from "./git-error.ts";
export {
  type Mirror,
  type MirrorDirectories,
  Mirrors,
  type RemoteAccess,
  USUAL_REFS,
} from "./mirror.ts";
export { type ProcessState, readProcessState } from "./process-state.ts";
export { type ProfileFinding, type ProfileProof, proveProfile } from "./prove-profile.ts";
export { redactText } from "./redact-text.ts";
export { isRefName, type RefName, refName } from "./ref-name.ts";
export {
  directoryNameOf,
  parseRemoteUrl,
  type RemoteUrl,
  RemoteUrlError,
  type RemoteUrlRules,
} from "./remote-url.ts";
export {
  type HeldLock,
  type LockHolder,
  type LockObserver,
  type LockRequest,
  LockTimeout,
  RepositoryLocks,
} from "./repository-lock.ts";
export { type GitResult, gitText, type RunGitOptions, runGit } from "./run-git.ts";
