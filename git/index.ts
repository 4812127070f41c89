// Git on disk: run git, credentials, locks. Knows no jobs, no SQL and no HTTP.

export { type Check, checkNamed } from "./check.ts";
export {
  DEFAULT_IDENTITY,
  type Identity,
} from "./checkout/lay-out-repository.ts";
export { DEFAULT_TREE_LIMITS, type TreeLimits } from "./checkout/measure-tree.ts";
export type { Protocol } from "./command/git-environment.ts";
export { GitError, type GitErrorCode } from "./command/git-error.ts";
export { markingScript } from "./command/inherited-mark.ts";
export { familyOf, killFamily, traceOfChildren } from "./command/process-family.ts";
export { isProcessAlive, type ProcessIdentity, thisProcess } from "./command/process-identity.ts";
export { type ProcessState, readProcessState } from "./command/process-state.ts";
export {
  findMarked,
  findProcessesIn,
  markedProcesses,
  processesIn,
  signalProcess,
  WORKSPACE_VARIABLE,
} from "./command/process-tree.ts";
export { type ProfileFinding, type ProfileProof, proveProfile } from "./command/prove-profile.ts";
export { redactText } from "./command/redact-text.ts";
export { type GitResult, gitText, type RunGitOptions, runGit } from "./command/run-git.ts";
export { type DiagnosisPlace, diagnoseGit } from "./diagnose-git.ts";
export { type DiskRoom, readRoomOnDisk, roomOnDisk } from "./disk/disk-room.ts";
export {
  type GitDirectories,
  gitDirectories,
  removeTree,
  stagingPlace,
} from "./disk/git-directories.ts";
export {
  type FileFilters,
  FilterError,
  PATTERN_LENGTH_MAX,
  PATTERNS_MAX,
  PathFilters,
  patternFault,
  requireFilters,
} from "./filter/path-filters.ts";
export {
  type LocalQuestion,
  LocalRepositories,
  type LocalState,
  type SnapshotRequest,
} from "./local/local-repositories.ts";
export type { LocalPublication } from "./local/publish-locally.ts";
export { claimLife, releaseLife } from "./lock/life-lock.ts";
export { LockError, type LockErrorCode } from "./lock/lock-file.ts";
export {
  type HeldLock,
  type LockHolder,
  type LockObserver,
  type LockRequest,
  LockTimeout,
  RepositoryLocks,
} from "./lock/repository-lock.ts";
export type { ReadBlobOptions, StreamBlobOptions } from "./mirror/blob-reader.ts";
export type {
  CommitFacts,
  HistoryOptions,
  HistoryRecord,
  PastCommit,
} from "./mirror/commit-history.ts";
export { type ExportAttributes, isAttributesFile } from "./mirror/export-attributes.ts";
export { hasCommit, isReachable } from "./mirror/is-reachable.ts";
export { type KeptCommit, KeptCommits } from "./mirror/kept-commits.ts";
export type { FileListing, FilePage } from "./mirror/list-files.ts";
export {
  type Mirror,
  Mirrors,
} from "./mirror/mirror.ts";
export { MirrorContents } from "./mirror/mirror-contents.ts";
export type { FileWish } from "./mirror/read-file.ts";
export { type RemoteQuestion, RemoteRepositories } from "./mirror/remote-repositories.ts";
export type { RemovalOutcome } from "./mirror/remove-mirror.ts";
export { repackMirror } from "./mirror/repack-mirror.ts";
export type { Comparison, FileChange, FileGone, FileWritten } from "./mirror/tree-changes.ts";
export type { SizedEntry, SizedTreeOptions, TreeEntry } from "./mirror/tree-entries.ts";
export type { TreeView } from "./mirror/tree-side.ts";
export { USUAL_REFS } from "./mirror/update-mirror.ts";
export { type Git, type GitOptions, openGit } from "./open-git.ts";
export { type Ability, detectPlatform, type Platform } from "./platform/detect-platform.ts";
export { isProbeName } from "./platform/probe-directory.ts";
export { type CommitId, commitId, isCommitId } from "./remote/commit-id.ts";
export {
  runGitWithToken,
  staticToken,
  type Token,
  type TokenSource,
} from "./remote/credential-broker.ts";
export { isPublicAddress, privateReason } from "./remote/public-address.ts";
export { type RemoteRef, readRemoteRefs } from "./remote/read-remote-refs.ts";
export { readTips, type Tip } from "./remote/read-tips.ts";
export { isRefName, type RefName, refName } from "./remote/ref-name.ts";
export type { RemoteAccess } from "./remote/remote-access.ts";
export {
  directoryNameOf,
  parseRemoteUrl,
  type RemoteUrl,
  RemoteUrlError,
  type RemoteUrlRules,
} from "./remote/remote-url.ts";
export {
  AddressError,
  type AddressErrorCode,
  type Lookup,
  type PublicHost,
  type ReachRules,
  resolvePublic,
} from "./remote/resolve-public.ts";
export { type ResolvedRef, resolveRef } from "./remote/resolve-ref.ts";
export type { OnReport, ReportSubject } from "./report.ts";
export type { Collection, WantedRuns } from "./result/collect-results.ts";
export type {
  Contribution,
  Integration,
  IntegrationConflict,
  IntegrationPlan,
} from "./result/merge-in-order.ts";
export type { ExportedBundle } from "./result/move-result.ts";
export type { Published } from "./result/publish.ts";
export { runRef } from "./result/result-ref.ts";
export type { Attempt } from "./result/result-repository.ts";
export {
  type ExportRequest,
  type ImportRequest,
  type IntegrationRequest,
  type PublishResultRequest,
  type ResultHolder,
  Results,
} from "./result/results.ts";
export type { RunRef } from "./result/run-refs.ts";
export type { JobCommandOptions, JobCommandResult } from "./sandbox/job-command.ts";
export { type JobUser, jobUser } from "./sandbox/job-user.ts";
export type { SweepReport } from "./sweep/sweep-report.ts";
export {
  FileLedger,
  type LedgerEntry,
  type WorkspaceKind,
  type WorkspaceLedger,
  type WorkspaceOwner,
} from "./workspace/ledger.ts";
export {
  type PublishOptions,
  type ResultOptions,
  type RunOptions,
  Workspace,
  type WorkspaceResult,
} from "./workspace/workspace.ts";
export { WorkspaceError, type WorkspaceErrorCode } from "./workspace/workspace-error.ts";
export type {
  FurtherRepository,
  ResultStart,
  WorkspacePlan,
  WorkspaceRequest,
} from "./workspace/workspace-request.ts";
export { Workspaces } from "./workspace/workspaces.ts";
export type { BranchClaim } from "./worktree/branch-claim.ts";
export { WorktreeError, type WorktreeErrorCode } from "./worktree/worktree-error.ts";
export type { WorktreeRequest } from "./worktree/worktrees.ts";
