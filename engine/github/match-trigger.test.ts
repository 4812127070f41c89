// Which events a trigger means, over the real examples of GitHub and over what only a few words decide.
import { type GithubTrigger, parsePipeline, triggerFaults } from "@croft/pipeline";
import { describe, expect, test } from "vitest";
import { exampleEvents } from "../../test/support/example-events.ts";
import { newId } from "../new-id.ts";
import { factsOf, type GithubEvent, type Payload } from "./github-event.ts";
import {
  branchOf,
  isOwnDoing,
  matchesBranch,
  matchesPaths,
  matchesPayload,
} from "./match-trigger.ts";

function eventOf(name: string, payload: object): GithubEvent {
  const own = { id: newId(), place: 1, deliveryId: newId(), name, replay: 0, failures: 0 };
  return {
    ...{ ...own, ...factsOf(payload as Payload) },
    ...{ payload: payload as Payload, receivedAt: new Date(), sentAt: new Date() },
  };
}

function trigger(events: string, more: Partial<GithubTrigger> = {}): GithubTrigger {
  return {
    ...{ events: [events], repositories: [], branches: [], paths: [], pathsIgnore: [] },
    ...{ labels: [], senders: [], anyone: false, drafts: true, ignoreBots: false },
    ...{ forks: "untrusted", supersede: false, ...more },
  };
}

const examples = exampleEvents();

describe("of every example of GitHub", () => {
  test("its name and its action match, others do not, and no filter trips over what it lacks", () => {
    expect(examples.length).toBeGreaterThan(200);
    for (const { event: name, payload } of examples) {
      const event = eventOf(name, payload);
      if (name === "push" && event.payload["deleted"] === true) continue; // of its own, below
      expect(matchesPayload(trigger(name), event)).toBe(true);
      expect(matchesPayload(trigger(`${name}.no_such`), event)).toBe(false);
      expect(matchesPayload(trigger(`${name}s_`), event)).toBe(false);
      if (event.action !== undefined) {
        expect(matchesPayload(trigger(`${name}.${event.action}`), event)).toBe(true);
      }
      const nowhere = trigger(name, { repositories: ["no-such/**"] });
      expect(matchesPayload(nowhere, event)).toBe(false);
      expect(matchesPayload(trigger(name, { repositories: ["*/*"] }), event)).toBe(
        event.repository !== undefined,
      );
      expect(matchesPayload(trigger(name, { senders: ["nobody-there"] }), event)).toBe(false);
      expect(matchesPayload(trigger(name, { labels: ["no-such-label"] }), event)).toBe(false);
      expect(matchesPayload(trigger(name, { command: "/no-such" }), event)).toBe(false);
      const own = matchesPayload(trigger(name, { senders: [event.sender?.login ?? "?"] }), event);
      expect(own).toBe(event.sender !== undefined);
      expect(matchesBranch(trigger(name, { branches: ["no/such"] }), branchOf(event))).toBe(false);
      expect(isOwnDoing(event, { login: undefined, appId: undefined })).toBe(false);
    }
  });

  test("its name is one that pipelines may have without a warning", () => {
    for (const name of new Set(examples.map(({ event }) => event))) {
      const text = `on: { github: ${name} }\nsteps: { a: { run: "true" } }\n`;
      expect(parsePipeline(text)).toMatchObject({ problems: [], warnings: [] });
    }
  });
});

const repository = {
  ...{ id: 1, full_name: "Acme/Engine", clone_url: "https://github.com/Acme/Engine.git" },
  ...{ default_branch: "main" },
};
const person = { login: "Ada", type: "User" };
const comment = (body: string, author_association = "MEMBER", action = "created") =>
  eventOf("issue_comment", {
    ...{ action, repository, sender: person, comment: { body, author_association } },
    issue: { number: 7, pull_request: {}, draft: false, labels: [{ name: "Bug" }] },
  });

test.each<[Partial<GithubTrigger>, boolean]>([
  [{ repositories: ["acme/*"] }, true],
  [{ repositories: ["acme/engine"] }, true],
  [{ repositories: ["acme/{other,engine}"] }, true],
  [{ repositories: ["acme"] }, false],
  [{ senders: ["bob", "ADA"] }, true],
  [{ senders: ["bob"] }, false],
  [{ labels: ["bug"] }, true],
  [{ labels: ["other"] }, false],
  [{ drafts: false }, true],
  [{ ignoreBots: true }, true],
])("a comment by Ada in Acme/Engine with the label Bug: %j is %s", (more, isMeant) => {
  expect(matchesPayload(trigger("issue_comment", more), comment("x"))).toBe(isMeant);
});

