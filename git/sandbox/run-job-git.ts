// Git in a job's own repository: only in its sandbox, as its user, without credentials. Nothing of ours opens a job's `.git`.
import type { Writable } from "node:stream";
import type { Identity } from "../checkout/lay-out-repository.ts";
import { gitEnvironment } from "../command/git-environment.ts";
import { classifyGitFailure, GitError } from "../command/git-error.ts";
import { redactText } from "../command/redact-text.ts";
import { WorkspaceError } from "../workspace/workspace-error.ts";
import type { JobCommand, JobCommandOptions, JobCommandResult } from "./job-command.ts";

export interface JobGitOptions {
  readonly identity: Identity;
  readonly input?: string | undefined;
  readonly output?: Writable | undefined;
  readonly maxOutputBytes?: number | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Exit codes that are answers, not failures. */
  readonly answers?: readonly number[] | undefined;
}

/** Starts a command at the workspace's place. */
export type StartCommand = (argv: readonly string[], options: JobCommandOptions) => JobCommand;

const TIMEOUT_MS = 10 * 60_000;

/** A constant script of ours with its arguments; several steps in one sandbox, because each start costs. */
export async function runJobGit(
  start: StartCommand,
  script: string,
  args: readonly string[],
  options: JobGitOptions,
): Promise<JobCommandResult> {
  const { identity, input, output, maxOutputBytes, timeoutMs = TIMEOUT_MS, signal } = options;
  const { HOME: _none, ...environment } = gitEnvironment({
    protocols: [],
    config: [["core.fsync", "none"]], // the workspace ends with the job; what comes out of it is synced where it goes
    variables: {
      GIT_AUTHOR_NAME: identity.name,
      GIT_AUTHOR_EMAIL: identity.email,
      GIT_COMMITTER_NAME: identity.name,
      GIT_COMMITTER_EMAIL: identity.email,
    },
  });
  const command = start(["/bin/sh", "-euc", script, "sh", ...args], {
    ...{ environment, input, output, maxOutputBytes, timeoutMs, signal },
  });
  const result = await command.result.catch((error: unknown) => {
    // A job can do that to itself: take away the right to enter its own directory.
    throw error instanceof WorkspaceError ? refused(error.message, error) : error;
  });
  const { exitCode, stopped } = result;
  if (stopped !== undefined) {
    throw new GitError(stopped, `git in the job's repository: ${stopped}`, { command: "job" });
  }
  if (exitCode === 0 || options.answers?.includes(exitCode)) return result;
  const stderr = redactText(result.stderr.toString("utf8"));
  if (classifyGitFailure(stderr) === "disk-full") {
    const details = { command: "job", exitCode, stderr };
    throw new GitError("disk-full", "the disk is full in the job's repository", details);
  }
  throw refused(complaintIn(stderr) || `exit code ${exitCode}`);
}

/** The last line often says only that it failed, the one before says at what. */
function complaintIn(stderr: string): string {
  const lines = stderr.trim().split("\n");
  const complaints = lines.filter((line) => /^(?:error|fatal|bwrap): /.test(line));
  return (complaints.length === 0 ? lines : complaints).slice(-2).join("; ").slice(0, 500);
}

function refused(why: string, cause?: unknown): WorkspaceError {
  const message = `the job's result is refused: git failed in its repository: ${why}`;
  return new WorkspaceError("result-refused", message, cause);
}
