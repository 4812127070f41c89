// Whether an event is one that a trigger names, as far as its payload tells.
import { PathFilters } from "@croft/git";
import type { GithubTrigger } from "@croft/pipeline";
import type { GithubEvent } from "./github-event.ts";
import { listAt, objectAt, textAt, valueAt } from "./payload-parts.ts";

/** Whom GitHub names so belongs to the repository or its organization; a member or collaborator may have no more than read access. */
const INSIDERS = ["OWNER", "MEMBER", "COLLABORATOR"];

/** All but branch and paths, for which GitHub may have to be asked. */
export function matchesPayload(trigger: GithubTrigger, event: GithubEvent): boolean {
  const { sender, payload } = event;
  return (
    !isDeletion(event) &&
    trigger.events.some((name) => isNamed(name, event)) &&
    matchesRepository(trigger, event) &&
    (trigger.senders.length === 0 || isAmong(sender?.login, trigger.senders)) &&
    !(trigger.ignoreBots && sender?.type === "Bot") &&
    (trigger.drafts || !isDraft(payload)) &&
    (trigger.labels.length === 0 ||
      labelsOf(event).some((each) => isAmong(each, trigger.labels))) &&
    matchesCommand(trigger, event)
  );
}

export function matchesBranch({ branches }: GithubTrigger, branch: string | undefined): boolean {
  if (branches.length === 0) return true;
  return branch !== undefined && isSelected(branches, branch);
}

export function matchesPaths(
  { paths, pathsIgnore }: GithubTrigger,
  changed: readonly string[] | undefined,
): boolean {
  if (changed === undefined) return true; // nobody knows: rather too often than never
  const filters = new PathFilters({ include: paths, exclude: pathsIgnore });
  return changed.some((path) => filters.selects(Buffer.from(path)));
}

/** As far as the payload tells; of pull requests it is the base that counts, which `pullRequestFacts` knows. */
export function branchOf({ name, payload }: GithubEvent): string | undefined {
  const ref = textAt(payload, "ref");
  if (name === "push") return ref?.startsWith("refs/heads/") ? ref.slice(11) : undefined;
  if (name === "create" || name === "delete") {
    return textAt(payload, "ref_type") === "branch" ? ref : undefined;
  }
  if (name === "merge_group") {
    return textAt(payload, "merge_group", "base_ref")?.replace("refs/heads/", "");
  }
  return (
    textAt(payload, "check_suite", "head_branch") ??
    textAt(payload, "check_run", "check_suite", "head_branch") ??
    textAt(payload, "workflow_run", "head_branch")
  );
}

/** Done by the App's own bot, or by way of it on somebody's behalf: that would go on for ever. */
export function isOwnDoing(
  event: GithubEvent,
  own: { readonly login: string | undefined; readonly appId: number | undefined },
): boolean {
  const { sender, payload, action } = event;
  if (own.login !== undefined && isAmong(sender?.login, [own.login])) return true;
  if (own.appId !== undefined && isOwnCheck(event, own.appId)) return true;
  if (own.appId === undefined || !["created", "opened", "submitted"].includes(action ?? "")) {
    return false;
  }
  return ["comment", "issue", "pull_request", "review"].some(
    (what) => valueAt(payload, what, "performed_via_github_app", "id") === own.appId && isNew(what),
  );

  /** An old issue of ours may get a new comment of others. */
  function isNew(what: string): boolean {
    return what === "comment" || what === "review" || objectAt(payload, "comment") === undefined;
  }
}

/** Sent in the name of whoever pushed. That somebody asks for one again is not the App's doing. */
function isOwnCheck({ name, action, payload }: GithubEvent, appId: number): boolean {
  const told = { check_run: ["created", "completed"], check_suite: ["completed"] };
  if (name !== "check_run" && name !== "check_suite") return false;
  return told[name].includes(action ?? "") && valueAt(payload, name, "app", "id") === appId;
}

/** Of a branch or tag: there is nothing left to run at. That it was deleted is told by `delete`, too. */
function isDeletion({ name, payload }: GithubEvent): boolean {
  return name === "push" && payload["deleted"] === true;
}

function isNamed(name: string, event: GithubEvent): boolean {
  const [first, action] = name.split(".");
  if (first !== event.name) return false;
  return action === undefined ? !isGroupGone(event) : action === event.action;
}

/** Whoever wants to merge waits for `checks_requested`; that the queue has let go of it must be asked for by its name. */
function isGroupGone({ name, action }: GithubEvent): boolean {
  return name === "merge_group" && action === "destroyed";
}

function matchesRepository({ repositories }: GithubTrigger, { repository }: GithubEvent): boolean {
  if (repositories.length === 0) return true;
  if (repository === undefined) return false;
  const globs = repositories.map((glob) => glob.toLowerCase());
  return isSelected(globs, repository.fullName.toLowerCase());
}

function isSelected(globs: readonly string[], name: string): boolean {
  return new PathFilters({ include: globs }).selects(Buffer.from(name));
}

function isDraft(payload: GithubEvent["payload"]): boolean {
  return (
    valueAt(payload, "pull_request", "draft") === true ||
    valueAt(payload, "issue", "draft") === true
  );
}

/** Of `labeled` and `unlabeled` the one that it is about; of all others those that are there. */
function labelsOf({ action, payload }: GithubEvent): readonly string[] {
  if (action === "labeled" || action === "unlabeled") {
    const label = textAt(payload, "label", "name");
    return label === undefined ? [] : [label];
  }
  const listed = [
    ...listAt(payload, "pull_request", "labels"),
    ...listAt(payload, "issue", "labels"),
  ];
  return listed.flatMap((label) => textAt(label, "name") ?? []);
}

/** The first words of a line; what is quoted from others begins with '>'. */
function matchesCommand(
  { command, anyone }: GithubTrigger,
  { action, payload }: GithubEvent,
): boolean {
  if (command === undefined) return true;
  if (action !== "created") return false;
  const association = textAt(payload, "comment", "author_association") ?? "NONE";
  if (!anyone && !INSIDERS.includes(association)) return false;
  const lines = (textAt(payload, "comment", "body") ?? "").split(/\r?\n/);
  return lines.some((line) => {
    const said = line.trim();
    return said === command || (said.startsWith(command) && /^\s/.test(said.slice(command.length)));
  });
}

/** GitHub's names differ by more than case. */
function isAmong(name: string | undefined, names: readonly string[]): boolean {
  return names.some((each) => each.toLowerCase() === name?.toLowerCase());
}
