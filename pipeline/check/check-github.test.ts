// Events of GitHub in a pipeline: as a name, a list or with filters; mistakes are told with their places.
import { expect, test } from "vitest";
import { parsePipeline } from "../parse-pipeline.ts";
import { problemText } from "../problem.ts";

const STEPS = "steps: { a: { run: x } }\n";

function read(on: string, more = "") {
  const { pipeline, problems, warnings } = parsePipeline(`on:\n  github:${on}\n${more}${STEPS}`);
  return {
    triggers: pipeline?.on.github,
    problems: problems.map(problemText),
    warnings: warnings.map(problemText),
  };
}

const USUAL = {
  ...{ repositories: [], branches: [], paths: [], pathsIgnore: [], labels: [], senders: [] },
  ...{ anyone: false, drafts: true, ignoreBots: false, forks: "untrusted", supersede: false },
};

test("a name, a list of names, and filters, alone or in a list", () => {
  expect(read(" push").triggers).toEqual([{ ...USUAL, events: ["push"] }]);
  expect(read(" [push, issues.labeled]").triggers).toEqual([
    { ...USUAL, events: ["push"] },
    { ...USUAL, events: ["issues.labeled"] },
  ]);
  const { triggers, problems } = read(`
    - issues.labeled
    - event: [pull_request.opened, pull_request.synchronize]
      repositories: acme/*
      branches: [main, release/**]
      paths: src/**
      paths-ignore: ["**/*.md"]
      labels: bug
      senders: [ada]
      drafts: false
      ignore-bots: true
      forks: trusted
      supersede: true
      priority: background
      key: "pull:\${{ event.number }}"
    - { event: issue_comment, command: /review all, anyone: true }`);
  expect(problems).toEqual([]);
  expect(triggers?.slice(1)).toEqual([
    {
      ...{ events: ["pull_request.opened", "pull_request.synchronize"], anyone: false },
      ...{ repositories: ["acme/*"], branches: ["main", "release/**"], paths: ["src/**"] },
      ...{ pathsIgnore: ["**/*.md"], labels: ["bug"], senders: ["ada"], drafts: false },
      ...{ ignoreBots: true, forks: "trusted", supersede: true, priority: "background" },
      key: `pull:\${{ event.number }}`,
    },
    { ...USUAL, events: ["issue_comment"], command: "/review all", anyone: true },
  ]);
});

test.each([
  [" Push", "2:11: expected an event such as push or issues.labeled"],
  [" { event: push, path: a }", "2:26: unknown key 'path' (did you mean 'paths'?)"],
  [" { paths: a }", "2:3: 'event' is missing"],
  [" { event: push, supersede: true }", "2:37: 'push' has no pull request"],
  [" { event: push, supersede: yes please }", "2:37: expected true or false, found 'yes please'"],
  [
    " [{ event: push, paths: [a, '!b'] }]",
    "2:38: '!b' begins with '!', which is not possible here",
  ],
  [" { event: [push, issues], branches: a }", "2:46: 'issues' has no branch"],
  [" { event: push, command: /go }", "2:35: 'push' has no comment that was written"],
  [` { event: push, key: '\${{ matrix.a }}' }`, "2:36: 'matrix' is not available in 'repository'"],
  [
    " { event: push, priority: high }",
    "2:36: expected background, normal or interactive, found 'high'",
  ],
])("%s: %s", (on, problem) => {
  expect(read(on).problems).toEqual([problem]);
});

test("a name that is not known, and an input that no event gives, are warned of", () => {
  expect(read(" [pull_requests.opened]").warnings).toEqual([
    "2:12: 'pull_requests' is no event of GitHub that Croft knows (did you mean 'pull_request'?)",
  ]);
  expect(read(" push", "inputs: { a: { required: true } }\n").warnings).toEqual([
    "3:26: no event of GitHub can give input 'a' (give it a default, or use 'event')",
  ]);
});

test("workspace.history is a ref, with expressions", () => {
  const text = (history: string) => `steps: { a: { run: x, workspace: { history: ${history} } } }`;
  expect(parsePipeline(text(`"\${{ event.pull_request.base.ref }}"`)).problems).toEqual([]);
  expect(parsePipeline(text("a..b")).problems.map(problemText)).toEqual([
    "1:45: 'a..b' is no valid name of a branch or ref",
  ]);
});
