// The GitHub App that Croft is: asks GitHub as itself and as its installations, and has tokens for git.
import type { TokenSource } from "@croft/git";
import { request as octokitRequest } from "@octokit/request";
import type { Config } from "../config/config.ts";
import { jwtSigner } from "./app-jwt.ts";
import { gitTokens, PushTokens } from "./git-tokens.ts";
import { type Clock, GithubDoor, REAL_CLOCK } from "./github-door.ts";
import { GithubError } from "./github-error.ts";
import { GithubPauses } from "./github-pauses.ts";
import { type FreshToken, InstallationTokens, type Narrowing } from "./installation-tokens.ts";
import { resetOf } from "./judge-refusal.ts";
import { nextPage } from "./next-page.ts";
import { type TokenAsk, tokenRequest } from "./request-token.ts";
import { type Permissions, permissionsOf } from "./route-permissions.ts";
import { untilAborted } from "./until-aborted.ts";

export interface GithubApp {
  /** Of clone addresses: `github.com`. */
  readonly host: string;
  /** How far GitHub's clock is ahead of ours, as far as is known. */
  readonly skewMs: number;
  /** Of the App's own bot: `croft[bot]`. */
  login(): Promise<string>;
  /** For git, each narrowed to the repository that git asks for, to write only for a push. */
  tokens(installation: number, repository?: string): TokenSource;
  /** REST as the installation, by a token for this repository only and for what the route needs only. */
  ask<T>(request: InstallationRequest): Promise<T>;
  askAsApp<T>(route: string, parameters?: object, signal?: AbortSignal): Promise<T>;
  pageAsApp<T>(route: string, parameters?: object, signal?: AbortSignal): Promise<Page<T>>;
  /** Page after page, as GitHub links them. */
  pagesAsApp<T>(route: string, parameters?: object, signal?: AbortSignal): AsyncGenerator<T>;
  close(): Promise<void>;
}

export interface Page<T> {
  readonly data: T;
  /** What the page after it is asked for with, if there is one. */
  readonly next: Readonly<Record<string, string>> | undefined;
}

export interface InstallationRequest {
  readonly installation: number;
  /** `owner/name`: also the route's `{owner}` and `{repo}`. */
  readonly repository?: string;
  /** As octokit's: `POST /repos/{owner}/{repo}/issues/{issue_number}/comments`. */
  readonly route: string;
  readonly parameters?: object;
  /** For routes that are not in route-permissions.ts. */
  readonly permissions?: Permissions;
  readonly signal?: AbortSignal;
}

export interface GithubAppOptions {
  readonly config: Pick<Config, "github" | "git">;
  readonly version: string;
  readonly clock?: Clock | undefined;
  /** For each request. */
  readonly timeoutMs?: number | undefined;
}

/** Undefined without an App: then nobody can be asked, and git has no tokens of installations. */
export function openGithubApp(options: GithubAppOptions): GithubApp | undefined {
  const { appId, privateKey } = options.config.github;
  if (appId === undefined || privateKey === undefined) return undefined;
  return new OpenGithubApp(options, { appId, privateKey });
}

interface Answer {
  readonly data: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
}

type Ask = (route: string, parameters: object) => Promise<Answer>;

class OpenGithubApp implements GithubApp {
  readonly host: string;
  readonly #door: GithubDoor;
  readonly #pauses: GithubPauses;
  readonly #tokens: InstallationTokens;
  readonly #pushing: PushTokens;
  readonly #sign: ReturnType<typeof jwtSigner>;
  readonly #request: Ask;
  #login: string | undefined;

