// Requests of attempts that were taken for dead: however late they arrive, the newer one's word is the last.
import { expect, test } from "vitest";
import { githubResultsScene } from "../../../test/support/github-results-scene.ts";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import { attemptWriter } from "./attempt-writer.ts";
import { putCheckRun } from "./put-check-run.ts";
import { putComment } from "./put-comment.ts";
import { putPullRequest } from "./put-pull-request.ts";

const POST = /POST .*\/comments$/;

/** Two attempts of one job, of which the first goes on as if it had not heard; requests wait for as long as the test likes. */
async function overtakenScene() {
  const scene = await githubResultsScene();
  const { begin, next, parts, fake } = scene;
  const first = await begin();
  return {
    ...{ ...scene, first },
    overtake: async () => {
      first.fail(new JobFailure("transient", "again", "again", { retryAfterMs: 1 }));
      return await next(first);
    },
    /** Of an attempt that nobody stops. */
    deaf: ({ attempt }: typeof first) => ({
      ...parts(attempt),
      writer: attemptWriter(attempt, new AbortController().signal),
    }),
    /** The next request of this kind waits for the returned function. */
    hold: (of: RegExp) => {
      let open = () => {};
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      fake.faults.push({ kind: "gate", opened, of, times: 1 });
      return open;
    },
    asked: (of: RegExp, count: number) =>
      waitUntil(`${count} requests`, () => {
        return fake.requests.filter(({ line }) => of.test(line)).length === count;
      }),
  };
}

test("a comment whose old text arrives after the new one has the new one again", async () => {
  const { first, overtake, deaf, hold, asked, place, repository, pull } = await overtakenScene();
  const put = (held: typeof first, body: string) =>
    putComment(deaf(held), place(first.attempt, "comment"), { number: pull.number, body });
  await put(first, "zero");
  const open = hold(/PATCH .*comments/);
  const late = put(first, "old");
  await asked(/PATCH .*comments/, 1);
  const second = await overtake();
  await put(second, "new");
  open();
  await Promise.allSettled([late]);
  expect(repository.comments.map(({ body }) => body.split("\n")[0])).toEqual(["new"]);
  await expect(late).rejects.toMatchObject({ code: "stale" });
});

test("a comment whose old text arrived and could not be mended is sent again when it is asked for", async () => {
  const { first, overtake, deaf, hold, asked, place, repository, pull, fake } =
    await overtakenScene();
  const put = (held: typeof first, body: string) =>
    putComment(deaf(held), place(first.attempt, "comment"), { number: pull.number, body });
  await put(first, "zero");
  const open = hold(/PATCH .*comments/);
  const late = put(first, "old");
  await asked(/PATCH .*comments/, 1);
  const second = await overtake();
  await put(second, "new");
  fake.faults.push({ kind: "status", status: 502, of: /GET .*comments/, times: 1 });
  open();
  await Promise.allSettled([late]);
  await put(second, "new");
  expect(repository.comments.map(({ body }) => body.split("\n")[0])).toEqual(["new"]);
});

test.each([["has settled"], ["still sends"]])(
  "a comment that is made late, when the newer attempt %s, is not a second one",
  async (newer) => {
    const { first, overtake, deaf, hold, asked, place, repository, pull, writes } =
      await overtakenScene();
    const put = (held: typeof first, body: string) =>
      putComment(deaf(held), place(first.attempt, "comment"), { number: pull.number, body });
    const [openOld, openNew] = [hold(POST), hold(POST)];
    const late = Promise.allSettled([put(first, "old")]);
    await asked(POST, 1);
    const second = await overtake();
    const current = put(second, "new");
    await asked(POST, 2);
    if (newer === "has settled") {
      openNew();
      await current;
      openOld();
      await late;
    } else {
      openOld();
      await late;
      openNew();
    }
    const { id } = await current;
    expect(repository.comments.map(({ body }) => body.split("\n")[0])).toEqual(["new"]);
    expect((await put(second, "newer")).id).toBe(repository.comments[0]?.id);
    expect(id).toBe(repository.comments[0]?.id);
    expect(writes().filter((line) => line.startsWith("DELETE"))).toHaveLength(1);
  },
);

test("a check that a handler has completed is completed again, and one made twice is one", async () => {
  const { first, overtake, deaf, hold, asked, place, repository, pull } = await overtakenScene();
  const wish = { name: "tests", title: "Tests", summary: "All", externalId: first.attempt.id };
  const put = (held: typeof first, name: string, more: object) =>
    putCheckRun(deaf(held), place(first.attempt, "check", name), {
      ...{ ...wish, name, headSha: pull.headSha, status: "in_progress", ...more },
    });
  const end = { status: "completed", conclusion: "success" };
  await put(first, "one", { status: "queued" });
  const [openChange, openMake] = [hold(/PATCH .*check-runs/), hold(/POST .*check-runs$/)];
  const late = Promise.allSettled([put(first, "one", {}), put(first, "two", {})]);
  await asked(/PATCH .*check-runs/, 1);
  await asked(/POST .*check-runs$/, 2);
  const second = await overtake();
  await put(second, "one", end);
  await put(second, "two", end);
  openChange();
  openMake();
  await late;
  const shown = (name: string) =>
    repository.checkRuns.filter((run) => run.name === name).map(({ conclusion }) => conclusion);
  expect(shown("one")).toEqual(["success"]);
  // The one that came late is the newest, and counts; a completed one before it stays as it is.
  expect(shown("two")).toEqual(["success", "success"]);
});

test("a pull request whose old title arrives after the new one has the new one again", async () => {
  const { first, overtake, deaf, hold, asked, place, repository, fake } = await overtakenScene();
  await fake.push(repository, "fix", { "fix.txt": "fixed\n" });
  const put = (held: typeof first, title: string) =>
    putPullRequest(deaf(held), place(first.attempt, "pull-request"), { head: "fix", title });
  await put(first, "zero");
  const open = hold(/PATCH .*pulls/);
  const late = put(first, "old");
  await asked(/PATCH .*pulls/, 1);
  const second = await overtake();
  const { number } = await put(second, "new");
  open();
  await Promise.allSettled([late]);
  expect(repository.pulls.find((pull) => pull.number === number)?.title).toBe("new");
});
