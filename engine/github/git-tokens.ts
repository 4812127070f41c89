// An installation's tokens as git gets them: for the App's host, the one repository that git asks for, and no more than it does there.
import type { RemoteUrl, TokenSource } from "@croft/git";
import { GithubError } from "./github-error.ts";
import type { Narrowing } from "./installation-tokens.ts";

export interface GitTokensOptions {
  readonly host: string;
  readonly installation: number;
  /** Where git does not say which. */
  readonly repository: string | undefined;
  readonly provide: Provide;
  readonly pushing: PushTokens;
}

type Provide = (narrowing: Narrowing, refused: string | undefined) => Promise<string>;

/** How long an installation counts as one that does not allow it: somebody may have changed that. */
const DENIED_MS = 10 * 60_000;

/** Commits that change workflows of GitHub Actions are taken only with a permission of their own, which not every App has. */
export class PushTokens {
  readonly #provide: Provide;
  readonly #now: () => number;
  readonly #deniedUntil = new Map<number, number>();

  constructor(provide: Provide, now: () => number) {
    this.#provide = provide;
    this.#now = now;
  }

  async provide(narrowing: Narrowing, refused: string | undefined): Promise<string> {
    const { installation, permissions } = narrowing;
    if (this.#now() < (this.#deniedUntil.get(installation) ?? 0)) {
      return await this.#provide(narrowing, refused);
    }
    const wider = { ...narrowing, permissions: { ...permissions, workflows: "write" } as const };
    try {
      return await this.#provide(wider, refused);
    } catch (error) {
      if (!(error instanceof GithubError) || error.status !== 422) throw error;
      const token = await this.#provide(narrowing, refused); // or the reason was another
      this.#deniedUntil.set(installation, this.#now() + DENIED_MS);
      return token;
    }
  }
}

/** What GitHub wants before a token. */
const USERNAME = "x-access-token";

export function gitTokens(options: GitTokensOptions): TokenSource {
  const { host, installation, provide, pushing } = options;
  const given = new Map<string, string>();
  return async ({ refresh, remote, isPush = false }) => {
    if (remote !== undefined) requireHost(remote, host);
    const repository = remote?.path ?? options.repository;
    if (repository === undefined || !/^[^/]+\/[^/]+$/.test(repository)) {
      throw noAccess(`'${repository ?? ""}' is no repository of GitHub`);
    }
    const name = `${isPush ? "write" : "read"} ${repository}`;
    const refused = refresh ? given.get(name) : undefined;
    const wish = { installation, repository, permissions: { contents: "read" } } as const;
    const password = isPush
      ? await pushing.provide({ ...wish, permissions: { contents: "write" } }, refused)
      : await provide(wish, refused);
    given.set(name, password);
    return { username: USERNAME, password };
  };
}

/** Whatever led there, a token of the App is for no other host. */
function requireHost(remote: RemoteUrl, host: string): void {
  if (remote.host === host && remote.protocol === "https") return;
  throw noAccess(`the GitHub App is for https://${host} only, not for '${remote.text}'`);
}

function noAccess(message: string): GithubError {
  return new GithubError(message, { code: "github-no-access", status: 404 });
}
