// The JSON that a fake GitHub shows for its things, in answers and in events: as GitHub's, without what nobody reads.
import type {
  FakeCheckRun,
  FakeComment,
  FakeDelivery,
  FakeInstallation,
  FakePull,
  FakeRepository,
  FakeState,
} from "./fake-github-state.ts";

export type Json = Readonly<Record<string, unknown>>;

export function userJson(login: string): Json {
  const type = login.endsWith("[bot]") ? "Bot" : "User";
  return {
    login,
    id: [...login].reduce((sum, sign) => sum * 31 + sign.charCodeAt(0), 7) % 1e9,
    type,
  };
}

export function repositoryJson(repository: FakeRepository, webUrl: string): Json {
  const { id, name, fullName, owner, isPrivate, cloneUrl, defaultBranch } = repository;
  return {
    ...{ id, name, full_name: fullName, private: isPrivate, owner: userJson(owner) },
    ...{ clone_url: cloneUrl, default_branch: defaultBranch, fork: false, archived: false },
    html_url: `${webUrl}/${fullName}`,
  };
}

export function installationJson(state: FakeState, installation: FakeInstallation): Json {
  const { id, account, permissions, events, suspended } = installation;
  return {
    ...{ id, account: { ...userJson(account), type: "Organization" }, permissions, events },
    ...{ app_id: state.appId, app_slug: state.slug, target_type: "Organization" },
    repository_selection: "selected",
    suspended_at: suspended ? new Date(state.now()).toISOString() : null,
  };
}

export function pullJson(pull: FakePull, webUrl: string): Json {
  const { id, number, repository, from, title, body, state, draft } = pull;
  const side = (of: FakeRepository, ref: string, sha: string) => ({
    ...{ ref, sha, label: `${of.owner}:${ref}`, user: userJson(of.owner) },
    repo: repositoryJson(of, webUrl),
  });
  return {
    ...{ id, number, title, body, state, draft, merged: false, labels: [] },
    ...{ user: userJson(pull.author), mergeable: pull.mergeSha !== null },
    ...{ merge_commit_sha: pull.mergeSha, html_url: pullUrl(repository, number, webUrl) },
    head: side(from, pull.head, pull.headSha),
    base: side(repository, pull.base, pull.baseSha),
  };
}

function pullUrl({ fullName }: FakeRepository, number: number, webUrl: string): string {
  return `${webUrl}/${fullName}/pull/${number}`;
}

export function commentJson(
  comment: FakeComment,
  repository: FakeRepository,
  webUrl: string,
): Json {
  const { id, number, body, author } = comment;
  return {
    ...{ id, body, user: userJson(author) },
    html_url: `${pullUrl(repository, number, webUrl)}#issuecomment-${id}`,
    performed_via_github_app: author.endsWith("[bot]") ? { slug: author.slice(0, -5) } : null,
  };
}

export function checkRunJson(run: FakeCheckRun, state: FakeState): Json {
  const { id, name, headSha, externalId, status, conclusion, detailsUrl, output } = run;
  return {
    ...{ id, name, head_sha: headSha, external_id: externalId, status, conclusion },
    ...{ details_url: detailsUrl, app: { id: state.appId, slug: state.slug } },
    output: { ...output, annotations_count: run.annotations.length },
  };
}

export function deliveryJson(delivery: FakeDelivery): Json {
  const { id, guid, event, payload, deliveredAt, redelivery, statusCode } = delivery;
  const { installation, repository } = payload as {
    installation?: { id: number };
    repository?: { id: number };
  };
  return {
    ...{ id, guid, event, redelivery, status_code: statusCode, duration: 0.1 },
    delivered_at: new Date(deliveredAt).toISOString(),
    status: statusCode === 0 ? "timed out" : statusCode < 300 ? "OK" : "Invalid HTTP Response",
    action: (payload["action"] as string | undefined) ?? null,
    installation_id: installation?.id ?? null,
    repository_id: repository?.id ?? null,
  };
}

/** An event's body: what is common to all, and what the event has of its own. */
export function eventPayload(
  repository: FakeRepository,
  webUrl: string,
  own: Json,
  sender = "author",
): Json {
  const { installation } = repository;
  return {
    ...own,
    repository: repositoryJson(repository, webUrl),
    sender: userJson(sender),
    ...(installation === undefined ? {} : { installation: { id: installation.id } }),
  };
}
