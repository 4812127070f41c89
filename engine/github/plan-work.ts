// What an event of GitHub starts: which triggers match it, and the work that each of them asks for.
import { changedPaths } from "./changed-paths.ts";
import { type FoundTrigger, findTriggers } from "./find-triggers.ts";
import type { GithubEvent } from "./github-event.ts";
import type { GithubParts } from "./github-parts.ts";
import {
  branchOf,
  isOwnDoing,
  matchesBranch,
  matchesPaths,
  matchesPayload,
} from "./match-trigger.ts";
import { textAt } from "./payload-parts.ts";
import { planJob } from "./plan-job.ts";
import type { PlannedWork } from "./planned-work.ts";
import { type PullRequestFacts, pullRequestFacts } from "./pull-request-facts.ts";

export type { GithubParts } from "./github-parts.ts";
export type { PlannedWork, StartedEffect } from "./planned-work.ts";
export { startPlanned } from "./start-planned.ts";

/** Outside of any transaction; may ask GitHub (changed paths of a pull request) and check inputs; throws to be tried again. */
export async function planWork(
  parts: GithubParts,
  event: GithubEvent,
  signal: AbortSignal,
): Promise<readonly PlannedWork[]> {
  if (event.installation === undefined) return [];
  const found = await findTriggers(parts, event);
  const matching = found.filter(({ trigger }) => matchesPayload(trigger, event));
  if (matching.length === 0 || (await isOwn(parts, event))) return [];
  const stranger = strangerIn(event, parts.config.github.accounts);
  if (stranger !== undefined) return matching.map((each) => refusalOf(each, stranger));
  const questions = new Questions(parts, event, signal);
  const planned = new Map<string, PlannedWork>();
  for (const each of matching) {
    if (planned.has(each.name)) continue; // a pipeline runs once, by the first that matches
    if (await isMeant(each, event, questions)) {
      planned.set(each.name, await plannedOf(parts, each, event, questions));
    }
  }
  return [...planned.values()];
}

/** Whoever finds a public App can install it. */
function strangerIn({ payload }: GithubEvent, accounts: readonly string[]): string | undefined {
  if (accounts.length === 0) return undefined;
  const account =
    textAt(payload, "installation", "account", "login") ??
    textAt(payload, "repository", "owner", "login") ??
    "?";
  return accounts.includes(account.toLowerCase()) ? undefined : account;
}

function refusalOf({ name, trigger }: FoundTrigger, account: string): PlannedWork {
  const problem = `'${account}' is not among the accounts whose events start something (github.accounts)`;
  return {
    ...{ trigger: name, supersede: false, priority: "normal", key: trigger.key },
    work: { kind: "problem", problem },
  };
}

async function isMeant(
  { trigger }: FoundTrigger,
  event: GithubEvent,
  questions: Questions,
): Promise<boolean> {
  if (trigger.branches.length > 0 && !(await isOnBranch(trigger, event, questions))) return false;
  const hasPaths = trigger.paths.length > 0 || trigger.pathsIgnore.length > 0;
  return !hasPaths || matchesPaths(trigger, await questions.paths());
}

/** What nobody can tell counts as the right one: rather too often than never. */
async function isOnBranch(
  trigger: FoundTrigger["trigger"],
  event: GithubEvent,
  questions: Questions,
): Promise<boolean> {
  if (event.pullRequest === undefined) return matchesBranch(trigger, branchOf(event));
  const { base } = await questions.pullRequest();
  return base === undefined || matchesBranch(trigger, base);
}

async function plannedOf(
  parts: GithubParts,
  { name, trigger, work }: FoundTrigger,
  event: GithubEvent,
  questions: Questions,
): Promise<PlannedWork> {
  const usual = trigger.command === undefined ? "normal" : "interactive";
  const planned = {
    ...{ trigger: name, supersede: trigger.supersede, key: trigger.key },
    priority: trigger.priority ?? usual,
  };
  if (work.kind === "problem") return { ...planned, work };
  if (work.kind === "job") {
    return { ...planned, work: await planJob(parts, event, { ...planned, ...work }) };
  }
  if (event.pullRequest === undefined) {
    return { ...planned, work: { ...work, withholdsSecrets: false, head: undefined } };
  }
  const { isFork, head } = await questions.pullRequest();
  const withholdsSecrets = isFork && trigger.forks === "untrusted";
  return { ...planned, work: { ...work, withholdsSecrets, head } };
}

async function isOwn({ github, config }: GithubParts, event: GithubEvent): Promise<boolean> {
  const isBot = event.sender?.type === "Bot";
  const login = isBot ? await github?.login() : undefined;
  const { appId } = config.github;
  return isOwnDoing(event, { login, appId: appId === undefined ? undefined : Number(appId) });
}

/** What GitHub is asked about one event: once, and only if somebody wants to know. */
class Questions {
  readonly #parts: GithubParts;
  readonly #event: GithubEvent;
  readonly #signal: AbortSignal;
  #paths: Promise<readonly string[] | undefined> | undefined;
  #pullRequest: Promise<PullRequestFacts> | undefined;

  constructor(parts: GithubParts, event: GithubEvent, signal: AbortSignal) {
    this.#parts = parts;
    this.#event = event;
    this.#signal = signal;
  }

  paths(): Promise<readonly string[] | undefined> {
    this.#paths ??= changedPaths(this.#parts, this.#event, this.#signal);
    return this.#paths;
  }

  pullRequest(): Promise<PullRequestFacts> {
    this.#pullRequest ??= pullRequestFacts(this.#parts, this.#event, this.#signal);
    return this.#pullRequest;
  }
}