test("labels: of labeled it is the one that was set, of others those that are there", () => {
  const issue = { number: 1, labels: [{ name: "old" }, { name: "new" }] };
  const labeled = eventOf("issues", { action: "labeled", issue, label: { name: "new" } });
  expect(matchesPayload(trigger("issues", { labels: ["new"] }), labeled)).toBe(true);
  expect(matchesPayload(trigger("issues", { labels: ["old"] }), labeled)).toBe(false);
  const edited = eventOf("issues", { action: "edited", issue });
  expect(matchesPayload(trigger("issues", { labels: ["old"] }), edited)).toBe(true);
});

test("drafts and bots are left out where that is said", () => {
  const pull_request = { number: 1, draft: true };
  const sender = { login: "renovate[bot]", type: "Bot" };
  const draft = eventOf("pull_request", { action: "opened", pull_request, sender });
  expect(matchesPayload(trigger("pull_request"), draft)).toBe(true);
  expect(matchesPayload(trigger("pull_request", { drafts: false }), draft)).toBe(false);
  expect(matchesPayload(trigger("pull_request", { ignoreBots: true }), draft)).toBe(false);
  expect(matchesPayload(trigger("pull_request", { senders: ["renovate[bot]"] }), draft)).toBe(true);
});

test.each([
  ["/review", true],
  ["please\r\n  /review now\r\n", true],
  ["/review\tall", true],
  ["/reviewer", false],
  ["> /review", false],
  ["do /review", false],
  ["", false],
])("the command /review in %j: %s", (body, isMeant) => {
  const review = trigger("issue_comment", { command: "/review" });
  expect(matchesPayload(review, comment(body))).toBe(isMeant);
});

test("a command is taken from people of the repository, when the comment is new", () => {
  const review = trigger("issue_comment", { command: "/review" });
  const taken = (association: string, more: Partial<GithubTrigger> = {}) =>
    matchesPayload({ ...review, ...more }, comment("/review", association));
  for (const each of ["OWNER", "MEMBER", "COLLABORATOR"]) expect(taken(each)).toBe(true);
  for (const each of ["CONTRIBUTOR", "FIRST_TIMER", "NONE", "", "owner"]) {
    expect(taken(each)).toBe(false);
    expect(taken(each, { anyone: true })).toBe(true);
  }
  expect(matchesPayload(review, comment("/review", "OWNER", "edited"))).toBe(false);
});

test("branches: the pushed one, without tags; globs as everywhere", () => {
  const push = (ref: string) => branchOf(eventOf("push", { ref, repository }));
  const on = (glob: string, ref: string) =>
    matchesBranch(trigger("push", { branches: [glob] }), push(ref));
  expect(on("main", "refs/heads/main")).toBe(true);
  expect(on("release/*", "refs/heads/release/1")).toBe(true);
  expect(on("release/*", "refs/heads/release/1/a")).toBe(false);
  expect(on("release/**", "refs/heads/release/1/a")).toBe(true);
  expect(on("main", "refs/tags/main")).toBe(false);
  const created = eventOf("create", { ref: "topic", ref_type: "branch" });
  expect(branchOf(created)).toBe("topic");
  expect(branchOf(eventOf("create", { ref: "v1", ref_type: "tag" }))).toBeUndefined();
});

test("a merge group is of the branch that it is to go into; that it is gone starts nothing by itself", () => {
  const group = (action: string) =>
    eventOf("merge_group", { action, merge_group: { base_ref: "refs/heads/main" }, repository });
  expect(branchOf(group("checks_requested"))).toBe("main");
  expect(matchesPayload(trigger("merge_group"), group("checks_requested"))).toBe(true);
  expect(matchesPayload(trigger("merge_group"), group("destroyed"))).toBe(false);
  expect(matchesPayload(trigger("merge_group.destroyed"), group("destroyed"))).toBe(true);
});

