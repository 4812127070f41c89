// What runs for a pull request is what its event was about, however its author pushes before, while and after it is looked at.
import { decideApproval, putSecret } from "@croft/engine";
import { expect, test } from "vitest";
import { githubPipelineScene } from "./support/github-pipeline-scene.ts";
import { git } from "./support/make-repository.ts";
import { waitUntil } from "./support/wait-until.ts";

const ALL = { owner: undefined };

const DEPLOY = `
on: { github: { event: pull_request.labeled, labels: [safe], forks: trusted } }
check: false
steps:
  use:
    secrets: [KEY]
    outputs: [ran]
    run: echo "ran=$(cat evil.txt 2>/dev/null || echo looked at)" >> $CROFT_OUTPUT
  again:
    needs: use
    outputs: [ran]
    run: echo "ran=$(cat evil.txt 2>/dev/null || echo looked at)" >> $CROFT_OUTPUT
`;

/** Somebody has looked at the pull request of a stranger, and has said so by a label. */
async function labelled() {
  const parts = await githubPipelineScene({ isDispatched: false });
  const { github, repository, store, engine } = parts;
  await putSecret(engine.vault, "installation:41", { name: "KEY", value: "ours" });
  await store("deploy", DEPLOY);
  const pull = await github.openPullRequest(repository, { head: "theirs", fork: "mallory" });
  const event = github.pullPayload(pull, "labeled", { label: { name: "safe" } });
  return { ...parts, pull, event, lookedAt: pull.headSha };
}

test("a push that comes before the run has begun changes nothing of what it runs, in no step", async () => {
  const { github, pull, event, lookedAt, bring, dispatch, ended } = await labelled();
  await github.push(pull.from, "theirs", { "evil.txt": "not looked at" });
  await bring("pull_request", event);
  await dispatch();
  const run = await ended(0);
  expect(run).toMatchObject({ status: "done", error: null, commit: lookedAt });
  expect(run).toMatchObject({ ref: `refs/pull/${pull.number}/head` });
  expect(run.steps.map(({ outputs }) => outputs)).toEqual([
    { ran: "looked at" },
    { ran: "looked at" },
  ]);
});

test("a commit that was forced away before the run has begun is not replaced by another", async () => {
  const { github, pull, event, lookedAt, bring, dispatch, ended } = await labelled();
  await git(["--git-dir", pull.from.path, "update-ref", "-d", "refs/heads/theirs"]);
  await github.push(pull.from, "theirs", { "evil.txt": "not looked at" });
  await bring("pull_request", event);
  await dispatch();
  const run = await ended(0);
  expect(run).toMatchObject({ status: "failed", error: { code: "pull-request-moved" } });
  expect(run.error?.message).toContain(lookedAt);
  expect(run.steps.map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
});

function step(id: string, more: string): string {
  return `
  ${id}:
    ${more}
    retry: { attempts: 1 }
    workspace: { base: "refs/pull/\${{ event.number }}/merge" }
    outputs: [ran, commit]
    run: |
      echo "ran=$(cat evil.txt 2>/dev/null || echo looked at)" >> $CROFT_OUTPUT
      echo "commit=$(git rev-parse HEAD)" >> $CROFT_OUTPUT
`;
}

const APPROVED = `
on: { github: { event: pull_request.labeled, labels: [safe], forks: trusted } }
check: false
steps:
${step("look", "timeout: 5m")}
  ok: { needs: look, approval: true }
${step("deploy", "needs: ok")}
  head:
    needs: ok
    workspace: { base: "refs/pull/\${{ event.number }}/head" }
    outputs: [commit]
    run: echo "commit=$(git rev-parse HEAD)" >> $CROFT_OUTPUT
`;

test("what was approved is what runs after the approval, though the pull request is forced elsewhere meanwhile", async () => {
  const { github, pull, event, lookedAt, store, bring, dispatch, ended, runs, engine } =
    await labelled();
  await store("deploy", APPROVED);
  const { mergeSha } = pull;
  await bring("pull_request", event);
  await dispatch();
  const id = await waitUntil("the approval to be asked for", async () => {
    const [run] = await runs();
    return run?.status === "waiting" ? run.id : undefined;
  });
  await git(["--git-dir", pull.from.path, "update-ref", "-d", "refs/heads/theirs"]);
  await github.push(pull.from, "theirs", { "evil.txt": "not approved" });
  expect(pull.mergeSha).not.toBe(mergeSha);
  await decideApproval(engine, ALL, id, { step: "ok", isApproved: true, by: "ada" });
  const run = await ended(0);
  expect(run).toMatchObject({ status: "done", error: null });
  const said = new Map(run.steps.map(({ step, outputs }) => [step, outputs]));
  expect(said.get("deploy")).toEqual({ ran: "looked at", commit: mergeSha });
  expect(said.get("look")).toEqual(said.get("deploy"));
  expect(said.get("head")).toEqual({ commit: lookedAt });
});

test("a merge that GitHub has not made of this commit is not taken for it", async () => {
  const { github, pull, event, store, bring, dispatch, ended } = await labelled();
  await store("deploy", APPROVED);
  await github.push(pull.from, "theirs", { "evil.txt": "not looked at" }); // its merge is of this one
  await bring("pull_request", event);
  await dispatch();
  const run = await ended(0);
  expect(run).toMatchObject({ status: "failed" });
  const look = run.steps.find(({ step }) => step === "look");
  expect(look?.error).toMatchObject({ code: "pull-request-moved", class: "transient" });
});

test("a comment's run is at the commit that the pull request has when the comment is read", async () => {
  const { github, repository, store, bring, ended } = await githubPipelineScene();
  await store("said", "on: { github: issue_comment.created }\nsteps: { a: { run: 'true' } }\n");
  const pull = await github.openPullRequest(repository);
  await bring("issue_comment", github.commentPayload(pull, "please"));
  expect(await ended(0)).toMatchObject({ status: "done", commit: pull.headSha });
});
