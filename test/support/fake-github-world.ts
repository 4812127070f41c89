// What a test does at a fake GitHub: installs the App, makes repositories, opens pull requests, sends events.
import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sendDelivery, signBody } from "./fake-github-app-routes.ts";
import type { GithubFault } from "./fake-github-faults.ts";
import { commitFiles, type Files, requireCommit, syncPull, syncPulls } from "./fake-github-git.ts";
import { nextNumber } from "./fake-github-pull-routes.ts";
import { eventPayload, type Json, pullJson } from "./fake-github-shapes.ts";
import {
  ALL_EVENTS,
  ALL_PERMISSIONS,
  type FakeDelivery,
  type FakeInstallation,
  type FakePull,
  type FakeRepository,
  type FakeState,
  type FakeToken,
  type Permissions,
} from "./fake-github-state.ts";
import { git } from "./make-repository.ts";

export interface Place {
  readonly root: string;
  readonly webUrl: string;
}

const RATE_LIMIT = 5000;

export class FakeWorld {
  readonly state: FakeState;
  readonly #place: Place;

  constructor(state: FakeState, place: Place) {
    this.state = state;
    this.#place = place;
  }

  /** The first that fits a request is its answer. */
  get faults(): GithubFault[] {
    return this.state.faults;
  }

  set faults(faults: GithubFault[]) {
    this.state.faults = faults;
  }

  /** Where events go that name no Croft of their own: redeliveries, too. */
  get webhookUrl(): string | undefined {
    return this.state.webhookUrl;
  }

  set webhookUrl(url: string | undefined) {
    this.state.webhookUrl = url;
  }

  get appId(): number {
    return this.state.appId;
  }

  /** PEM; GitHub gives out PKCS#1. */
  get privateKey(): string {
    return String(this.state.keys.privateKey.export({ type: "pkcs1", format: "pem" }));
  }

  get webhookSecret(): string {
    return this.state.webhookSecret;
  }

  get installations(): readonly FakeInstallation[] {
    return this.state.installations;
  }

  get deliveries(): readonly FakeDelivery[] {
    return this.state.deliveries;
  }

  /** Every token that was given out, the expired included. */
  get tokens(): readonly FakeToken[] {
    return this.state.tokens;
  }

  addInstallation({
    id = this.state.nextId(),
    account = `account-${id}`,
    permissions = ALL_PERMISSIONS,
    events = ALL_EVENTS,
  }: {
    id?: number;
    account?: string;
    permissions?: Permissions;
    events?: readonly string[];
  } = {}): FakeInstallation {
    const resetAt = this.state.now() + 3_600_000;
    const installation: FakeInstallation = {
      ...{ id, account, permissions, events, suspended: false },
      rateLimit: { limit: RATE_LIMIT, remaining: RATE_LIMIT, resetAt },
    };
    this.state.installations.push(installation);
    return installation;
  }

  /** `name` of the installation's account, or `owner/name`; with one commit of these files on `main`. */
  async addRepository(
    installation: FakeInstallation | undefined,
    name: string,
    { files = { "README.md": `# ${name}\n` }, isPrivate = true }: AddedRepository = {},
  ): Promise<FakeRepository> {
    const fullName = name.includes("/") ? name : `${installation?.account}/${name}`;
    const [owner = "", short = ""] = fullName.split("/");
    const path = join(this.#place.root, `${fullName}.git`);
    await mkdir(dirname(path), { recursive: true });
    await git(["init", "--quiet", "--bare", "--initial-branch=main", path]);
    await git(["--git-dir", path, "config", "receive.hideRefs", "refs/pull"]);
    const repository: FakeRepository = {
      ...{ id: this.state.nextId(), owner, name: short, fullName, installation, isPrivate },
      ...{ defaultBranch: "main", path, cloneUrl: `${this.#place.webUrl}/${fullName}.git` },
      ...{ pulls: [], comments: [], checkRuns: [] },
    };
    this.state.repositories.push(repository);
    await commitFiles(repository, "main", files, "the first");
    return repository;
  }

  /** One more commit on a branch, as if somebody had pushed it; pull requests of it move on. */
  async push(repository: FakeRepository, branch: string, files: Files): Promise<string> {
    const commit = await commitFiles(repository, branch, files);
    await syncPulls(this.state, repository);
    return commit;
  }

  /** Of a branch with these files; with `fork` the branch is in somebody's public copy. */
  async openPullRequest(
    repository: FakeRepository,
    { head = "topic", base = "main", fork, files, ...rest }: OpenedPull = {},
  ): Promise<FakePull> {
    const from = fork === undefined ? repository : await this.#fork(repository, fork);
    const content = files ?? { [`${head}.txt`]: `of ${head}\n` };
    await commitFiles(from, head, content);
    const pull: FakePull = {
      ...{ id: this.state.nextId(), number: nextNumber(repository), repository, from },
      ...{ head, base, headSha: "", baseSha: "", mergeSha: null, state: "open", draft: false },
      ...{ title: rest.title ?? `Change of ${head}`, body: rest.body ?? null },
      author: fork ?? "author",
    };
    repository.pulls.push(pull);
    await syncPull(pull);
    return pull;
  }

  async #fork(repository: FakeRepository, login: string): Promise<FakeRepository> {
    const known = this.state.repository(`${login}/${repository.name}`);
    if (known !== undefined) return known;
    const copy = await this.addRepository(undefined, `${login}/${repository.name}`, {
      isPrivate: false,
    });
    const main = await requireCommit(repository.path, "refs/heads/main");
    await git(["--git-dir", copy.path, "fetch", "--quiet", repository.path, main]);
    await git(["--git-dir", copy.path, "update-ref", "refs/heads/main", main]);
    return copy;
  }

