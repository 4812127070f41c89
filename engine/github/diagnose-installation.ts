// Whether one installation gives a token, for what, and how many requests it has left.
import { type Check, checkNamed } from "@croft/git";
import type { GithubApp } from "./github-app.ts";
import { GithubError } from "./github-error.ts";
import { missingPermissions } from "./needed-access.ts";
import type { Permissions } from "./route-permissions.ts";

export interface FoundInstallation {
  readonly id: number;
  readonly account: { readonly login?: string; readonly slug?: string } | null;
  readonly permissions: Permissions;
  readonly suspended_at: string | null;
  readonly html_url?: string;
}

interface RateLimit {
  readonly rate: { readonly limit: number; readonly remaining: number };
}

/** Below that share of them, others at this installation will soon have to wait. */
const SCARCE = 0.1;

export async function diagnoseInstallation(
  github: GithubApp,
  { id, account, permissions, suspended_at, html_url }: FoundInstallation,
  signal: AbortSignal | undefined,
): Promise<Check> {
  const named = checkNamed(`installation-${id}`);
  const who = account?.login ?? account?.slug ?? "an account";
  if (suspended_at !== null) {
    return named.warning(`${who}: suspended, so none of its work can be done`, html_url);
  }
  try {
    const request = { installation: id, ...(signal === undefined ? {} : { signal }) };
    const { total_count: count } = await github.ask<{ total_count: number }>({
      ...{ ...request, route: "GET /installation/repositories", parameters: { per_page: 1 } },
    });
    const rate = await rateOf(github, request);
    const left =
      rate === undefined ? "no limit" : `${rate.remaining} of ${rate.limit} requests left`;
    const detail = `${who}: gives a token, ${count} ${count === 1 ? "repository" : "repositories"}, ${left}`;
    const missing = missingPermissions(permissions);
    if (missing.length > 0) {
      const advice = `accept the App's permissions there${html_url === undefined ? "" : ` (${html_url})`}`;
      return named.warning(`${detail}; not allowed: ${missing.join(", ")}`, advice);
    }
    return rate !== undefined && rate.remaining < rate.limit * SCARCE
      ? named.warning(detail, "its work will wait until GitHub allows more")
      : named.ok(detail);
  } catch (error) {
    if (!(error instanceof GithubError)) throw error;
    return named.failed(`${who}: ${error.message}`);
  }
}

/** A GitHub Enterprise Server has limits only where they are turned on. */
async function rateOf(
  github: GithubApp,
  request: { readonly installation: number; readonly signal?: AbortSignal },
): Promise<RateLimit["rate"] | undefined> {
  try {
    return (await github.ask<RateLimit>({ ...request, route: "GET /rate_limit" })).rate;
  } catch (error) {
    if (error instanceof GithubError && error.status === 404) return undefined;
    throw error;
  }
}
