// What a trigger asks about the pull request of an event: where it is to go, and whose code it is.
import { isCommitId } from "@croft/git";
import { type AskingParts, askAboutEvent } from "./ask-about-event.ts";
import { type GithubEvent, listedPullRequest } from "./github-event.ts";
import { objectAt, textAt, valueAt } from "./payload-parts.ts";

export interface PullRequestFacts {
  /** The branch that it is to go into; undefined where nobody could tell. */
  readonly base: string | undefined;
  /** Also when nobody could tell, and when the fork is gone: whose code it is decides what it is trusted with. */
  readonly isFork: boolean;
  /** Its newest commit: when the event happened, or else now. */
  readonly head: string | undefined;
}

/** From the payload; of a comment on a pull request GitHub is asked, which says of it only that it is one. */
export async function pullRequestFacts(
  parts: AskingParts,
  event: GithubEvent,
  signal: AbortSignal,
): Promise<PullRequestFacts> {
  const { payload, pullRequest } = event;
  const told = objectAt(payload, "pull_request") ?? listedPullRequest(payload);
  if (told !== undefined && objectAt(told, "base") !== undefined) return factsIn(told);
  const route = "GET /repos/{owner}/{repo}/pulls/{pull_number}";
  return factsIn(await askAboutEvent(parts, event, { route, pull_number: pullRequest, signal }));
}

/** Of one that nobody could tell of: nothing, so it is taken for a fork's. */
function factsIn(pull: unknown): PullRequestFacts {
  const head = valueAt(pull, "head", "repo", "id");
  const base = valueAt(pull, "base", "repo", "id");
  const sha = textAt(pull, "head", "sha");
  return {
    base: textAt(pull, "base", "ref"),
    isFork: head === undefined || head !== base,
    head: sha !== undefined && isCommitId(sha) ? sha : undefined,
  };
}
