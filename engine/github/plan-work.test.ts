// What an event starts: stored pipelines and the project's triggers, with GitHub asked only for what they need to know.
import { expect, test } from "vitest";
import { inboxEngine } from "../../test/support/inbox-scene.ts";
import { startFakeGithub } from "../../test/support/start-fake-github.ts";
import { newId } from "../new-id.ts";
import { putPipeline } from "../runs/stored-pipelines.ts";
import { factsOf, type GithubEvent, type Payload } from "./github-event.ts";
import { planWork } from "./plan-work.ts";
import type { TriggerInput } from "./project-triggers.ts";

const never = new AbortController().signal;

function eventOf(name: string, payload: object): GithubEvent {
  const own = { id: newId(), place: 1, deliveryId: newId(), name, replay: 0, failures: 0 };
  return {
    ...{ ...own, ...factsOf(payload as Payload) },
    ...{ payload: payload as Payload, receivedAt: new Date(), sentAt: new Date() },
  };
}

const note = (more: Partial<TriggerInput>): TriggerInput => ({
  ...{ on: "pull_request", job: { type: "note" }, ...more },
});

async function scene(triggers: readonly TriggerInput[] = []) {
  const github = await startFakeGithub();
  const installation = github.addInstallation();
  const repository = await github.addRepository(installation, "engine");
  const engine = await inboxEngine({ triggers, flags: { ...github.settings } });
  const asked = () => github.requests.map(({ line }) => line.replace(/.*\/repos\/[^/]+/, ""));
  const store = (name: string, on: string, owner = "local") =>
    putPipeline(engine, {
      ...{ owner, name, by: "test" },
      text: `on: { github: ${on} }\nsteps: { a: { run: "true" } }\n`,
    });
  const plan = async (event: GithubEvent) =>
    (await planWork(engine, event, never)).map(({ trigger }) => trigger);
  return { github, installation, repository, engine, asked, store, plan };
}

test("stored pipelines of the admins' and triggers of the project, each once; nobody else's", async () => {
  const { github, repository, store, plan, engine } = await scene([
    note({ on: ["issues.opened", "pull_request.opened"] }),
    note({ on: "pull_request.opened" }),
    note({ on: "pull_request", job: undefined, pipeline: "named" }),
    note({ on: "pull_request", job: undefined, pipeline: "missing" }),
    note({ on: "pull_request.closed", name: "closing" }),
  ]);
  await store("first", "[pull_request.opened, pull_request]");
  await store("named", "push");
  await store("theirs", "pull_request", "installation:1");
  await store("elsewhere", "{ event: pull_request, repositories: other/* }");
  const pull = await github.openPullRequest(repository);
  const opened = eventOf("pull_request", github.pullPayload(pull, "opened"));
  const jobs = ["trigger:job:note", "trigger:job:note:2"];
  const runs = ["trigger:run:named", "trigger:run:missing"]; // that there is none is told
  expect(await plan(opened)).toEqual(["pipeline:first", ...jobs, ...runs]);
  const closed = eventOf("pull_request", github.pullPayload(pull, "closed"));
  expect(await plan(closed)).toEqual(["pipeline:first", ...runs, "trigger:closing"]);
  expect(await plan({ ...opened, installation: undefined })).toEqual([]);
  await engine.database.pool.query(
    `update croft.pipeline set triggers = '{"github": ["pull_request.opened"], "schedule": []}' where name = 'first'`,
  );
  expect(await plan(opened)).toContain("pipeline:first"); // kept before events had filters
});

test("of changed files GitHub is asked once, and only when somebody who matches wants to know", async () => {
  const { github, repository, asked, plan } = await scene([
    note({ paths: "docs/**", name: "docs" }),
    note({ paths: "src/**", name: "src" }),
    note({ pathsIgnore: ["**/*.md"], name: "code" }),
    note({ paths: "docs/**", labels: "urgent", name: "urgent" }),
  ]);
  const pull = await github.openPullRequest(repository, { files: { "docs/a.md": "a" } });
  expect(await plan(eventOf("pull_request", github.pullPayload(pull, "opened")))).toEqual([
    "trigger:docs",
  ]);
  expect(asked().filter((line) => line.endsWith("/files"))).toHaveLength(1);
  const other = await github.openPullRequest(repository, { head: "other" });
  const before = github.requests.length;
  const elsewhere = { ...github.pullPayload(other, "opened"), action: "opened" };
  expect(await plan(eventOf("issues", elsewhere))).toEqual([]);
  expect(github.requests.length).toBe(before);
});

