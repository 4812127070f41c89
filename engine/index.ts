// What the product does, without HTTP.
export { type Check, redactText } from "@croft/git";
export { isSetupNeeded } from "./admin/admin-store.ts";
export { findEnded } from "./admin/find-ended.ts";
export { secretsEqual } from "./admin/secret.ts";
export {
  beginSession,
  endSession,
  listSessions,
  type OpenSession,
  recogniseSession,
  type Visitor,
} from "./admin/session.ts";
export { createFirstAdmin, createSetupLink, type NewSetupLink } from "./admin/setup.ts";
export { signIn } from "./admin/sign-in.ts";
export { isAppGone } from "./apps/app-gone.ts";
export {
  type App,
  createApp,
  type KnownApp,
  recogniseApp,
  revokeToken,
  rotateToken,
} from "./apps/app-token.ts";
export { requireBaseUrl } from "./apps/base-url.ts";
export { changeApp, pingApp } from "./apps/change-app.ts";
export { deleteApp, previewDeletion } from "./apps/delete-app.ts";
export { onboardApp } from "./apps/onboard-app.ts";
export { listApps, readApp } from "./apps/read-apps.ts";
export { AssetError, type AssetErrorCode } from "./assets/asset-error.ts";
export type { AssetStore, ByteRange, StoredBytes } from "./assets/asset-store.ts";
export type { Assets } from "./assets/assets.ts";
export { type AssetCheck, checkAssets } from "./assets/check-assets.ts";
export { isDiskFull } from "./assets/is-disk-full.ts";
export { type MaterialiseTarget, materialise } from "./assets/materialise.ts";
export type { HostileFile } from "./assets/open-inside.ts";
export { DIRECTORY_MEDIA_TYPE } from "./assets/pack-directory.ts";
export { addressOfAsset, listAssets, openAsset, readAsset } from "./assets/read-assets.ts";
export {
  type AssetFence,
  type NewAsset,
  recordAsset,
  removeAssets,
  type StoredFile,
  type StoreOptions,
  storeFile,
  storeStream,
} from "./assets/store-asset.ts";
export { type AssetSweep, sweepAssets } from "./assets/sweep-assets.ts";
export {
  deleteAsset,
  type Upload,
  type UploadDetails,
  uploadAsset,
  uploadTooLarge,
} from "./assets/upload-asset.ts";
export { BulkRunner } from "./bulk/bulk-runner.ts";
export { abortBulk, createBulk } from "./bulk/change-bulk.ts";
export { readBulk } from "./bulk/read-bulk.ts";
export type { Config, Settings } from "./config/config.ts";
export { type DescribedSetting, describeConfig } from "./config/describe-config.ts";
export { duration } from "./config/duration.ts";
export { type ConfigSources, type LoadedConfig, loadConfig } from "./config/load-config.ts";
export { type Setting, settings } from "./config/settings.ts";
export { localTokenPath, readLocalToken } from "./data-directory/local-token.ts";
export { ownRunServer, type RunServerPlace, runServerPlace } from "./data-directory/run-server.ts";
export { announceServer, findServer, withdrawServer } from "./data-directory/server-address.ts";
export { isDatabaseFull, isDatabaseUnavailable } from "./database/is-database-unavailable.ts";
export type { Database } from "./database/open-database.ts";
export { isDeadlock } from "./database/try-again.ts";
export { listDeliveries, readDelivery } from "./deliveries/read-deliveries.ts";
export { replayDelivery } from "./deliveries/replay-delivery.ts";
export { type Diagnosis, diagnose } from "./diagnose.ts";
export { type Dispatching, startDispatching } from "./dispatch/start-dispatching.ts";
export { type Engine, type EngineOptions, openEngine } from "./engine.ts";
export { EngineError, type StartCode, startCodes } from "./engine-error.ts";
export type { FeedFollowing } from "./events/event-feed.ts";
export { type EventRow, eventOf } from "./events/event-row.ts";
export { cursorIn, cursorText, type FeedCursor } from "./events/feed-cursor.ts";
export { readEventRows, readEvents } from "./events/read-events.ts";
export type { FeedEvent } from "./events/read-feed.ts";
export { type HeldBack, readHeldBack } from "./events/read-held-back.ts";
export { type FollowedState, readSubject } from "./events/read-subject.ts";
export { diagnoseGithub } from "./github/diagnose-github.ts";
export type { GithubApp } from "./github/github-app.ts";
export { mayPublish, type Publisher } from "./github/may-publish.ts";
export type { ProjectTrigger, TriggerInput } from "./github/project-triggers.ts";
export { listGithubEvents, readGithubEvent } from "./github/read-inbox.ts";
export {
  listInstallations,
  readGithubState,
  readInstallation,
} from "./github/read-installations.ts";
export { EventIntake } from "./github/receive-event.ts";
export { replayEvent } from "./github/replay-event.ts";
export { isSigned, signatureOf, webhookSecrets } from "./github/verify-signature.ts";
export type {
  AssetContent,
  CommandOutput,
  CommandWish,
  EnqueuedJob,
  GotFile,
  HandlerAssets,
  HandlerContext,
  HandlerRepository,
  HandlerWorkspace,
  PutFile,
  PutWish,
  RepositoryFile,
  WorkspaceFile,
  WorkspaceWish,
} from "./handlers/handler-context.ts";
export type {
  AnnotationWish,
  CheckWish,
  CommentWish,
  HandlerGithub,
  PullRequestWish,
  PutPullRequest,
} from "./handlers/handler-github.ts";
export type { Handler, Project } from "./handlers/project-handlers.ts";
export { AppRemover, forgetDeletedApps } from "./janitor/app-remover.ts";
export { startJanitor } from "./janitor/janitor.ts";
export { cancelJob, retryJob } from "./jobs/change-jobs.ts";
export type { JsonSchema } from "./jobs/input-json-schema.ts";
export type { InputSchema } from "./jobs/input-schema.ts";
export { JobFailure } from "./jobs/job-failure.ts";
export { type Attempt, defineJobType, type JobType } from "./jobs/job-type.ts";
export { describeJobTypes, listJobTypes } from "./jobs/list-job-types.ts";
export { listJobs, readListedJob } from "./jobs/list-jobs.ts";
export { readJob, type Scope } from "./jobs/read-jobs.ts";
export type { Log } from "./log.ts";
export { followLog, logExtent, readLogBytes } from "./logs/read-log.ts";
export { readOverview } from "./overview/read-overview.ts";
export { hasWork } from "./queue/has-work.ts";
export { changeLane, listLanes, listWorkers, readQueue } from "./queue/read-queue.ts";
export { cancelRun, decideApproval, retryRun } from "./runs/change-runs.ts";
export { findExcludesFile, type PersonalPlaces } from "./runs/find-excludes-file.ts";
export {
  type CheckoutRequest,
  type FoundCheckout,
  keepBeginning,
  lookAtCheckout,
} from "./runs/look-at-checkout.ts";
export { listRuns, showRun } from "./runs/read-runs.ts";
export { RunAdvancer } from "./runs/run-advancer.ts";
export { listRunWorkspaces } from "./runs/run-workspaces.ts";
export { type RunRequest, startRun } from "./runs/start-run.ts";
export {
  listPipelines,
  putPipeline,
  readPipeline,
  removePipeline,
} from "./runs/stored-pipelines.ts";
export { changeSchedule, createSchedule, deleteSchedule } from "./schedules/change-schedules.ts";
export { listSchedules, readSchedule } from "./schedules/read-schedules.ts";
export { ScheduleRunner } from "./schedules/schedule-runner.ts";
export { CipherError } from "./secrets/cipher.ts";
export {
  listCredentials,
  markCredential,
  type OpenCredential,
  openCredential,
  openCredentialById,
  putCredential,
  removeCredential,
} from "./secrets/credential-store.ts";
export { finishRotation, readKeys, rotateKey } from "./secrets/rotate-key.ts";
export {
  listSecrets,
  openSecrets,
  putSecret,
  removeSecret,
  UnknownSecrets,
} from "./secrets/secret-store.ts";
export {
  openSigningSecrets,
  revokeSigningSecret,
  rotateSigningSecret,
} from "./secrets/signing-secret-store.ts";
export type { Vault } from "./secrets/vault.ts";
export { warnExpiring } from "./secrets/warn-expiring.ts";
export { acceptCredential } from "./watches/accept-credential.ts";
export {
  changeWatch,
  createWatch,
  resyncWatch,
} from "./watches/change-watches.ts";
export { listWatches, readWatch } from "./watches/read-watches.ts";
export { deleteWatch } from "./watches/remove-watch.ts";
export { type OpenFile, WatchFiles } from "./watches/watch-files.ts";
export { startWorker } from "./worker/start-worker.ts";
export type { JobWorker } from "./worker/worker.ts";
