// What goes over the wire: schemas, their types, problem codes and the typed client.
export { Admin, AdminRole, Email, Password } from "./admin.ts";
export {
  App,
  AppChange,
  AppDeletion,
  AppDetail,
  AppEndpoint,
  AppKey,
  AppList,
  AppPing,
  AppQuery,
  AppRotation,
  NewApp,
  NewAppToken,
  NewSigningSecret,
  OnboardedApp,
} from "./app.ts";
export {
  Asset,
  AssetContentQuery,
  AssetKind,
  AssetList,
  AssetName,
  AssetQuery,
  AssetUpload,
} from "./asset.ts";
export { Bulk, BulkAction, BulkRequest, ReplayFilter, ResyncFilter } from "./bulk.ts";
export { type ApiClient, type ClientOptions, createClient } from "./client.ts";
export {
  Delivery,
  DeliveryAttempt,
  DeliveryDetails,
  DeliveryList,
  DeliveryQuery,
  DeliveryState,
} from "./delivery.ts";
export { Event, EventList, LogPiece } from "./event.ts";
export { safeFileName } from "./file-name.ts";
export {
  GithubEffect,
  GithubEvent,
  GithubEventDetails,
  GithubEventList,
  GithubEventQuery,
  GithubEventStatus,
  GithubInstallation,
  GithubInstallationDetails,
  GithubInstallationList,
  GithubInstallationQuery,
  GithubState,
  ReceivedGithubEvent,
} from "./github.ts";
export { GithubCheck, GithubDiagnosis } from "./github-check.ts";
export { GithubTrigger } from "./github-trigger.ts";
export { Alive, Ready } from "./health.ts";
export {
  type AnyJob,
  Job,
  JobError,
  JobFilter,
  JobList,
  JobPriority,
  JobQuery,
  JobStatus,
  JobSubmission,
  ListedJob,
  Name,
  WaitingFor,
} from "./job.ts";
export { JobTypeInfo, JobTypeList } from "./job-type.ts";
export { Lane, LaneChange, LaneList, LaneQuery, QueueState } from "./lane.ts";
export { Overview } from "./overview.ts";
export { PASSWORD_LENGTH } from "./password-length.ts";
export { Problem, type ProblemCode, problemCodes } from "./problem.ts";
export {
  NewPipeline,
  NewRun,
  PipelineList,
  PipelineName,
  PipelineQuery,
  Run,
  RunApproval,
  RunDetail,
  RunList,
  RunQuery,
  RunRetry,
  RunStatus,
  RunStep,
  RunWorkspace,
  RunWorkspaces,
  StartedRun,
  StepIntegration,
  StoredPipeline,
} from "./run.ts";
export {
  NewSchedule,
  Schedule,
  ScheduleChange,
  ScheduleList,
  ScheduleOverlap,
  ScheduleQuery,
} from "./schedule.ts";
export {
  Credential,
  CredentialKind,
  CredentialList,
  EncryptionKeys,
  NewCredential,
  NewSecret,
  OwnerQuery,
  Secret,
  SecretList,
  SecretName,
  SecretOwnerQuery,
  SecretQuery,
  SecretValue,
} from "./secret.ts";
export { CurrentSession, Session, SessionList, SignIn } from "./session.ts";
export { Setup, SetupLink, SetupState } from "./setup.ts";
export { storableJson } from "./storable-json.ts";
export {
  NewWatch,
  Watch,
  WatchChange,
  WatchContentQuery,
  WatchFile,
  WatchFileList,
  WatchFileQuery,
  WatchList,
  WatchQuery,
  WatchState,
} from "./watch.ts";
export { Worker, WorkerList } from "./worker.ts";
