// Tokens of installations: as narrow as their use, never near their end, and one request for them at a time.
import { GithubError } from "./github-error.ts";
import type { Permissions } from "./route-permissions.ts";

export interface Narrowing {
  readonly installation: number;
  /** `owner/name`; undefined for what concerns no repository. */
  readonly repository: string | undefined;
  readonly permissions: Permissions;
}

/** Asks GitHub for a new one. */
export type TokenRequest = (narrowing: Narrowing) => Promise<FreshToken>;

export interface FreshToken {
  readonly token: string;
  /** By GitHub's clock. */
  readonly expiresAt: number;
}

/** What is begun with a token must end before the token does. */
const LEFT_MS_MIN = 10 * 60_000;
const KEPT_MAX = 1000;

export class InstallationTokens {
  readonly #request: TokenRequest;
  readonly #now: () => number;
  readonly #kept = new Map<string, FreshToken>();
  readonly #asking = new Map<string, Promise<FreshToken>>();
  /** The last that was asked for, of each installation. */
  readonly #turns = new Map<number, Promise<unknown>>();

  /** `now` by GitHub's clock. */
  constructor(request: TokenRequest, now: () => number) {
    this.#request = request;
    this.#now = now;
  }

  /** `refused` is one that GitHub did not take: it is not given again. */
  async provide(narrowing: Narrowing, refused?: string | undefined): Promise<string> {
    const name = nameOf(narrowing);
    const kept = this.#kept.get(name);
    const isGood = kept !== undefined && kept.expiresAt - this.#now() >= LEFT_MS_MIN;
    if (isGood && kept.token !== refused) return kept.token;
    const asking = this.#asking.get(name);
    if (asking !== undefined) return (await asking).token;
    this.#kept.delete(name);
    const request = this.#ask(name, narrowing);
    this.#asking.set(name, request);
    try {
      return (await request).token;
    } finally {
      this.#asking.delete(name);
    }
  }

  async #ask(name: string, narrowing: Narrowing): Promise<FreshToken> {
    const fresh = await this.#inTurn(narrowing).catch((error: unknown) => {
      throw explained(error, narrowing);
    });
    this.#kept.set(name, fresh);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_MAX && oldest !== undefined) this.#kept.delete(oldest);
    return fresh;
  }

  /** Of one installation one after the other, whatever they are for; of different ones beside each other. */
  async #inTurn(narrowing: Narrowing): Promise<FreshToken> {
    const { installation } = narrowing;
    const before = this.#turns.get(installation) ?? Promise.resolve();
    const turn = before.then(() => this.#request(narrowing));
    const ended = turn.then(
      () => {},
      () => {}, // whoever asked is told
    );
    this.#turns.set(installation, ended);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(installation) === ended) this.#turns.delete(installation);
    }
  }
}

function nameOf({ installation, repository = "", permissions }: Narrowing): string {
  const wanted = Object.entries(permissions).sort();
  return JSON.stringify([installation, repository.toLowerCase(), wanted]);
}

/** GitHub's words say which request was refused; these say who must do what. */
function explained(error: unknown, { installation, repository, permissions }: Narrowing): unknown {
  if (!(error instanceof GithubError)) return error;
  const { status } = error;
  if (status !== 403 && status !== 404 && status !== 422) return error;
  if (error.isRateLimit) return error;
  const wanted = Object.entries(permissions).map(([name, level]) => `${name}: ${level}`);
  const message =
    status === 404
      ? `the GitHub App has no installation ${installation} (any more)`
      : status === 403
        ? `installation ${installation} of the GitHub App gives no token: ${error.message}`
        : `installation ${installation} of the GitHub App may not use ${repository === undefined ? "its repositories" : `'${repository}'`} with ${wanted.join(", ")}: add the repository to the installation, or accept the permissions there`;
  return new GithubError(message, { status, code: "github-no-access" });
}
