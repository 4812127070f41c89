// The job type `command`: a command in a workspace of its own.
import {
  type Git,
  parseRemoteUrl,
  type RemoteUrl,
  RemoteUrlError,
  type RemoteUrlRules,
  type Workspace,
} from "@croft/git";
import { z } from "zod";
import { JobFailure } from "../jobs/job-failure.ts";
import { type Attempt, defineJobType, type JobType } from "../jobs/job-type.ts";
import { type Log, logWith } from "../log.ts";
import { chooseSandbox, type SandboxWish } from "./choose-sandbox.ts";
import { asFailure } from "./git-failure.ts";
import { removeWorkspace } from "./remove-workspace.ts";

export interface CommandOptions {
  /** Opened when the first command runs. */
  readonly git: () => Promise<Git>;
  readonly rules: RemoteUrlRules;
  readonly gitTimeoutMs: number;
  readonly caFile: string | undefined;
  readonly killGraceMs: number;
  readonly sandbox: SandboxWish;
  readonly log: Log;
}

const Environment = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, "must be a name of letters, digits and _"),
  z.string().max(32_768),
);

const Command = z.union([
  z.string().min(1).max(65_536).describe("for `sh -c`"),
  z.array(z.string().max(65_536)).min(1).max(1000).describe("a program and its arguments"),
]);

export function commandJob(options: CommandOptions): JobType {
  const Input = z.strictObject({
    repository: z.string().transform((text, context): RemoteUrl => {
      try {
        return parseRemoteUrl(text, options.rules);
      } catch (error) {
        if (!(error instanceof RemoteUrlError)) throw error;
        context.addIssue({ code: "custom", message: error.message });
        return z.NEVER;
      }
    }),
    ref: z.string().min(1).max(1000).optional(),
    command: Command,
    environment: Environment.optional(),
    network: z.boolean().optional(),
    workspace: z.enum(["overlay", "clone"]).optional(),
    branch: z.string().min(1).max(255).optional(),
    sparse: z.array(z.string().min(1).max(1000)).max(100).optional(),
    submodules: z.boolean().optional(),
    lfs: z.boolean().optional(),
  });
  return defineJobType<z.output<typeof Input>>({
    name: "command",
    input: Input,
    run: async (attempt) => {
      const git = await options.git();
      const workspace = await makeWorkspace(attempt, git, options);
      try {
        await attempt.guard(workspace.path, git.platform.jobUser?.uid ?? process.getuid?.() ?? 0);
        attempt.log(`workspace '${workspace.id}' (${workspace.kind}) at ${workspace.base}\n`);
        return await runCommand(attempt, workspace, options);
      } catch (error) {
        throw asFailure(error);
      } finally {
        const { id: job, attempt: number } = attempt;
        const { id, path } = workspace;
        await removeWorkspace(
          workspace,
          logWith(options.log, { job, attempt: number, workspace: id, path }),
        );
      }
    },
  });

  async function makeWorkspace(
    { id, owner, attempt, input, signal }: Attempt<z.output<typeof Input>>,
    git: Git,
    { gitTimeoutMs, caFile, sandbox: setting }: CommandOptions,
  ): Promise<Workspace> {
    const ability = git.platform.sandbox;
    const sandbox = chooseSandbox({ asked: "auto", setting, owner, ability });
    const { repository, ref, workspace: kind, branch, sparse, submodules, lfs } = input;
    if (repository.protocol === "file" && owner !== "local") {
      throw new JobFailure("invalid", "invalid-remote", "paths of this machine are not for apps");
    }
    try {
      return await git.workspaces.create({
        ...{ repository, ref, kind, branch, sparse, lfs, sandbox, signal },
        name: repository.path.split("/").at(-1) ?? "job",
        owner: { owner, jobId: id, attempt },
        access: { timeoutMs: gitTimeoutMs, caFile },
        submodules: submodules === true ? {} : undefined,
      });
    } catch (error) {
      throw asFailure(error);
    }
  }
}

async function runCommand(
  attempt: Attempt<{
    readonly command: string | readonly string[];
    readonly environment?: Record<string, string> | undefined;
    readonly network?: boolean | undefined;
  }>,
  workspace: Workspace,
  { killGraceMs }: CommandOptions,
): Promise<{ exit_code: number; base_commit: string }> {
  const { command, environment, network } = attempt.input;
  const argv = typeof command === "string" ? ["sh", "-c", command] : command;
  const isLost = () =>
    (attempt.signal.reason as { reason?: string } | undefined)?.reason === "lost";
  const { exitCode, stopped } = await workspace.run(argv, {
    environment,
    network,
    signal: attempt.signal,
    maxOutputBytes: 0,
    timeoutMs: 2 ** 31 - 1, // the attempt's own time ends it
    graceMs: () => (isLost() ? 0 : killGraceMs),
    onOutput: (stream, chunk) => attempt.log(chunk, stream),
  });
  if (stopped === "aborted") throw attempt.signal.reason;
  if (exitCode === 0) return { exit_code: 0, base_commit: workspace.base };
  throw new JobFailure("command", "command-failed", `the command ended with exit code ${exitCode}`);
}
