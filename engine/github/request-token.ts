// Asks GitHub for a token of an installation, as the App, and makes sure whose repository it is for.
import { createAppAuth } from "@octokit/auth-app";
import type { request as octokitRequest } from "@octokit/request";
import { GithubError } from "./github-error.ts";
import type { FreshToken, Narrowing } from "./installation-tokens.ts";

export type TokenAsk = (narrowing: Narrowing) => Promise<FreshToken>;

/**
 * By octokit, without its cache: that one gives out tokens with a minute left, by this machine's clock. Its answer does
 * not say whose repository the token is for, so that is read on the way.
 */
export function tokenRequest({
  appId,
  sign,
  request,
  log,
}: {
  readonly appId: number;
  readonly sign: () => { readonly jwt: string; readonly expiresAt: string };
  readonly request: typeof octokitRequest;
  readonly log: { warn(message: string): void };
}): TokenAsk {
  const repositoriesOf = new Map<string, readonly string[]>();
  const reading = async (route: string, parameters: object) => {
    const answer = await request(route, { ...parameters });
    const { token, repositories } = answer.data as TokenAnswer;
    if (repositories !== undefined) {
      repositoriesOf.set(
        token,
        repositories.map(({ full_name }) => full_name.toLowerCase()),
      );
    }
    return answer;
  };
  const auth = createAppAuth({
    appId,
    createJwt: async () => sign(),
    request: Object.assign(reading, request) as typeof octokitRequest,
    cache: { get: () => undefined as unknown as string, set: () => undefined },
    log: log as never,
  });
  return async ({ installation, repository, permissions }) => {
    const { token, expiresAt } = await auth({
      ...{ type: "installation", installationId: installation, refresh: true, permissions },
      ...(repository === undefined ? {} : { repositoryNames: [repository.split("/")[1] ?? ""] }),
    });
    const covered = repositoriesOf.get(token);
    repositoriesOf.delete(token);
    if (repository !== undefined && covered?.includes(repository.toLowerCase()) === false) {
      // One of the same name, but of the installation's own account.
      const message = `installation ${installation} of the GitHub App has no repository '${repository}'`;
      throw new GithubError(message, { status: 422, code: "github-no-access" });
    }
    return { token, expiresAt: Date.parse(expiresAt) };
  };
}

interface TokenAnswer {
  readonly token: string;
  readonly repositories?: readonly { readonly full_name: string }[];
}