test("paths: one that counts is enough; nobody knowing counts, too", () => {
  const of = (paths: string[], pathsIgnore: string[], changed: string[] | undefined) =>
    matchesPaths(trigger("push", { paths, pathsIgnore }), changed);
  expect(of(["docs/**"], [], ["docs/a/b.md", "x"])).toBe(true);
  expect(of(["docs/**"], [], ["src/a"])).toBe(false);
  expect(of([], ["**/*.md"], ["a.md", "docs/b.md"])).toBe(false);
  expect(of([], ["**/*.md"], ["a.md", "b.ts"])).toBe(true);
  expect(of(["src/**"], ["**/*.md"], ["src/a.md"])).toBe(false);
  expect(of(["src/**"], [], [])).toBe(false);
  expect(of(["src/**"], [], undefined)).toBe(true);
});

test("what the App has done itself starts nothing; what others do to it may", () => {
  const own = { login: "croft[bot]", appId: 42 };
  const by = (login: string, more: object = {}) =>
    isOwnDoing(eventOf("issue_comment", { ...more, sender: { login, type: "Bot" } }), own);
  expect(by("croft[bot]")).toBe(true);
  expect(by("Croft[bot]")).toBe(true);
  expect(by("other[bot]")).toBe(false);
  const via = { performed_via_github_app: { id: 42 } };
  expect(by("ada", { action: "created", comment: via })).toBe(true);
  expect(by("ada", { action: "edited", comment: via })).toBe(false);
  expect(by("ada", { action: "created", issue: via, comment: {} })).toBe(false);
  expect(by("ada", { action: "opened", issue: via })).toBe(true);
  const other = { performed_via_github_app: { id: 41 } };
  expect(by("ada", { action: "created", comment: other })).toBe(false);
});

test("the App's own checks start nothing, though they come in the name of whoever pushed; asked for again they do", () => {
  const own = { login: "croft[bot]", appId: 42 };
  const of = (name: string, action: string, id = 42) =>
    isOwnDoing(eventOf(name, { action, sender: person, [name]: { app: { id } } }), own);
  expect(of("check_run", "created")).toBe(true);
  expect(of("check_run", "completed")).toBe(true);
  expect(of("check_suite", "completed")).toBe(true);
  expect(of("check_run", "completed", 41)).toBe(false);
  expect(of("check_run", "rerequested")).toBe(false);
  expect(of("check_run", "requested_action")).toBe(false);
  expect(of("check_suite", "requested")).toBe(false);
});

test("the deletion of a branch is no push that something could run at", () => {
  const push = { repository, sender: person, ref: "refs/heads/main" };
  expect(matchesPayload(trigger("push"), eventOf("push", push))).toBe(true);
  expect(matchesPayload(trigger("push"), eventOf("push", { ...push, deleted: true }))).toBe(false);
  expect(matchesPayload(trigger("delete"), eventOf("delete", { ...push, ref: "main" }))).toBe(true);
});

test("a check belongs to a pull request of its own repository, if to exactly one", () => {
  const into = (id: number, number: number) => ({ number, base: { repo: { id } } });
  const of = (...pull_requests: object[]) =>
    eventOf("check_suite", { repository, check_suite: { pull_requests } }).pullRequest;
  expect(of(into(1, 7))).toBe(7);
  expect(of(into(2, 5), into(1, 7))).toBe(7);
  expect(of(into(2, 5))).toBeUndefined();
  expect(of(into(1, 7), into(1, 8))).toBeUndefined();
});

test.each<[string, Partial<GithubTrigger>, string]>([
  ["push", { command: "/x" }, "no comment that was written"],
  ["issue_comment.edited", { command: "/x" }, "no comment that was written"],
  ["issue_comment", { command: "a;b" }, "is no command"],
  ["issue_comment", { anyone: true }, "only for a command"],
  ["issues", { paths: ["a"] }, "no changed files"],
  ["issues", { branches: ["a"] }, "no branch"],
  ["push", { labels: ["a"] }, "no labels"],
  ["push", { supersede: true }, "no pull request"],
  ["push", { drafts: false }, "no pull request"],
  ["issues", { forks: "trusted" }, "no pull request"],
  ["push", { paths: ["!a"] }, "begins with '!'"],
  ["push", { paths: ["../a"] }, "'..' is not allowed"],
  ["push", { branches: ["+(a|b)"] }, "parentheses"],
  ["push", { repositories: ["a["] }, "no valid glob"],
  ["Push", {}, "expected an event"],
])("%s with %j cannot be meant: %s", (events, more, message) => {
  const [fault] = triggerFaults(trigger(events, more));
  expect(fault?.message).toContain(message);
});
