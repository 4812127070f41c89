// The commit that a renderer works on: found with its owner's own credential, and there to be read.
import {
  type CommitFacts,
  type CommitId,
  type Git,
  GitError,
  parseRemoteUrl,
  type RemoteAccess,
  type RemoteUrl,
  RemoteUrlError,
} from "@croft/git";
import { z } from "zod";
import { asFailure } from "../command/git-failure.ts";
import type { Config } from "../config/config.ts";
import type { GithubApp } from "../github/github-app.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import type { Attempt } from "../jobs/job-type.ts";
import { wayTo } from "../secrets/credential-access.ts";
import { openCredential } from "../secrets/credential-store.ts";
import type { Vault } from "../secrets/vault.ts";

export interface RendererParts {
  readonly config: Config;
  readonly vault: Vault;
  /** Undefined where no App is configured. */
  readonly github?: GithubApp | undefined;
  /** Opened when the first renderer needs it. */
  readonly git: () => Promise<Git>;
}

/** What names a commit in the input of a renderer. */
export interface CommitWish {
  readonly repository: RemoteUrl;
  readonly ref?: string | undefined;
}

export interface OpenedCommit {
  readonly git: Git;
  readonly remote: RemoteUrl;
  readonly commit: CommitId;
  readonly access: RemoteAccess;
}

export function repositoryInput({ config }: Pick<RendererParts, "config">) {
  const { git, allowPrivate } = config;
  const rules = { allowHttp: [...git.allowHttp, ...allowPrivate], allowLocal: git.allowLocal };
  return z
    .string()
    .min(1)
    .max(2000)
    .transform((text, context): RemoteUrl => {
      try {
        return parseRemoteUrl(text, rules);
      } catch (error) {
        if (!(error instanceof RemoteUrlError)) throw error;
        context.addIssue({ code: "custom", message: error.message });
        return z.NEVER;
      }
    })
    .describe("the address of a git repository, such as https://example.org/owner/name");
}

export const RefInput = z
  .string()
  .min(1)
  .max(1000)
  .describe("a branch, a tag or a full commit id; the default branch without one");

/** Failures of git are told as a job tells them; a mirror that was found damaged is made anew for the next attempt. */
export async function withCommit<T>(
  parts: RendererParts,
  attempt: Attempt<unknown>,
  wish: CommitWish,
  work: (opened: OpenedCommit) => Promise<T>,
): Promise<T> {
  const { repository: remote, ref } = wish;
  const access = await accessTo(parts, attempt, remote);
  const git = await parts.git();
  const { signal } = attempt;
  try {
    attempt.progress(0, "getting the commit");
    const commit = await git.remotes.resolve({ repository: remote, ref, access });
    attempt.log(`commit ${commit}\n`);
    return await work({ git, remote, commit, access });
  } catch (error) {
    const isSuspect = error instanceof GitError && error.code === "corrupt" && !signal.aborted;
    if (isSuspect && (await git.mirrors.isDamaged(remote, signal))) {
      await git.mirrors.rebuild(remote, access);
    }
    throw asFailure(error);
  }
}

export async function factsOf(
  { git, remote, commit }: OpenedCommit,
  signal: AbortSignal,
): Promise<CommitFacts> {
  return await git.contents.commitFacts(remote, commit, signal);
}

/** What a file made of it is called: the repository and the beginning of the commit's id. */
export function baseName({ remote, commit }: Pick<OpenedCommit, "remote" | "commit">): string {
  const plain = repositoryName(remote)
    .replaceAll(/[^\p{L}\p{N}._-]/gu, "_")
    .replace(/^[.-]+/, "");
  return `${plain.slice(0, 100) || "repository"}-${commit.slice(0, 12)}`;
}

export function repositoryName({ path }: RemoteUrl): string {
  return (
    path
      .split("/")
      .at(-1)
      ?.replace(/\.git$/, "") || "repository"
  );
}

/** Apps reach public addresses only, and no path of this machine; its own people go where they like. */
async function accessTo(
  parts: RendererParts,
  { owner, signal, mask }: Attempt<unknown>,
  remote: RemoteUrl,
): Promise<RemoteAccess> {
  if (remote.protocol === "file" && owner !== "local") {
    throw new JobFailure("invalid", "invalid-remote", "paths of this machine are not for apps");
  }
  const found = await openCredential(parts.vault, owner, remote);
  if (found !== undefined && found.kind !== "github-app") mask([found.value]);
  return { signal, ...wayTo(parts, owner, { remote, found }) };
}
