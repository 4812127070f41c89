// Where results go: the repository at GitHub that work of an installation belongs to, and the way to ask for it.
import { JobFailure } from "../../jobs/job-failure.ts";
import type { GithubApp } from "../github-app.ts";

/** The part of the App that results need. */
export type GithubWriter = Pick<GithubApp, "host" | "login" | "ask">;

/** One repository, as one installation may change it. */
export interface Target {
  readonly app: GithubWriter;
  readonly installation: number;
  /** `owner/name`. */
  readonly repository: string;
}

/** Accounts that an enterprise manages have an underscore in their names. */
const FULL_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,99})\/[A-Za-z0-9._-]{1,100}$/;

/** The installation comes from whose work it is, never from what it says. */
export function targetOf(app: GithubWriter | undefined, owner: string, repository: string): Target {
  const installation = installationOf(owner);
  if (installation === undefined) {
    throw invalid("no-installation", "only work of a GitHub installation can write to GitHub");
  }
  if (app === undefined) {
    throw invalid("no-github-app", "no GitHub App is configured: set github.appId and its key");
  }
  if (!FULL_NAME.test(repository) || /\/\.{1,2}$/.test(repository)) {
    throw invalid("invalid-value", `'${repository.slice(0, 200)}' is no repository: owner/name`);
  }
  return { app, installation, repository };
}

export function installationOf(owner: string): number | undefined {
  const id = /^installation:([1-9]\d{0,14})$/.exec(owner)?.[1];
  return id === undefined ? undefined : Number(id);
}

/** Of a remote at the App's own host; undefined for any other. */
export function fullNameOf(
  app: Pick<GithubWriter, "host">,
  remote: { readonly host: string; readonly path: string },
): string | undefined {
  if (remote.host.toLowerCase() !== app.host.toLowerCase()) return undefined;
  return FULL_NAME.test(remote.path) ? remote.path : undefined;
}

/** `{owner}` and `{repo}` of the route are the target's. */
export async function askTarget<T>(
  { app, installation, repository }: Target,
  route: string,
  parameters: object,
  signal: AbortSignal,
): Promise<T> {
  return await app.ask<T>({ installation, repository, route, parameters, signal });
}

function invalid(code: string, message: string): JobFailure {
  return new JobFailure("invalid", code, message);
}
