// The job type `command`: a command in a workspace of its own.
import {
  type Git,
  parseRemoteUrl,
  type RemoteAccess,
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
  /** To the remotes that this owner names. */
  readonly way: (owner: string, remote: RemoteUrl) => RemoteAccess;
  readonly killGraceMs: number;
  readonly sandbox: SandboxWish;
  readonly log: Log;
}

export const Environment = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, "must be a name of letters, digits and _"),
  z.string().max(32_768),
);

export const Command = z.union([
  z.string().min(1).max(65_536).describe("for `sh -c`"),
  z.array(z.string().max(65_536)).min(1).max(1000).describe("a program and its arguments"),
]);

function remoteBy(rules: RemoteUrlRules) {
  const Address = z
    .string()
    .min(1)
    .describe("the address of a git repository, such as https://example.org/owner/name");
  return Address.transform((text, context): RemoteUrl => {
    try {
      return parseRemoteUrl(text, rules);
    } catch (error) {
      if (!(error instanceof RemoteUrlError)) throw error;
      context.addIssue({ code: "custom", message: error.message });
      return z.NEVER;
    }
  });
}

function commandInput(rules: RemoteUrlRules) {
  return z.strictObject({
    repository: remoteBy(rules),
    ref: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe("a branch, a tag or a full commit id; the default branch without one"),
    command: Command,
    environment: Environment.optional().describe(
      "variables for the command; no place for secrets, for it is stored and shown",
    ),
    network: z.boolean().optional().describe("whether the command may use the network"),
    workspace: z
      .enum(["overlay", "clone"])
      .optional()
      .describe("how the checkout is made; without one, in the fastest way that this machine has"),
    branch: z.string().min(1).max(255).optional().describe("a new branch for what it commits"),
    sparse: z
      .array(z.string().min(1).max(1000))
      .max(100)
      .optional()
      .describe("only these directories are checked out"),
    submodules: z.boolean().optional().describe("checks them out, too"),
    lfs: z.boolean().optional().describe("fetches files that are kept with Git LFS"),
  });
}

export function commandJob(options: CommandOptions): JobType {
  const Input = commandInput(options.rules);
  return defineJobType<z.output<typeof Input>>({
    name: "command",
    description: "Runs a command in a workspace of its own.",
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
    { way, rules, sandbox: setting }: CommandOptions,
  ): Promise<Workspace> {
    const ability = git.platform.sandbox;
    const sandbox = chooseSandbox({ asked: "auto", setting, owner, ability });
    const { repository, ref, workspace: kind, branch, sparse, submodules, lfs } = input;
    const isOwn = owner === "local";
    if (repository.protocol === "file" && !isOwn) {
      throw new JobFailure("invalid", "invalid-remote", "paths of this machine are not for apps");
    }
    try {
      return await git.workspaces.create({
        ...{ repository, ref, kind, branch, sparse, lfs, sandbox, signal },
        name: repository.path.split("/").at(-1) ?? "job",
        owner: { owner, jobId: id, attempt },
        access: way(owner, repository),
        submodules:
          submodules === true ? { ...rules, allowLocal: isOwn && rules.allowLocal } : undefined,
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
