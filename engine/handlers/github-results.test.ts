// What handlers of a project show at GitHub: by the installation whose job it is, once however often they are tried.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FakeGithub, serveFakeGithub } from "../../test/support/fake-github.ts";
import type { FakePull, FakeRepository } from "../../test/support/fake-github-state.ts";
import { type HandlerScene, handlerScene } from "../../test/support/handler-scene.ts";

/** Tells all it can, and fails the first time when everything is told. */
const TELL = `async ({ github, input, attempt }) => {
  const { repository, number, commit } = input;
  const comments = await Promise.all([1, 2, 3].map((nth) =>
    github.comment({ repository, number, body: 'attempt ' + attempt + ', ' + nth, name: 'told' })));
  const check = await github.check({
    repository, commit, name: 'review', status: 'completed', conclusion: 'neutral', title: 'Read', summary: 'All of it',
    annotations: [{ path: 'topic.txt', start_line: 1, level: 'notice', message: 'well said' }],
  });
  const pull = await github.pullRequest({ repository, head: 'more', title: 'More', body: 'of it' });
  if (attempt === 1) throw Object.assign(new Error('once more'), { class: 'transient', retryAfterMs: 1 });
  return { comments, check, pull };
}`;
const ASK = "({ github, input: { what, ...wish } }) => github[what](wish)";

let fake: FakeGithub;
let scene: HandlerScene;
let repository: FakeRepository;
let pull: FakePull;
let owner: string;
const endings: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  fake = await serveFakeGithub();
  const installation = fake.addInstallation();
  owner = `installation:${installation.id}`;
  repository = await fake.addRepository(installation, "tools");
  pull = await fake.openPullRequest(repository);
  await fake.push(repository, "more", { "more.txt": "more\n" });
  scene = await handlerScene(
    { handlers: { tell: TELL, ask: ASK }, flags: { ...fake.settings } },
    (clearUp) => void endings.push(clearUp),
  );
}, 60_000);

afterAll(async () => {
  for (const end of endings.reverse()) await end();
  await fake.close();
}, 60_000);

test("comment, check run and pull request are there once, though the job was tried twice", async () => {
  const { fullName } = repository;
  const input = { repository: fullName, number: pull.number, commit: pull.headSha };
  const job = await scene.ended(await scene.submit("tell", { owner, input }));
  expect(job.error).toBeNull();
  expect(job.attempt).toBe(2);
  expect(repository.comments.map(({ body }) => body.split("\n")[0])).toEqual(["attempt 2, 3"]);
  expect(repository.checkRuns).toHaveLength(1);
  expect(repository.checkRuns[0]).toMatchObject({ name: "review", conclusion: "neutral" });
  expect(repository.checkRuns[0]?.annotations).toHaveLength(1);
  expect(repository.pulls.filter(({ head }) => head === "more")).toHaveLength(1);
  expect(job.result).toMatchObject({ pull: { isOwn: true }, check: { id: expect.any(Number) } });
});

test("jobs of others cannot write, nor can an installation write to what is another's", async () => {
  const other = await fake.addRepository(fake.addInstallation(), "secret");
  const wish = { what: "comment", repository: other.fullName, number: 1, body: "hello" };
  const code = async (of: string, input: object) =>
    (await scene.ended(await scene.submit("ask", { owner: of, input: { ...input } }))).error?.code;
  expect(await code("local", wish)).toBe("no-installation");
  expect(await code(owner, wish)).toMatch(/^github-/);
  expect(other.comments).toEqual([]);
});

test.each([
  ["comment", { body: "hello" }],
  ["comment", { number: 0, body: "hello" }],
  ["comment", { number: 1, body: "hello", repository: "../../app/installations" }],
  ["comment", { number: 1, body: "hello", installation: 7 }],
  ["pullRequest", { head: "a..b", title: "t" }],
  ["check", { commit: "main", name: "n", status: "queued", title: "t", summary: "s" }],
  ["check", { commit: "0".repeat(40), name: "n", status: "completed", title: "t", summary: "s" }],
])("%s %j is refused before GitHub is asked", async (what, wish) => {
  const asked = fake.requests.length;
  const input = { what, repository: repository.fullName, ...wish };
  const job = await scene.ended(await scene.submit("ask", { owner, input }));
  expect(job.error).toMatchObject({ class: "invalid" });
  expect(fake.requests).toHaveLength(asked);
});