test("a pull request with more files than GitHub lists counts", async () => {
  const { github, repository, plan, asked } = await scene([note({ paths: "docs/**" })]);
  const files = Object.fromEntries(Array.from({ length: 3001 }, (_, n) => [`src/${n}`, "x"]));
  const pull = await github.openPullRequest(repository, { files });
  const opened = eventOf("pull_request", github.pullPayload(pull, "opened"));
  expect(await plan(opened)).toEqual(["trigger:job:note"]);
  expect(asked().filter((line) => line.endsWith("/files"))).toHaveLength(30);
});

test("files of a push come with it; of one that is cut GitHub is asked, and when it cannot tell, it counts", async () => {
  const triggers = [note({ on: "push", paths: "docs/**" })];
  const { github, repository, plan } = await scene(triggers);
  const before = await github.push(repository, "main", { a: "1" });
  const after = await github.push(repository, "main", { "docs/b": "1" });
  const payload = github.pushPayload(repository, { branch: "main", before, after });
  const commits = [{ id: after, added: ["docs/b"], removed: [], modified: [] }];
  expect(await plan(eventOf("push", { ...payload, commits }))).toEqual(["trigger:job:note"]);
  const others = [{ id: after, added: [], removed: ["src/b"], modified: ["x"] }];
  expect(await plan(eventOf("push", { ...payload, commits: others }))).toEqual([]);
  const asked = github.requests.length;
  const cut = eventOf("push", { ...payload, commits: others, size: 3000 });
  expect(await plan(cut)).toEqual(["trigger:job:note"]);
  expect(github.requests.length).toBeGreaterThan(asked);
  const back = eventOf("push", { ...payload, commits: [], forced: true });
  expect(await plan(back)).toEqual(["trigger:job:note"]);
});

test("the branch that a pull request is to go into; a comment on it is asked about", async () => {
  const { github, repository, plan, asked } = await scene([
    note({ on: ["pull_request", "issue_comment"], branches: "release/*" }),
  ]);
  await github.push(repository, "release/1", { r: "1" });
  const base = await github.openPullRequest(repository, { head: "a", base: "release/1" });
  const main = await github.openPullRequest(repository, { head: "b" });
  const opened = (pull: typeof main) => eventOf("pull_request", github.pullPayload(pull, "opened"));
  expect(await plan(opened(base))).toHaveLength(1);
  expect(await plan(opened(main))).toHaveLength(0);
  const said = (pull: typeof main) => eventOf("issue_comment", github.commentPayload(pull, "hi"));
  expect(await plan(said(base))).toHaveLength(1);
  expect(await plan(said(main))).toHaveLength(0);
  expect(asked().filter((line) => /pulls\/\d+$/.test(line))).toHaveLength(2);
});

test("a run for a fork's code gets no secrets unless the trigger trusts forks; so when nobody can tell", async () => {
  const { github, repository, store, engine } = await scene();
  await store("plain", "[pull_request, issue_comment]");
  await store("trusting", "{ event: [pull_request, issue_comment], forks: trusted }");
  const own = await github.openPullRequest(repository, { head: "own" });
  const fork = await github.openPullRequest(repository, { head: "theirs", fork: "mallory" });
  const withheld = async (event: GithubEvent) =>
    (await planWork(engine, event, never)).map(
      ({ work }) => work.kind === "run" && work.withholdsSecrets,
    );
  const opened = (pull: typeof own) => eventOf("pull_request", github.pullPayload(pull, "opened"));
  const said = (pull: typeof own) => eventOf("issue_comment", github.commentPayload(pull, "x"));
  expect(await withheld(opened(own))).toEqual([false, false]);
  expect(await withheld(opened(fork))).toEqual([true, false]);
  expect(await withheld(said(own))).toEqual([false, false]);
  expect(await withheld(said(fork))).toEqual([true, false]);
  const payload = github.pullPayload(fork, "opened");
  const head = { ...(payload["pull_request"] as { head: object }).head, repo: null };
  const gone = { ...payload, pull_request: { ...(payload["pull_request"] as object), head } };
  expect(await withheld(eventOf("pull_request", gone))).toEqual([true, false]);
  const missing = { ...said(own), pullRequest: 999 };
  expect(await withheld(missing)).toEqual([true, false]);
  const alone = { ...engine, github: undefined };
  const [work] = await planWork(alone, said(own), never);
  expect(work?.work).toMatchObject({ withholdsSecrets: true });
});

