// What events are about, why they wait, and what they started is told in words.
import type { GithubEffect, GithubEvent } from "@croft/contract";
import { expect, test } from "vitest";
import { missingPermissions } from "./app-needs.ts";
import { aboutLink, effectWords, eventAbout, eventName, whyPending } from "./describe-event.ts";
import { githubFilter, githubSearch, hasFilter } from "./github-search.ts";
import { byUrgency, installationState } from "./installation-state.ts";

const now = new Date("2026-11-16T12:00:00Z");
const event: GithubEvent = {
  ...{ id: "e", delivery_id: "d", event: "pull_request", action: "opened", installation: 7 },
  ...{ repository: "octocat/hello", pull_request: 3, sender: "ada", status: "pending" },
  ...{ replay: 0, failures: 0, error: null, due_at: null, size_bytes: 10 },
  ...{ received_at: "2026-11-16T11:00:00Z", settled_at: null },
};

test("an event is named by what happened and what it is about", () => {
  expect(eventName(event)).toBe("pull_request.opened");
  expect(eventName({ event: "push", action: null })).toBe("push");
  expect(eventAbout(event)).toBe("octocat/hello#3");
  expect(eventAbout({ repository: null, pull_request: null })).toBeNull();
  const web = "https://github.example.org";
  expect(aboutLink(web, event)).toBe(`${web}/octocat/hello/pull/3`);
  expect(aboutLink(web, { ...event, pull_request: null })).toBe(`${web}/octocat/hello`);
  expect(aboutLink(web, { ...event, repository: "a/b/../c" })).toBeUndefined();
});

test("why an event waits says when it is tried next, and what it waits for", () => {
  const later = "2026-11-16T12:05:00Z";
  expect(whyPending(event, now).words).toContain("earlier events");
  expect(whyPending({ ...event, installation: null }, now).words).toContain("room");
  const failed = whyPending({ ...event, failures: 2, due_at: later }, now);
  expect(failed).toMatchObject({ until: later });
  expect(failed.words).toContain("2 tries");
  expect(whyPending({ ...event, failures: 2, due_at: event.received_at }, now).until).toBe(
    undefined,
  );
});

test("what an event did has a sentence, also where it started nothing", () => {
  const effect: GithubEffect = {
    ...{ trigger: "pipeline:review", replay: 0, job: null, run: "r", problem: null },
    at: event.received_at,
  };
  expect(effectWords(effect)).toBe("by pipeline review");
  expect(effectWords({ ...effect, trigger: "trigger:job:lint", run: null, job: "j" })).toBe(
    "by trigger job:lint",
  );
  expect(effectWords({ ...effect, run: null, problem: "no" })).toBe(
    "Pipeline review started nothing",
  );
  expect(effectWords({ ...effect, trigger: "croft/watches", run: null })).toContain("Watches");
});

test("an address that no list can be asked with asks for all", () => {
  const all = { status: undefined, installation: undefined, event: undefined, cursor: undefined };
  expect(githubSearch({ status: "x", installation: "0", event: "a b", cursor: "-1" })).toEqual(all);
  expect(githubSearch({ installation: "1".repeat(40) })).toEqual(all);
  const search = githubSearch({ status: "failed", installation: "42", event: "push" });
  expect(githubFilter(search)).toEqual({ status: "failed", installation: 42, event: "push" });
  expect([hasFilter(search), hasFilter(all), hasFilter({ cursor: "9" })]).toEqual([
    ...[true, false, false],
  ]);
});

test("installations that fail come first, those that are gone last", () => {
  const one = {
    ...{ id: 1, account: "a", account_type: "User", selection: "all", repositories: 1 },
    ...{ pending: 0, failed: 0, last_received_at: "2026-11-16T10:00:00Z" },
    ...{ suspended_at: null, deleted_at: null, created_at: event.received_at },
  };
  const failing = { ...one, id: 2, failed: 1 };
  const removed = { ...one, id: 3, failed: 2, deleted_at: event.received_at };
  const newer = { ...one, id: 4, last_received_at: "2026-11-16T11:00:00Z" };
  const sorted = [removed, one, failing, newer].toSorted(byUrgency);
  expect(sorted.map(({ id }) => id)).toEqual([2, 4, 1, 3]);
  expect(sorted.map(installationState)).toEqual(["failing", "ok", "ok", "removed"]);
});

test("permissions that were not granted are named; what was never told is not missed", () => {
  expect(missingPermissions(null)).toEqual([]);
  const granted = { metadata: "read", contents: "read", issues: "write", checks: "admin" };
  const missing = missingPermissions(granted).map(({ key }) => key);
  expect(missing).toEqual(["contents", "pull_requests"]);
});
