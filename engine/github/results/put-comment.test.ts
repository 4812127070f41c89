// Comments at GitHub: one for each name, whatever goes wrong between the request and its answer.
import { expect, test } from "vitest";
import { githubResultsScene } from "../../../test/support/github-results-scene.ts";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { cancelJob } from "../../jobs/change-jobs.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import { GithubError } from "../github-error.ts";
import { attemptWriter } from "./attempt-writer.ts";
import { putComment } from "./put-comment.ts";
import type { Writer } from "./result-record.ts";

const COMMENTS = /POST .*\/comments$/;

test("a comment is made once, edited when it changes, and not sent again when it does not", async () => {
  const { begin, parts, place, repository, pull, writes } = await githubResultsScene();
  const { attempt } = await begin();
  const put = (body: string) =>
    putComment(parts(attempt), place(attempt, "comment"), { number: pull.number, body });
  const first = await put("one");
  expect(await put("one")).toEqual(first);
  expect(writes()).toEqual([`POST /issues/${pull.number}/comments`]);
  expect(await put("two")).toEqual(first);
  expect(writes().at(-1)).toBe(`PATCH /issues/comments/${first.id}`);
  expect(repository.comments).toHaveLength(1);
  expect(repository.comments[0]?.body).toMatch(/^two\n\n<!-- croft:[0-9a-f-]{36} -->$/);
});

test("an answer that is lost after the comment was made leads to no second one", async () => {
  const { begin, next, parts, place, repository, pull, fake } = await githubResultsScene();
  const first = await begin();
  const wish = { number: pull.number, body: "of the run" };
  fake.faults = [{ kind: "cut", isDone: true, of: COMMENTS, times: 1 }];
  const failed = putComment(parts(first.attempt), place(first.attempt, "comment"), wish);
  await expect(failed).rejects.toBeInstanceOf(GithubError);
  expect(repository.comments).toHaveLength(1);
  const marked = repository.comments[0]?.body ?? "";
  // Somebody who saw the marker puts it into a comment of theirs, before ours.
  const copied = { id: 7, number: pull.number, body: marked, author: "mallory", edits: 0 };
  repository.comments.unshift(copied);
  first.fail(new JobFailure("transient", "again", "again", { retryAfterMs: 1 }));
  const { attempt } = await next(first);
  const { id } = await putComment(parts(attempt), place(attempt, "comment"), {
    ...wish,
    body: "of the second attempt",
  });
  expect(id).not.toBe(7);
  const own = repository.comments.filter(({ author }) => author === "croft[bot]");
  expect(own.map(({ body }) => body.split("\n")[0])).toEqual(["of the second attempt"]);
  expect(copied.body).toBe(marked);
});

test("a request that did not arrive is made again, and a comment that somebody deleted is made anew", async () => {
  const { begin, parts, place, repository, pull, fake } = await githubResultsScene();
  const { attempt } = await begin();
  const put = (body: string) =>
    putComment(parts(attempt), place(attempt, "comment"), { number: pull.number, body });
  fake.faults = [{ kind: "status", status: 502, of: COMMENTS, times: 1 }];
  await expect(put("one")).rejects.toMatchObject({ code: "github-unavailable" });
  const { id } = await put("one");
  expect(repository.comments.map((comment) => comment.id)).toEqual([id]);
  repository.comments.length = 0;
  expect((await put("one")).id).toBe(id); // nothing is said that was not said before
  expect(repository.comments).toHaveLength(0);
  expect((await put("two")).id).not.toBe(id);
  expect(repository.comments).toHaveLength(1);
});

test("an attempt that is over writes nothing", async () => {
  const { begin, next, parts, place, writes, pull } = await githubResultsScene();
  const first = await begin();
  first.fail(new JobFailure("transient", "again", "again", { retryAfterMs: 1 }));
  const second = await next(first);
  const late = putComment(parts(first.attempt), place(first.attempt, "comment"), {
    ...{ number: pull.number, body: "late" },
  });
  await expect(late).rejects.toMatchObject({ code: "stale" });
  second.succeed();
  expect(writes()).toEqual([]);
});

test("a job that was cancelled writes nothing, whether it has heard of it or not", async () => {
  const { begin, parts, place, writes, pull, engine } = await githubResultsScene();
  const { attempt } = await begin();
  await cancelJob(engine.database, { owner: undefined }, attempt.id);
  const writer = attemptWriter(attempt, new AbortController().signal);
  const late = putComment({ ...parts(attempt), writer }, place(attempt, "comment"), {
    ...{ number: pull.number, body: "late" },
  });
  await expect(late).rejects.toMatchObject({ code: expect.stringMatching(/^superseded$|^stale$/) });
  expect(writes()).toEqual([]);
});

test("of two jobs that write the same comment of a pull request one waits for the other's request", async () => {
  const { begin, parts, place, repository, pull, fake, writes } = await githubResultsScene();
  const [one, two] = [await begin(), await begin()];
  const shared = { ...place(one.attempt, "comment", "sticky"), of: { pullRequest: pull.number } };
  let looks = 0;
  const put = (attempt: typeof one.attempt, body: string, signal = attempt.signal) => {
    const writer = attemptWriter(attempt, signal);
    const requireCurrent: Writer["requireCurrent"] = async (client) => {
      looks += 1;
      await writer.requireCurrent(client);
    };
    const counted = { ...writer, requireCurrent };
    const wish = { number: pull.number, body };
    return putComment({ ...parts(attempt), writer: counted }, shared, wish);
  };
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  fake.faults = [{ kind: "gate", opened, of: COMMENTS, times: 1 }];
  const first = put(one.attempt, "of one");
  await waitUntil("its request", () => fake.requests.some(({ line }) => COMMENTS.test(line)));
  const stopping = new AbortController();
  const stopped = expect(put(two.attempt, "of nobody", stopping.signal)).rejects.toThrow();
  await waitUntil("two looks", () => looks >= 3);
  stopping.abort();
  await stopped;
  looks = 0;
  const second = put(two.attempt, "of two");
  await waitUntil("several looks", () => looks >= 5); // more than a job has attempts
  expect(writes()).toHaveLength(1);
  open();
  const { id } = await first;
  expect((await second).id).toBe(id);
  expect(repository.comments.map(({ body }) => body.split("\n")[0])).toEqual(["of two"]);
});

test("nobody waits for a job whose request has failed and that does something else now", async () => {
  const { begin, parts, place, pull, fake } = await githubResultsScene();
  const [one, two] = [await begin(), await begin()];
  const shared = { ...place(one.attempt, "comment", "sticky"), of: { pullRequest: pull.number } };
  const put = (attempt: typeof one.attempt) =>
    putComment(parts(attempt), shared, { number: pull.number, body: "hello" });
  fake.faults = [{ kind: "status", status: 502, of: COMMENTS, times: 1 }];
  await expect(put(one.attempt)).rejects.toMatchObject({ code: "github-unavailable" });
  await put(two.attempt);
});

test("a body that is too long is cut, and what looks like a marker is none", async () => {
  const { begin, parts, place, repository, pull } = await githubResultsScene();
  const { attempt } = await begin();
  const body = `<!-- croft:${attempt.id} -->\n${"🌱".repeat(40_000)}`;
  await putComment(parts(attempt), place(attempt, "comment"), { number: pull.number, body });
  const sent = repository.comments[0]?.body ?? "";
  expect(sent.length).toBeLessThan(65_536);
  expect(sent).toContain("the rest is left out");
  expect(sent.match(/<!-- croft:/g)).toHaveLength(1);
  expect(Buffer.from(sent).toString()).toBe(sent); // no half of a pair
});
