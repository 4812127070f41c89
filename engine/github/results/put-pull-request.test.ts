// Pull requests of branches that Croft has published.
import { expect, test } from "vitest";
import { githubResultsScene } from "../../../test/support/github-results-scene.ts";
import { asGithubFailure } from "./github-failure.ts";
import { putPullRequest } from "./put-pull-request.ts";

const PULLS = /POST .*\/pulls$/;

test("a pull request is opened once, then updated; unchanged it is left alone", async () => {
  const { begin, parts, place, repository, fake, writes } = await githubResultsScene();
  await fake.push(repository, "fix", { "fix.txt": "fixed\n" });
  const { attempt } = await begin();
  const put = (title: string) =>
    putPullRequest(parts(attempt), place(attempt, "pull-request"), {
      ...{ head: "fix", title, body: "by Croft", draft: true },
    });
  const { number } = await put("Fix it");
  expect(repository.pulls.find((pull) => pull.number === number)).toMatchObject({
    ...{ base: "main", head: "fix", title: "Fix it", body: "by Croft", draft: true },
    author: "croft[bot]",
  });
  expect(await put("Fix it")).toMatchObject({ number, isOwn: true });
  expect(await put("Fix all of it")).toMatchObject({ number });
  expect(writes()).toEqual(["POST /pulls", `PATCH /pulls/${number}`]);
  expect(repository.pulls.find((pull) => pull.number === number)?.title).toBe("Fix all of it");
});

test("an answer that is lost after it was opened leads to no second one; a closed one is not opened again", async () => {
  const { begin, parts, place, repository, fake } = await githubResultsScene();
  await fake.push(repository, "fix", { "fix.txt": "fixed\n" });
  const { attempt } = await begin();
  const put = (title: string) =>
    putPullRequest(parts(attempt), place(attempt, "pull-request"), { head: "fix", title });
  fake.faults = [{ kind: "cut", isDone: true, of: PULLS, times: 1 }];
  await expect(put("Fix it")).rejects.toMatchObject({ code: "github-unavailable" });
  const { number } = await put("Fix it");
  const own = repository.pulls.filter(({ head }) => head === "fix");
  expect(own.map((pull) => pull.number)).toEqual([number]);
  for (const pull of own) pull.state = "closed";
  const another = await put("Fix the rest");
  expect(another.number).not.toBe(number);
  expect(own[0]).toMatchObject({ state: "closed", title: "Fix it" });
});

test("somebody else's pull request of the branch is left as it is", async () => {
  const { begin, parts, place, pull, writes } = await githubResultsScene();
  const { attempt } = await begin();
  const found = await putPullRequest(parts(attempt), place(attempt, "pull-request"), {
    ...{ head: pull.head, base: "main", title: "Mine now" },
  });
  expect(found).toMatchObject({ number: pull.number, isOwn: false });
  expect(writes()).toEqual([]);
});

test("a pull request that GitHub refuses is not asked for again", async () => {
  const { begin, parts, place } = await githubResultsScene();
  const { attempt } = await begin();
  const refused = putPullRequest(parts(attempt), place(attempt, "pull-request"), {
    ...{ head: "no-such-branch", title: "Nothing" },
  });
  const error = await refused.catch(asGithubFailure);
  expect(error).toMatchObject({ code: "github-refused", failureClass: "invalid" });
});

test("a rate limit says when to try again", async () => {
  const { begin, parts, place, fake } = await githubResultsScene();
  const { attempt } = await begin();
  fake.faults = [{ kind: "secondary-rate-limit", retryAfterSeconds: 90, of: /\/pulls$/ }];
  const limited = putPullRequest(parts(attempt), place(attempt, "pull-request"), {
    ...{ head: "fix", base: "main", title: "Soon" },
  });
  const error = await limited.catch(asGithubFailure);
  expect(error).toMatchObject({ code: "github-rate-limit", failureClass: "transient" });
  expect((error as { retryAfterMs?: number }).retryAfterMs).toBeGreaterThanOrEqual(60_000);
});
