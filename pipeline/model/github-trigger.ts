// Which events of GitHub start something, and how: as pipelines say it, and croft.config.ts.
import { globFault } from "../check/plain-rules.ts";
import { EVENT_NAME_PATTERN, EVENT_NAME_RULE } from "../format/github-fields.ts";

export interface GithubTrigger {
  /** `push`, or with an action `issues.labeled`. */
  readonly events: readonly string[];
  /** Globs of `owner/name`; all without. */
  readonly repositories: readonly string[];
  readonly branches: readonly string[];
  readonly paths: readonly string[];
  readonly pathsIgnore: readonly string[];
  readonly labels: readonly string[];
  readonly senders: readonly string[];
  readonly command?: string;
  readonly anyone: boolean;
  readonly drafts: boolean;
  readonly ignoreBots: boolean;
  readonly forks: "untrusted" | "trusted";
  readonly supersede: boolean;
  readonly priority?: "background" | "normal" | "interactive";
  /** May have expressions in it. */
  readonly key?: string;
}

export interface TriggerFault {
  readonly member: keyof GithubTrigger;
  /** Of a list. */
  readonly index?: number;
  readonly message: string;
}

const COMMENTS = ["issue_comment", "pull_request_review_comment"];
const PULL_REQUESTS = [
  ...["pull_request", "pull_request_review", "pull_request_review_comment"],
  ...["pull_request_review_thread", "pull_request_target", "issue_comment"],
  ...["check_run", "check_suite", "workflow_run"],
];
const BRANCHES = [...PULL_REQUESTS, "push", "create", "delete"];
const LABELLED = [...PULL_REQUESTS.slice(0, 6), "issues"];
const LIST_MAX = 100;
const COMMAND_PATTERN = /^[/@!]?[\w.-]+( [\w.-]+){0,4}$/;
const GLOB_LENGTH_MAX = 256;

/** What cannot be meant. */
export function triggerFaults(trigger: GithubTrigger): readonly TriggerFault[] {
  const { events, command } = trigger;
  const faults: TriggerFault[] = [];
  if (events.length === 0) faults.push({ member: "events", message: "names no event" });
  events.forEach((name, index) => {
    if (!EVENT_NAME_PATTERN.test(name))
      faults.push({
        member: "events",
        index,
        message: `'${name.slice(0, 60)}': ${EVENT_NAME_RULE}`,
      });
  });
  for (const member of ["repositories", "branches", "paths", "pathsIgnore"] as const) {
    trigger[member].forEach((glob, index) => {
      const fault = filterFault(glob);
      if (fault !== undefined)
        faults.push({ member, index, message: `'${glob.slice(0, 60)}' ${fault}` });
    });
  }
  for (const member of [...LISTS, "events"] as const) {
    if (trigger[member].length > LIST_MAX)
      faults.push({ member, message: `has too many: at most ${LIST_MAX}` });
  }
  if (command !== undefined && (command.length > 100 || !COMMAND_PATTERN.test(command)))
    faults.push({ member: "command", message: "is no command: one to five words, as /review" });
  if (trigger.anyone && command === undefined)
    faults.push({ member: "anyone", message: "is only for a command" });
  return [...faults, ...misplaced(trigger)];
}

const LISTS = [
  ...(["repositories", "branches", "paths", "pathsIgnore", "labels", "senders"] as const),
] as const;

/** What an event does not have cannot be asked for. */
function misplaced(trigger: GithubTrigger): TriggerFault[] {
  const { branches, paths, pathsIgnore, labels, command, drafts, supersede, forks } = trigger;
  const asked: readonly (readonly [keyof GithubTrigger, boolean, readonly string[], string])[] = [
    ["branches", branches.length > 0, BRANCHES, "no branch"],
    ["paths", paths.length > 0, ["push", ...PULL_REQUESTS], "no changed files"],
    ["pathsIgnore", pathsIgnore.length > 0, ["push", ...PULL_REQUESTS], "no changed files"],
    ["labels", labels.length > 0, LABELLED, "no labels"],
    ["command", command !== undefined, COMMENTS, "no comment that was written"],
    ["drafts", !drafts, PULL_REQUESTS, "no pull request"],
    ["supersede", supersede, PULL_REQUESTS, "no pull request"],
    ["forks", forks === "trusted", PULL_REQUESTS, "no pull request"],
  ];
  return asked.flatMap(([member, isAsked, known, lack]) => {
    if (!isAsked) return [];
    const without = trigger.events.find((event) => !isOne(event, known, member === "command"));
    return without === undefined ? [] : [{ member, message: `'${without}' has ${lack}` }];
  });
}

function isOne(event: string, known: readonly string[], isCreation: boolean): boolean {
  const [name = "", action] = event.split(".");
  return known.includes(name) && (!isCreation || action === undefined || action === "created");
}

/** In the language of the filters of watches, which no name can keep busy. */
function filterFault(glob: string): string | undefined {
  if (glob.startsWith("!")) return "begins with '!', which is not possible here";
  if (glob.length > GLOB_LENGTH_MAX) return `is too long: at most ${GLOB_LENGTH_MAX} characters`;
  if (/[?*+@!]\(/.test(glob)) return "has a group in parentheses: use {a,b}";
  if (glob.endsWith("/")) return "ends with '/': add '**' for all below";
  return globFault(glob);
}
