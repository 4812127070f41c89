// The composition root of the engine: opens everything a process needs and closes it in the right order.
import { hostname } from "node:os";
import {
  claimLife,
  type Git,
  openGit,
  type ReportSubject,
  releaseLife,
  thisProcess,
} from "@croft/git";
import { type Assets, openAssets } from "./assets/assets.ts";
import { commandJob } from "./command/command-job.ts";
import { DatabaseLedger } from "./command/database-ledger.ts";
import type { Config } from "./config/config.ts";
import { type DataDirectory, openDataDirectory } from "./data-directory/data-directory.ts";
import { provideHostId } from "./data-directory/host-id.ts";
import { provideLocalToken } from "./data-directory/local-token.ts";
import { DatabaseListener } from "./database/database-listener.ts";
import { joinDatabase, waitForServer } from "./database/join-database.ts";
import { type Database, openDatabase } from "./database/open-database.ts";
import { EventFeed } from "./events/event-feed.ts";
import { SubjectStreams } from "./events/subject-streams.ts";
import { type GithubApp, openGithubApp } from "./github/github-app.ts";
import type { ProjectTrigger } from "./github/project-triggers.ts";
import { openHandlers } from "./handlers/open-handlers.ts";
import type { Project } from "./handlers/project-handlers.ts";
import { type JobType, type JobTypes, jobTypes } from "./jobs/job-type.ts";
import { JobIntake } from "./jobs/submit-jobs.ts";
import type { Log, LogDetails } from "./log.ts";
import { applyLimits } from "./queue/limits.ts";
import { archiveJob } from "./renderers/archive-job.ts";
import { diagramJob } from "./renderers/diagram-job.ts";
import { reportJob } from "./renderers/report-job.ts";
import { runJob, stepJob } from "./runs/step-job.ts";
import { wantedRuns } from "./runs/wanted-runs.ts";
import { wayTo } from "./secrets/credential-access.ts";
import { openVault } from "./secrets/open-vault.ts";
import type { Vault } from "./secrets/vault.ts";

export interface Engine {
  readonly config: Config;
  readonly log: Log;
  readonly version: string;
  /** Events of GitHub are for servers only: they have the triggers. */
  readonly role: "server" | "worker";
  readonly startedAt: Date;
  readonly directory: DataDirectory;
  readonly database: Database;
  readonly localToken: string;
  /** The random name of this machine's data directory. */
  readonly hostId: string;
  readonly listener: DatabaseListener;
  readonly types: JobTypes;
  readonly intake: JobIntake;
  readonly subjects: SubjectStreams;
  readonly feed: EventFeed;
  /** Secrets and credentials: write-only for everybody but jobs. */
  readonly vault: Vault;
  readonly assets: Assets;
  /** The App that Croft is at GitHub; undefined when none is configured. */
  readonly github: GithubApp | undefined;
  /** Of the project: which events of GitHub start what. */
  readonly triggers: readonly ProjectTrigger[];
  /** Opened when it is first needed; sweeps the leftovers of the dead from then on. */
  git(): Promise<Git>;
  close(): Promise<void>;
}

export interface EngineOptions {
  readonly config: Config;
  readonly log: Log;
  readonly version: string;
  /** Job types besides those that are built in. */
  readonly types?: readonly JobType[] | undefined;
  /** The croft.config.ts whose handlers are job types, too. */
  readonly project?: Project | undefined;
  /** What its croft.config.ts says of events of GitHub. */
  readonly triggers?: readonly ProjectTrigger[] | undefined;
  /** A worker alone owns no database and sets no limits: it takes part where a server runs. */
  readonly role?: "server" | "worker" | undefined;
  /** Ends a start that is no longer wanted. */
  readonly signal?: AbortSignal | undefined;
}

const SWEEP_EVERY_MS = 60_000;

export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { config, log, version, signal, role = "server" } = options;
  const startedAt = new Date();
  const joins = role === "worker" && config.database.url === undefined;
  if (joins) await waitForServer(config.data, log, signal); // before anything is made in a directory named by mistake
  const github = openGithubApp({ config, version });
  const directory = await openDataDirectory(config.data);
  const localToken = await provideLocalToken(directory);
  const hostId = await provideHostId(directory);
  const open = joins ? joinDatabase : openDatabase;
  const database = await open(config, directory, log, signal);
  const vault = await openVault({ database, log, config, directory });
  const assets = await openAssets({ database, config, hostId, log });
  if (role === "server") await applyLimits(database, config.concurrency);
  await claimLife(directory.locks); // by it others of this host see that we live, from any container
  const listener = new DatabaseListener(database, log);
  let opened: Promise<Git> | undefined;
  const git = () => {
    opened ??= openGit({
      data: config.data,
      reserveBytes: config.disk.reserveBytes,
      ledger: new DatabaseLedger(database, hostId),
      sweepEveryMs: SWEEP_EVERY_MS,
      wantedRuns: (runs) => wantedRuns(database, runs),
      onReport: (report, about = {}) => log.warn(reportDetails(about), report),
      onBackgroundError: (what, error) => log.warn({ err: error }, what),
    });
    opened.catch(() => {
      opened = undefined; // the next who needs it tries again
    });
    return opened;
  };
  const ofRuns = { config, database, log, assets, vault, git, github };
  const builtIn = [
    ...[commandType({ config, log, git, github }), runJob(ofRuns), stepJob(ofRuns)],
    ...[archiveJob(ofRuns), reportJob(ofRuns), diagramJob(ofRuns)],
  ];
  const handlers = await openHandlers({
    ...{ ...ofRuns, directory, project: options.project, intake: () => intake },
    builtIn: builtIn.map(({ name }) => name),
    isServer: role === "server",
  }).catch(async (error: unknown) => {
    await Promise.all([listener.close(), database.close()]);
    throw error;
  });
  const types = jobTypes(...builtIn, ...handlers.types, ...(options.types ?? []));
  const intake: JobIntake = new JobIntake(database, types);
  for (const { name, work } of options.triggers ?? []) {
    if (work.kind !== "job" || types.has(work.type)) continue;
    log.warn({ trigger: name, type: work.type }, "this process has no such job type for a trigger");
  }
  const subjects = new SubjectStreams(database, listener, log);
  const feed = new EventFeed(database, listener, log);
  return {
    ...{ config, log, version, role, startedAt, directory, database, localToken, hostId },
    ...{ listener, types, intake, subjects, feed, vault, assets, git, github },
    triggers: options.triggers ?? [],
    close: async () => {
      subjects.close();
      feed.close();
      await handlers.close();
      await listener.close();
      await (await opened?.catch(() => undefined))?.close(); // that it did not open was told to whoever asked
      await github?.close();
      await database.close();
      releaseLife(directory.locks);
    },
  };
}

/** By the names that all lines of the log have. */
function reportDetails({ runId, jobId, attempt, workspace, path }: ReportSubject): LogDetails {
  return { run: runId, job: jobId, attempt, workspace, path };
}

function commandType(parts: Pick<Engine, "config" | "log" | "git" | "github">): JobType {
  const { config, log, git: open } = parts;
  const { git, job, shutdown } = config;
  return commandJob({
    ...{ git: open, log },
    rules: { allowHttp: git.allowHttp, allowLocal: git.allowLocal },
    way: (owner, remote) => wayTo(parts, owner, { remote }),
    killGraceMs: shutdown.killGrace,
    sandbox: job.sandbox,
  });
}

/** This process among all that share the database. */
export function hostIdentity({ hostId }: Pick<Engine, "hostId">) {
  return { id: hostId, name: hostname(), ...thisProcess() };
}
