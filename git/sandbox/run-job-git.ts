// Git in a job's own repository: only in its sandbox, as its user, without credentials. Nothing of ours opens a job's `.git`.
import type { Writable } from "node:stream";
import type { Identity } from "../checkout/lay-out-repository.ts";
import { gitEnvironment } from "../command/git-environment.ts";
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
  const result = await command.result;
  if (result.exitCode === 0 || options.answers?.includes(result.exitCode)) return result;
  const said = redactText(result.stderr.toString("utf8")).trim().split("\n").at(-1) ?? "";
  const why = result.stopped ?? (said || `exit code ${result.exitCode}`);
  throw new WorkspaceError("result-refused", `git failed in the job's repository: ${why}`);
}