  /** The body of an event of this repository. */
  payload(repository: FakeRepository, own: Json = {}, sender?: string): Json {
    return eventPayload(repository, this.#place.webUrl, own, sender);
  }

  /** The body of a `pull_request` event; `own` has what it brings besides. */
  pullPayload(pull: FakePull, action: string, own: Json = {}, sender = pull.author): Json {
    const pull_request = pullJson(pull, this.#place.webUrl);
    return this.payload(
      pull.repository,
      { action, number: pull.number, pull_request, ...own },
      sender,
    );
  }

  /** The body of an `issue_comment` event on a pull request. */
  commentPayload(pull: FakePull, body: string, sender = "author"): Json {
    const { number, title, repository, state } = pull;
    const html_url = `${this.#place.webUrl}/${repository.fullName}/pull/${number}`;
    return this.payload(
      repository,
      {
        action: "created",
        issue: { number, title, state, html_url, labels: [], pull_request: { html_url } },
        comment: { id: this.state.nextId(), body, user: { login: sender } },
      },
      sender,
    );
  }

  /** The body of a `push` event. */
  pushPayload(
    repository: FakeRepository,
    { branch, before, after }: { branch: string; before: string; after: string },
  ): Json {
    const head_commit = { id: after, added: [], removed: [], modified: [] };
    const ref = `refs/heads/${branch}`;
    return this.payload(repository, { ref, before, after, head_commit, commits: [head_commit] });
  }

  sign(body: string | Buffer, secret = this.state.webhookSecret): string {
    return signBody(secret, body);
  }

  /**
   * To this Croft (its base address; undefined: to the App's webhook URL), and into the list of deliveries. Undefined when
   * nobody answered.
   */
  async send(
    croftUrl: string | undefined,
    event: string,
    payload: Json,
    { deliveryId: guid = randomUUID(), signature }: SendOptions = {},
  ): Promise<Response | undefined> {
    const url =
      croftUrl === undefined
        ? this.state.webhookUrl
        : new URL("/webhooks/github", croftUrl).toString();
    return await sendDelivery(
      this.state,
      { guid, event, payload, redelivery: false, signature },
      url,
    );
  }

  /** An event that never arrives: only GitHub knows of it. Returns its delivery id. */
  async lose(event: string, payload: Json): Promise<string> {
    const guid = randomUUID();
    await sendDelivery(this.state, { guid, event, payload, redelivery: false }, undefined);
    return guid;
  }

  advance(ms: number): void {
    this.state.advance(ms);
  }

  /** All tokens so far are no longer accepted. */
  revokeTokens(): void {
    for (const token of this.state.tokens) token.isRevoked = true;
  }
}

export interface AddedRepository {
  readonly files?: Files | undefined;
  readonly isPrivate?: boolean | undefined;
}

export interface OpenedPull {
  readonly head?: string;
  readonly base?: string;
  /** Login of who has the fork. */
  readonly fork?: string;
  readonly files?: Files;
  readonly title?: string;
  readonly body?: string;
}

export interface SendOptions {
  readonly deliveryId?: string;
  readonly signature?: string;
}
