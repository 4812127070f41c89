// Workspaces of one attempt of a handler, and the commands that it runs in them.
import type { Workspace } from "@croft/git";
import { z } from "zod";
import type { HostileFile } from "../assets/open-inside.ts";
import { chooseSandbox } from "../command/choose-sandbox.ts";
import { Command, Environment } from "../command/command-job.ts";
import { removeWorkspace } from "../command/remove-workspace.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import type { Attempt } from "../jobs/job-type.ts";
import { logWith } from "../log.ts";
import { addressRules } from "../secrets/credential-access.ts";
import { accessTo, type HandlerParts, remoteOf } from "./handler-parts.ts";

const WorkspaceWish = z.strictObject({
  repository: z.string(),
  ref: z.string().min(1).max(1000).optional(),
  kind: z.enum(["overlay", "clone"]).optional(),
  branch: z.string().min(1).max(255).optional(),
  history: z.string().min(1).max(1000).optional(),
  sparse: z.array(z.string().min(1).max(1000)).max(100).optional(),
  submodules: z.boolean().optional(),
  lfs: z.boolean().optional(),
});

const CommandWish = z.strictObject({
  workspace: z.int(),
  command: Command,
  environment: Environment.optional(),
  network: z.boolean().optional(),
});

const COUNT_MAX = 16;
const OUTPUT_BYTES_MAX = 1024 * 1024;

export class HandlerWorkspaces {
  readonly #parts: HandlerParts;
  readonly #attempt: Attempt;
  readonly #graceMs: () => number;
  readonly #made: Workspace[] = [];
  #count = 0;

  constructor(parts: HandlerParts, attempt: Attempt, graceMs: () => number) {
    this.#parts = parts;
    this.#attempt = attempt;
    this.#graceMs = graceMs;
  }

  async make(request: unknown): Promise<unknown> {
    const wish = WorkspaceWish.parse(request);
    const attempt = this.#attempt;
    const { owner, id: jobId, attempt: number, signal } = attempt;
    if (++this.#count > COUNT_MAX) {
      const message = `a job has at most ${COUNT_MAX} workspaces`;
      throw new JobFailure("invalid", "too-many", message);
    }
    const repository = remoteOf(this.#parts, attempt, wish.repository);
    const git = await this.#parts.git();
    const { ref, kind, branch, sparse, lfs, history } = wish;
    const setting = this.#parts.config.job.sandbox;
    const ability = git.platform.sandbox;
    const workspace = await git.workspaces.create({
      ...{ repository, ref, kind, branch, sparse, lfs, history, signal },
      sandbox: chooseSandbox({ asked: "auto", setting, owner, ability }),
      name: repository.path.split("/").at(-1) ?? "job",
      owner: { owner, jobId, attempt: number },
      access: await accessTo(this.#parts, attempt, repository),
      submodules: wish.submodules === true ? addressRules(this.#parts.config, owner) : undefined,
    });
    this.#made.push(workspace); // from here on it is taken away with the attempt
    await attempt.guard(workspace.path, workspace.user?.uid ?? process.getuid?.() ?? 0);
    attempt.log(`workspace '${workspace.id}' (${workspace.kind}) at ${workspace.base}\n`);
    const { path, base: commit, mergeBase } = workspace;
    return { number: this.#made.length - 1, path, commit, mergeBase };
  }

  async run(request: unknown): Promise<unknown> {
    const { workspace: number, command, environment, network } = CommandWish.parse(request);
    const workspace = this.#find(number);
    const attempt = this.#attempt;
    const argv = typeof command === "string" ? ["sh", "-c", command] : command;
    const { exitCode, stopped, stdout, stderr } = await workspace.run(argv, {
      ...{ environment, network, signal: attempt.signal, graceMs: this.#graceMs },
      maxOutputBytes: OUTPUT_BYTES_MAX,
      timeoutMs: 2 ** 31 - 1, // the attempt's own time ends it
      onOutput: (stream, chunk) => attempt.log(chunk, stream),
    });
    if (stopped === "aborted") throw attempt.signal.reason;
    if (exitCode === 0) return { stdout: stdout.toString("utf8"), stderr: stderr.toString("utf8") };
    const message = `the command ended with exit code ${exitCode}`;
    throw new JobFailure("command", "command-failed", message);
  }

  /** In it, whatever its repository or a command has put on the way. */
  fileIn(number: number, path: string): HostileFile {
    const { path: directory, user } = this.#find(number);
    return { directory, path, user };
  }

  async remove(): Promise<void> {
    const { id: job, attempt } = this.#attempt;
    for (const workspace of this.#made) {
      const { id, path } = workspace;
      await removeWorkspace(
        workspace,
        logWith(this.#parts.log, { job, attempt, workspace: id, path }),
      );
    }
  }

  #find(number: number): Workspace {
    const found = this.#made[number];
    if (found === undefined) throw new JobFailure("invalid", "no-workspace", "no such workspace");
    return found;
  }
}
