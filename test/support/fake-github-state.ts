// What a fake GitHub knows: its App, installations, repositories, pull requests, comments, check runs and deliveries.
import { generateKeyPairSync, randomBytes } from "node:crypto";
import type { GithubFault } from "./fake-github-faults.ts";

export type Permissions = Readonly<Record<string, "read" | "write">>;

export interface FakeInstallation {
  readonly id: number;
  readonly account: string;
  permissions: Permissions;
  events: readonly string[];
  suspended: boolean;
  /** Requests that its tokens may still make; `resetAt` is a time of the fake's clock. */
  rateLimit: { limit: number; remaining: number; resetAt: number };
}

export interface FakeRepository {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  readonly fullName: string;
  /** Of the installation that has it; a fork may have none. */
  readonly installation: FakeInstallation | undefined;
  readonly isPrivate: boolean;
  readonly defaultBranch: string;
  /** The bare repository. */
  readonly path: string;
  readonly cloneUrl: string;
  readonly pulls: FakePull[];
  readonly comments: FakeComment[];
  readonly checkRuns: FakeCheckRun[];
}

export interface FakePull {
  readonly id: number;
  readonly number: number;
  readonly repository: FakeRepository;
  /** Where its branch is: another repository for a fork. */
  readonly from: FakeRepository;
  readonly head: string;
  base: string;
  headSha: string;
  baseSha: string;
  /** Null when the two cannot be merged. */
  mergeSha: string | null;
  title: string;
  body: string | null;
  state: "open" | "closed";
  draft: boolean;
  readonly author: string;
}

export interface FakeComment {
  readonly id: number;
  readonly number: number;
  body: string;
  readonly author: string;
  edits: number;
}

export interface FakeCheckRun {
  readonly id: number;
  readonly headSha: string;
  name: string;
  externalId: string | null;
  status: string;
  conclusion: string | null;
  detailsUrl: string | null;
  output: { title: string | null; summary: string | null; text: string | null };
  readonly annotations: Readonly<Record<string, unknown>>[];
  /** Every change so far, the first included: `queued`, `in_progress`, `completed/success`. */
  readonly history: string[];
}

export interface FakeDelivery {
  readonly id: number;
  readonly guid: string;
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly deliveredAt: number;
  readonly redelivery: boolean;
  /** 0 when nobody answered. */
  readonly statusCode: number;
}

export interface FakeToken {
  readonly token: string;
  readonly installation: FakeInstallation;
  /** Undefined: all of the installation. */
  readonly repositories: readonly FakeRepository[] | undefined;
  readonly permissions: Permissions;
  readonly expiresAt: number;
  isRevoked: boolean;
}

/** What all Apps of Croft are told to ask for. */
export const ALL_PERMISSIONS: Permissions = {
  metadata: "read",
  contents: "write",
  pull_requests: "write",
  issues: "write",
  checks: "write",
};
export const ALL_EVENTS = [
  ...["push", "pull_request", "pull_request_review", "pull_request_review_comment"],
  ...["issue_comment", "issues", "check_run", "check_suite"],
];

export class FakeState {
  readonly appId = 4711;
  readonly slug: string = "croft";
  readonly webhookSecret = `whsec-${randomBytes(18).toString("hex")}`;
  readonly keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  readonly installations: FakeInstallation[] = [];
  readonly repositories: FakeRepository[] = [];
  readonly deliveries: FakeDelivery[] = [];
  readonly tokens: FakeToken[] = [];
  /** The first that fits a request is its answer. */
  faults: GithubFault[] = [];
  /** Of the App itself. */
  permissions: Permissions = ALL_PERMISSIONS;
  events: readonly string[] = ALL_EVENTS;
  /** Where events go. */
  webhookUrl: string | undefined;
  #lastId = 1000;
  readonly #now: () => number;
  #aheadMs = 0;
  readonly #pending = new Set<Promise<unknown>>();

  constructor(now: () => number) {
    this.#now = now;
  }

  now(): number {
    return this.#now() + this.#aheadMs;
  }

  advance(ms: number): void {
    this.#aheadMs += ms;
  }

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** What goes on after an answer was given; `settled` waits for it. */
  inBackground(work: Promise<unknown>): void {
    this.#pending.add(work);
    void work.finally(() => this.#pending.delete(work));
  }

  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  repository(fullName: string): FakeRepository | undefined {
    const wanted = fullName.toLowerCase(); // as GitHub: the case does not matter
    return this.repositories.find((known) => known.fullName.toLowerCase() === wanted);
  }
}
