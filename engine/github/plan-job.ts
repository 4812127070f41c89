// A job as a trigger words it, for one event: what is to be submitted, checked as any other; or why it cannot be.
import type { SubmittedJob } from "../jobs/submit-jobs.ts";
import { contextOf, keyOf, valuesOf } from "./event-values.ts";
import type { GithubEvent } from "./github-event.ts";
import type { GithubParts } from "./github-parts.ts";
import { ownerOf, type PlannedJob, type PlannedProblem, type WordedJob } from "./planned-work.ts";
import { problemOf } from "./trigger-problem.ts";

/** Outside of any transaction: a schema of the project's may take longer than one should. */
export async function planJob(
  { config, intake }: GithubParts,
  event: GithubEvent,
  { type, input, key, priority }: WordedJob & Queued,
): Promise<PlannedJob | PlannedProblem> {
  const context = contextOf(event);
  try {
    const job = {
      ...{ type, priority, owner: ownerOf(event) },
      input: valuesOf(input, context, config.http.bodyLimit),
      key: key === undefined ? ownerOf(event) : keyOf(key, context),
    };
    await intake.check(job);
    return { kind: "job", job };
  } catch (error) {
    const problem = problemOf(error);
    if (problem === undefined) throw error;
    return { kind: "problem", problem };
  }
}

interface Queued extends Pick<SubmittedJob, "priority"> {
  /** With expressions. */
  readonly key: string | undefined;
}
