// What steps show at GitHub: a comment, and the pull request of a branch that was published.
import { type CommentStep, evaluateText, type PublishStep, refFault } from "@croft/pipeline";
import { factsOf, type Payload } from "../github/github-event.ts";
import { attemptWriter } from "../github/results/attempt-writer.ts";
import { asGithubFailure } from "../github/results/github-failure.ts";
import { putComment } from "../github/results/put-comment.ts";
import { putPullRequest } from "../github/results/put-pull-request.ts";
import type { ResultPlace } from "../github/results/result-record.ts";
import { fullNameOf, type Target, targetOf } from "../github/results/result-target.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import { requireGood } from "./step-files.ts";
import type { StepResult } from "./step-result.ts";
import type { StepScene } from "./step-scene.ts";

const NUMBER_MAX = 2 ** 31 - 1;

export async function commentStep(
  scene: StepScene & { readonly step: CommentStep },
): Promise<StepResult> {
  const { parts, run, step, context, attempt, signal } = scene;
  const about = aboutEvent(run.event);
  const target = targetOf(parts.github, run.owner, about.repository);
  const given = step.on === undefined ? undefined : evaluateText(step.on, context);
  const number = given === undefined ? about.number : numberOf(given);
  if (number === undefined) {
    const message = "the event is about no issue or pull request: say which one with 'on'";
    throw new JobFailure("invalid", "no-number", message);
  }
  const body = evaluateText(step.body, context);
  const place: ResultPlace = {
    of: step.per === "run" ? { runId: run.id } : { pullRequest: number },
    ...{ kind: "comment", name: evaluateText(step.title, context) },
    ...{ owner: run.owner, repository: target.repository },
  };
  const writer = attemptWriter(attempt, signal);
  const { database, log } = parts;
  const { id, url } = await putComment({ database, log, target, writer }, place, {
    number,
    body,
  }).catch(rethrown);
  attempt.log(`comment ${url}\n`);
  return { outputs: { id: String(id), url } };
}

/** What is wrong is told before anything is published; what it returns opens the pull request of the branch. */
export function planPullRequest(
  scene: StepScene & { readonly step: PublishStep },
): (branch: string) => Promise<Pick<StepResult, "outputs">> {
  const { parts, run, step, context, attempt, signal } = scene;
  const { pullRequest: plan } = step;
  if (plan === undefined) return async () => ({});
  const text = (template: string | undefined) =>
    template === undefined ? undefined : evaluateText(template, context);
  const base = text(plan.base);
  requireGood("base", base, refFault);
  const target = targetOfRun(scene);
  const place: ResultPlace = {
    ...{ of: { runId: run.id }, kind: "pull-request", name: step.id },
    ...{ owner: run.owner, repository: target.repository },
  };
  const writer = attemptWriter(attempt, signal);
  const { database, log } = parts;
  const content = { title: text(plan.title) ?? "", body: text(plan.body), base, draft: plan.draft };
  return async (branch) => {
    const head = branch.replace(/^refs\/heads\//, "");
    const { number, url, isOwn } = await putPullRequest({ database, log, target, writer }, place, {
      ...{ ...content, head },
    }).catch(rethrown);
    attempt.log(`pull request ${url}${isOwn ? "" : ": somebody else's, left as it is"}\n`);
    return { outputs: { number: String(number), url } };
  };
}

/** Where the run's own branches are. */
function targetOfRun({ parts, run, source }: StepScene): Target {
  const { github } = parts;
  const remote = "remote" in source ? source.remote : undefined;
  const name =
    github === undefined || remote === undefined ? undefined : fullNameOf(github, remote);
  if (github !== undefined && name === undefined) {
    const message = `'${run.repository}' is no repository at ${github.host}`;
    throw new JobFailure("invalid", "no-github-repository", message);
  }
  return targetOf(github, run.owner, name ?? "");
}

function aboutEvent(event: unknown): {
  readonly repository: string;
  readonly number: number | undefined;
} {
  const isObject = typeof event === "object" && event !== null && !Array.isArray(event);
  const payload = (isObject ? event : {}) as Payload;
  const { repository, pullRequest } = factsOf(payload);
  if (repository === undefined) {
    const message = "only runs that an event of GitHub started can comment";
    throw new JobFailure("invalid", "no-github-event", message);
  }
  const issue = payload["issue"] as { readonly number?: unknown } | undefined;
  const number = pullRequest ?? issue?.number;
  return {
    repository: repository.fullName,
    number: typeof number === "number" ? number : undefined,
  };
}

function numberOf(text: string): number {
  const number = Number(text.trim());
  if (Number.isInteger(number) && number > 0 && number <= NUMBER_MAX) return number;
  const message = `on: '${text.slice(0, 40)}' is no number of an issue or pull request`;
  throw new JobFailure("invalid", "invalid-value", message);
}

function rethrown(error: unknown): never {
  throw asGithubFailure(error);
}