test("of a pull request that GitHub cannot answer for, nobody can tell: its secrets are withheld", async () => {
  const { github, repository, store, engine } = await scene();
  await store("plain", "{ event: issue_comment, branches: release/* }");
  const pull = await github.openPullRequest(repository);
  github.faults = [{ kind: "status", status: 500, of: new RegExp(`/pulls/${pull.number}$`) }];
  const said = eventOf("issue_comment", github.commentPayload(pull, "x"));
  const tried = (failures: number) => planWork(engine, { ...said, failures }, never);
  await expect(tried(1)).rejects.toMatchObject({ code: "github-unavailable", status: 500 });
  expect(await tried(2)).toMatchObject([{ work: { withholdsSecrets: true } }]);
});

test("with a list of accounts, what others install starts nothing, and says why", async () => {
  const { github, installation, repository, engine } = await scene([note({})]);
  const pull = await github.openPullRequest(repository);
  const event = eventOf("pull_request", github.pullPayload(pull, "opened"));
  const of = async (...accounts: string[]) => {
    const config = { ...engine.config, github: { ...engine.config.github, accounts } };
    return (await planWork({ ...engine, config }, event, never)).map(({ work }) => work);
  };
  const { account } = installation;
  expect(await of(account)).toMatchObject([{ kind: "job" }]);
  expect(await of("others", account)).toMatchObject([{ kind: "job" }]);
  expect(await of("others")).toMatchObject([
    { kind: "problem", problem: expect.stringContaining(`'${account}'`) },
  ]);
});

test("without an App nobody is asked: paths and branches of pull requests count", async () => {
  const { github, repository, engine } = await scene([
    note({ on: "issue_comment", branches: "release/*", paths: "docs/**" }),
  ]);
  const pull = await github.openPullRequest(repository);
  const said = eventOf("issue_comment", github.commentPayload(pull, "x"));
  expect(await planWork({ ...engine, github: undefined }, said, never)).toHaveLength(1);
});

test("what the App does itself starts nothing, what other bots do may", async () => {
  const { github, repository, plan, engine } = await scene([
    note({ on: "issue_comment" }),
    note({ on: "issue_comment", ignoreBots: true, name: "people" }),
  ]);
  const pull = await github.openPullRequest(repository);
  const by = (login: string, type: string) => {
    const event = eventOf("issue_comment", github.commentPayload(pull, "x"));
    return { ...event, sender: { login, type } };
  };
  const own = (await engine.github?.login()) ?? "";
  expect(own).toContain("[bot]");
  expect(await plan(by(own, "Bot"))).toEqual([]);
  expect(await plan(by("renovate[bot]", "Bot"))).toEqual(["trigger:job:note"]);
  expect(await plan(by("ada", "User"))).toEqual(["trigger:job:note", "trigger:people"]);
});

test("GitHub away or tired: the event is tried again, nothing is guessed", async () => {
  const { github, repository, engine } = await scene([note({ paths: "docs/**" })]);
  const pull = await github.openPullRequest(repository);
  const opened = eventOf("pull_request", github.pullPayload(pull, "opened"));
  github.faults = [{ kind: "status", status: 503, of: /files$/ }];
  await expect(planWork(engine, opened, AbortSignal.timeout(20_000))).rejects.toThrow();
});
