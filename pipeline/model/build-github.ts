// Triggers by events of GitHub, from what a pipeline says of them.
import { listOf } from "../check/list.ts";
import type { GithubFields } from "../format/github-fields.ts";
import { defined } from "./defined.ts";
import type { GithubTrigger } from "./github-trigger.ts";

export function buildGithub(fields: GithubFields): GithubTrigger {
  const said = typeof fields === "string" ? { event: fields } : fields;
  return defined({
    events: listOf(said.event),
    repositories: listOf(said.repositories),
    branches: listOf(said.branches),
    paths: listOf(said.paths),
    pathsIgnore: listOf(said["paths-ignore"]),
    labels: listOf(said.labels),
    senders: listOf(said.senders),
    command: said.command,
    anyone: said.anyone ?? false,
    drafts: said.drafts ?? true,
    ignoreBots: said["ignore-bots"] ?? false,
    forks: said.forks ?? ("untrusted" as const),
    supersede: said.supersede ?? false,
    priority: said.priority,
    key: said.key,
  });
}
