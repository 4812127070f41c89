// Events of GitHub that start a pipeline: they have what is asked of them, and their names are known.
import type { GithubFields } from "../format/github-fields.ts";
import { buildGithub } from "../model/build-github.ts";
import { triggerFaults } from "../model/github-trigger.ts";
import { didYouMean } from "../nearest-name.ts";
import type { Path } from "../problem.ts";
import type { Findings } from "./findings.ts";
import { listOf } from "./list.ts";

const KEYS: Readonly<Record<string, string>> = {
  events: "event",
  pathsIgnore: "paths-ignore",
  ignoreBots: "ignore-bots",
};

export function checkGithub(
  github: GithubFields | readonly GithubFields[],
  findings: Findings,
): void {
  listOf(github).forEach((fields, nth) => {
    const path: Path = ["on", "github", ...(Array.isArray(github) ? [nth] : [])];
    const trigger = buildGithub(fields);
    for (const { member, index, message } of triggerFaults(trigger)) {
      if (typeof fields === "string") findings.problem(path, message);
      else findings.problem([...path, ...placeOf(fields, member, index)], message);
    }
    trigger.events.forEach((event, index) => {
      const [name = ""] = event.split(".");
      if (EVENTS.includes(name)) return;
      const place = typeof fields === "string" ? [] : placeOf(fields, "events", index);
      const message = `'${name}' is no event of GitHub that Croft knows`;
      findings.warning([...path, ...place], message, didYouMean(name, EVENTS));
    });
  });
}

function placeOf(
  fields: Exclude<GithubFields, string>,
  member: string,
  index: number | undefined,
): Path {
  const key = KEYS[member] ?? member;
  const isList = Array.isArray(fields[key as keyof typeof fields]);
  return index === undefined || !isList ? [key] : [key, index];
}

/** There may be more some day: another name is only warned of. */
const EVENTS: readonly string[] = [
  ...["branch_protection_rule", "check_run", "check_suite", "code_scanning_alert"],
  ...["commit_comment", "create", "delete", "dependabot_alert", "deploy_key", "deployment"],
  ...["deployment_review", "deployment_status", "discussion", "discussion_comment", "fork"],
  ...["github_app_authorization", "gollum", "installation", "installation_repositories"],
  ...["issue_comment", "issues", "label", "marketplace_purchase", "member", "membership"],
  ...["merge_group", "meta", "milestone", "organization", "org_block", "package", "page_build"],
  ...["ping", "project", "project_card", "project_column", "projects_v2_item", "public"],
  ...["pull_request", "pull_request_review", "pull_request_review_comment"],
  ...["pull_request_review_thread", "push", "registry_package", "release", "repository"],
  ...["repository_dispatch", "repository_import", "repository_vulnerability_alert"],
  ...["secret_scanning_alert", "security_advisory", "sponsorship", "star", "status", "team"],
  ...["team_add", "watch", "workflow_dispatch", "workflow_job", "workflow_run"],
];
