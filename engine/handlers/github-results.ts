// Comments, pull requests and check runs that one attempt of a handler asks for; one after the other, each as the attempt's own.
import { refFault } from "@croft/pipeline";
import { z } from "zod";
import {
  ANNOTATIONS_MAX,
  AnnotationWish,
  annotationOf,
  faultOf,
} from "../github/results/annotations.ts";
import { attemptWriter } from "../github/results/attempt-writer.ts";
import { asGithubFailure } from "../github/results/github-failure.ts";
import { CONCLUSIONS, putCheckRun } from "../github/results/put-check-run.ts";
import { putComment } from "../github/results/put-comment.ts";
import { putPullRequest } from "../github/results/put-pull-request.ts";
import { NAME_LENGTH_MAX, type ResultPlace } from "../github/results/result-record.ts";
import { targetOf } from "../github/results/result-target.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import type { Attempt } from "../jobs/job-type.ts";
import type { HandlerParts } from "./handler-parts.ts";

const repository = z.string().max(300);
const name = z.string().min(1).max(NAME_LENGTH_MAX);
const branch = z.string().min(1).max(1000);
const TEXT_LENGTH_MAX = 1024 * 1024;
const text = z.string().max(TEXT_LENGTH_MAX);

const CommentWish = z.strictObject({
  ...{ repository, body: text, name: name.optional() },
  number: z
    .int()
    .min(1)
    .max(2 ** 31 - 1),
  per: z.enum(["job", "pull-request"]).optional(),
});

const PullRequestWish = z.strictObject({
  ...{ repository, head: branch, base: branch.optional() },
  ...{ title: text.min(1), body: text.optional(), draft: z.boolean().optional() },
});

const CheckWish = z.strictObject({
  ...{ repository, name: name.max(100) },
  commit: z.string().regex(/^[0-9a-f]{40}$/, "must be a full commit id"),
  status: z.enum(["queued", "in_progress", "completed"]),
  conclusion: z.enum(CONCLUSIONS).optional(),
  ...{ title: text.min(1), summary: text, text: text.optional() },
  annotations: z.array(AnnotationWish).max(ANNOTATIONS_MAX).optional(),
});

/** So many things one job may make or change there. */
const COUNT_MAX = 1000;

export class GithubResults {
  readonly #parts: HandlerParts;
  readonly #attempt: Attempt;
  #last: Promise<unknown> = Promise.resolve();
  #count = 0;

  constructor(parts: HandlerParts, attempt: Attempt) {
    this.#parts = parts;
    this.#attempt = attempt;
  }

  async comment(request: unknown): Promise<unknown> {
    const wish = CommentWish.parse(request);
    const { number, body, per = "job" } = wish;
    return await this.#inTurn(wish.repository, async (parts) => {
      const of = per === "job" ? { jobId: this.#attempt.id } : { pullRequest: number };
      const place = this.#place("comment", wish.name ?? `#${number}`, wish.repository, of);
      return await putComment(parts, place, { number, body });
    });
  }

  async pullRequest(request: unknown): Promise<unknown> {
    const { repository: where, ...wish } = PullRequestWish.parse(request);
    for (const ref of [wish.head, wish.base ?? wish.head]) {
      const fault = refFault(ref);
      if (fault !== undefined)
        throw new JobFailure("invalid", "invalid-request", `'${ref}' ${fault}`);
    }
    return await this.#inTurn(where, async (parts) => {
      const id = `${wish.head} ${wish.base ?? ""}`.slice(0, NAME_LENGTH_MAX);
      return await putPullRequest(parts, this.#place("pull-request", id, where), wish);
    });
  }

  async check(request: unknown): Promise<unknown> {
    const { repository: where, commit, annotations = [], ...wish } = CheckWish.parse(request);
    if ((wish.status === "completed") !== (wish.conclusion !== undefined)) {
      const message = "a check run that is completed has a conclusion, and no other has one";
      throw new JobFailure("invalid", "invalid-request", message);
    }
    for (const [index, annotation] of annotations.entries()) {
      const fault = faultOf(annotation);
      if (fault === undefined) continue;
      const message = `annotations.${index}: ${fault}`;
      throw new JobFailure("invalid", "invalid-request", message);
    }
    return await this.#inTurn(where, async (parts) => {
      const place = this.#place("check", `${commit} ${wish.name}`, where);
      return await putCheckRun(parts, place, {
        ...{ ...wish, headSha: commit, externalId: this.#attempt.id },
        annotations: annotations.map(annotationOf),
      });
    });
  }

  #place(
    kind: ResultPlace["kind"],
    id: string,
    where: string,
    of: ResultPlace["of"] = { jobId: this.#attempt.id },
  ): ResultPlace {
    return { of, kind, name: id, owner: this.#attempt.owner, repository: where };
  }

  /** What is asked for at once goes one after the other: two of the same name would be two. */
  async #inTurn<T>(
    where: string,
    put: (parts: Parameters<typeof putComment>[0]) => Promise<T>,
  ): Promise<T> {
    const { database, log, github } = this.#parts;
    if (++this.#count > COUNT_MAX) {
      const message = `a job writes at most ${COUNT_MAX} times to GitHub`;
      throw new JobFailure("invalid", "too-many", message);
    }
    const { owner, signal } = this.#attempt;
    const target = targetOf(github, owner, where);
    const writer = attemptWriter(this.#attempt, signal);
    const turn = this.#last.then(() => put({ database, log, target, writer }));
    this.#last = turn.catch(() => {}); // whoever asked is told
    try {
      return await turn;
    } catch (error) {
      throw asGithubFailure(error);
    }
  }
}