  constructor(options: GithubAppOptions, app: { appId: number; privateKey: string }) {
    const { config, version, clock = REAL_CLOCK, timeoutMs } = options;
    this.host = new URL(config.github.webUrl).host;
    const { apiUrl } = config.github;
    this.#door = new GithubDoor({ apiUrl, caFile: config.git.caFile, clock, timeoutMs });
    this.#pauses = new GithubPauses(clock);
    this.#sign = jwtSigner(app.appId, app.privateKey);
    const quiet = { debug() {}, info() {}, warn() {}, error() {} }; // octokit's own words may quote requests
    const request = octokitRequest.defaults({
      baseUrl: apiUrl,
      headers: { "user-agent": `croft/${version}`, "x-github-api-version": "2022-11-28" },
      request: { fetch: this.#door.fetch, log: quiet },
    });
    this.#request = async (route, parameters) =>
      await request(route, { ...parameters }).catch(rethrow);
    const requestToken = tokenRequest({
      appId: app.appId,
      sign: () => this.#sign(this.#door.now()),
      request,
      log: quiet,
    });
    this.#tokens = new InstallationTokens(
      (narrowing) => this.#askForToken(narrowing, requestToken),
      () => this.#door.now(),
    );
    this.#pushing = new PushTokens(
      (narrowing, refused) => this.#tokens.provide(narrowing, refused),
      () => this.#door.now(),
    );
  }

  get skewMs(): number {
    return this.#door.skewMs;
  }

  async login(): Promise<string> {
    if (this.#login !== undefined) return this.#login;
    const { slug } = await this.askAsApp<{ slug: string }>("GET /app");
    this.#login = `${slug}[bot]`;
    return this.#login;
  }

  tokens(installation: number, repository?: string): TokenSource {
    return gitTokens({
      ...{ host: this.host, installation, repository },
      provide: (narrowing, refused) => this.#tokens.provide(narrowing, refused),
      pushing: this.#pushing,
    });
  }

  async ask<T>(asked: InstallationRequest): Promise<T> {
    const { installation, repository, route, signal } = asked;
    const permissions = asked.permissions ?? permissionsOf(route);
    const narrowing = { installation, repository, permissions };
    const [owner, repo] = repository?.split("/") ?? [];
    const parameters = {
      ...(repository === undefined ? {} : { owner, repo }),
      ...asked.parameters,
    };
    const by = (token: string) =>
      this.#send(`installation ${installation}`, {
        ...{ route, parameters, signal },
        authorization: () => `token ${token}`,
      });
    const token = await untilAborted(this.#tokens.provide(narrowing), signal);
    try {
      return (await by(token)).data as T;
    } catch (error) {
      if (!isUnauthorized(error)) throw error;
      const fresh = await untilAborted(this.#tokens.provide(narrowing, token), signal);
      return (await by(fresh)).data as T;
    }
  }

  async askAsApp<T>(route: string, parameters: object = {}, signal?: AbortSignal): Promise<T> {
    return (await this.#sendAsApp(route, parameters, signal)).data as T;
  }

  async pageAsApp<T>(
    route: string,
    parameters: object = {},
    signal?: AbortSignal,
  ): Promise<Page<T>> {
    const { data, headers } = await this.#sendAsApp(route, parameters, signal);
    return { data: data as T, next: nextPage(headers["link"]) };
  }

  async *pagesAsApp<T>(
    route: string,
    parameters: object = {},
    signal?: AbortSignal,
  ): AsyncGenerator<T> {
    let further: object | undefined = parameters;
    while (further !== undefined) {
      const { data, next }: Page<T> = await this.pageAsApp<T>(route, further, signal);
      yield data;
      further = next === undefined ? undefined : { ...parameters, ...next };
    }
  }

  async close(): Promise<void> {
    await this.#door.close();
  }

  async #sendAsApp(route: string, parameters: object, signal: AbortSignal | undefined) {
    return await this.#withRightClock(() =>
      this.#send("the App", {
        ...{ route, parameters, signal },
        authorization: () => `bearer ${this.#sign(this.#door.now()).jwt}`,
      }),
    );
  }

  /** GitHub refuses words of the future and of the past: with its own time, said once more. */
  async #withRightClock<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#door.skewMs;
    try {
      return await work();
    } catch (error) {
      if (!isUnauthorized(error) || this.#door.skewMs === before) throw error;
      return await work();
    }
  }

  async #askForToken(narrowing: Narrowing, request: TokenAsk): Promise<FreshToken> {
    return await this.#pauses.pass(`installation ${narrowing.installation}`, undefined, () =>
      this.#withRightClock(() => request(narrowing).catch(rethrow)),
    );
  }

  async #send(
    who: string,
    sending: {
      readonly route: string;
      readonly parameters: object;
      readonly signal: AbortSignal | undefined;
      readonly authorization: () => string;
    },
  ): Promise<Answer> {
    const { route, parameters, signal, authorization } = sending;
    return await this.#pauses.pass(who, signal, async () => {
      const answer = await this.#request(route, {
        ...parameters,
        headers: { authorization: authorization() },
        ...(signal === undefined ? {} : { request: { signal } }),
      });
      const spentMs = resetOf(answer.headers as Record<string, string>, this.#door.now());
      if (spentMs !== undefined) this.#pauses.note(who, spentMs);
      return answer;
    });
  }
}

/** Octokit wraps what the door throws into an error that has the request in it. */
function rethrow(error: unknown): never {
  const { cause } = error as { cause?: unknown };
  throw cause instanceof GithubError ? cause : error;
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof GithubError && error.status === 401;
}
