// Pipelines that events of GitHub start: on the pull request's own code, with its merge base, and without secrets for forks.
import { putSecret } from "@croft/engine";
import { expect, test } from "vitest";
import { githubPipelineScene as scene } from "./support/github-pipeline-scene.ts";
import { git } from "./support/make-repository.ts";
import { waitUntil } from "./support/wait-until.ts";

const LOOK = `
on: { github: { event: pull_request, branches: [main] } }
steps:
  look:
    workspace: { history: "\${{ event.pull_request.base.ref }}" }
    env: { TITLE: "\${{ event.pull_request.title }}", EVENT: "\${{ event.event }}" }
    outputs: [head, base, commits, title, event]
    run: |
      echo "head=$(git rev-parse HEAD)" >> $CROFT_OUTPUT
      echo "base=$CROFT_MERGE_BASE" >> $CROFT_OUTPUT
      echo "commits=$(git rev-list --count $CROFT_MERGE_BASE..HEAD)" >> $CROFT_OUTPUT
      echo "title=$TITLE" >> $CROFT_OUTPUT
      echo "event=$EVENT" >> $CROFT_OUTPUT
`;

test("a fork's pull request is checked out through the repository that it is for, with its merge base", async () => {
  const { github, repository, store, send, ended, query } = await scene();
  await store("look", LOOK);
  const base = await git(["--git-dir", repository.path, "rev-parse", "main"]);
  const pull = await github.openPullRequest(repository, {
    ...{ head: "fix", fork: "mallory", title: "A fix; $(id)" },
  });
  await github.push(repository, "main", { later: "1" });
  await send(pull, "opened");
  const run = await ended(0);
  expect(run).toMatchObject({ status: "done", error: null, owner: "installation:41" });
  expect(run).toMatchObject({ ref: `refs/pull/${pull.number}/head`, commit: pull.headSha });
  expect(run).toMatchObject({ key: "installation:41", repository: repository.cloneUrl });
  expect(run.steps[0]?.outputs).toEqual({
    ...{ head: pull.headSha, base, commits: "1", title: "A fix; $(id)", event: "pull_request" },
  });
  const [row] = await query("select line, withholds_secrets from croft.run");
  const line = `github:${repository.id}#${pull.number}`;
  expect(row).toEqual({ line, withholds_secrets: true });
});

test("secrets are the installation's, and not for code of forks unless they are trusted", async () => {
  const { github, repository, store, send, ended, engine, runs } = await scene();
  const text = (forks: string) => `
on: { github: { event: pull_request.${forks === "trusted" ? "closed" : "opened"}, forks: ${forks} } }
steps: { use: { secrets: [KEY], run: test "$(cat $CROFT_SECRETS/KEY)" = ours } }
`;
  await putSecret(engine.vault, "installation:41", { name: "KEY", value: "ours" });
  await putSecret(engine.vault, "local", { name: "KEY", value: "the operator's" });
  await store("careful", text("untrusted"));
  await store("trusting", text("trusted"));
  const own = await github.openPullRequest(repository, { head: "own" });
  const fork = await github.openPullRequest(repository, { head: "theirs", fork: "mallory" });
  await send(own, "opened");
  expect(await ended(0)).toMatchObject({ status: "done" });
  await send(fork, "opened");
  const refused = await ended(1);
  expect(refused).toMatchObject({ status: "failed", error: { code: "secrets-withheld" } });
  await send(fork, "closed");
  expect(await ended(2)).toMatchObject({ status: "done" });
  expect(await runs()).toHaveLength(3);
});

test("files of a fork are no pipelines; stored ones may be used, and get no secrets there either", async () => {
  const { github, repository, store, send, ended, engine, query } = await scene();
  await putSecret(engine.vault, "installation:41", { name: "KEY", value: "ours" });
  await store("inner", "steps: { use: { secrets: [KEY], run: cat $CROFT_SECRETS/KEY } }\n");
  await store(
    "by-file",
    "on: { github: pull_request.opened }\nsteps: { a: { uses: used.yaml } }\n",
  );
  await store("by-name", "on: { github: pull_request.closed }\nsteps: { a: { uses: inner } }\n");
  const own = await github.openPullRequest(repository, { head: "own" });
  const fork = await github.openPullRequest(repository, { head: "theirs", fork: "mallory" });
  await send(own, "opened");
  expect(await ended(0)).toMatchObject({ status: "done" });
  await send(fork, "opened");
  expect(await ended(1)).toMatchObject({ status: "failed", error: { code: "untrusted-pipeline" } });
  await send(own, "closed");
  expect(await ended(2)).toMatchObject({ status: "done" });
  await send(fork, "closed");
  expect(await ended(3)).toMatchObject({ status: "failed" });
  const [inner] = await query(
    "select error ->> 'code' as code from croft.run where parent_id is not null and status = 'failed'",
  );
  expect(inner).toEqual({ code: "secrets-withheld" });
});

test("a push runs at the commit that was pushed, whatever came after; the merge of a pull request can be named", async () => {
  const { github, repository, store, push, send, ended } = await scene();
  await store(
    "pushed",
    "on: { github: push }\nsteps: { a: { run: test -e one && ! test -e two } }\n",
  );
  await store("merged", MERGED);
  const before = await git(["--git-dir", repository.path, "rev-parse", "main"]);
  const after = await github.push(repository, "main", { one: "1" });
  await github.push(repository, "main", { two: "2" });
  await push(github.pushPayload(repository, { branch: "main", before, after }));
  expect(await ended(0)).toMatchObject({ status: "done", commit: after, ref: after });
  const pull = await github.openPullRequest(repository, { head: "topic", fork: "mallory" });
  await send(pull, "opened");
  expect(await ended(1)).toMatchObject({ status: "done", commit: pull.headSha });
});

test("a tag with a message runs, and is shown, at its commit", async () => {
  const { github, repository, store, push, ended } = await scene();
  await store("tagged", "on: { github: push }\nsteps: { a: { run: test -e README.md } }\n");
  const inside = ["--git-dir", repository.path];
  const commit = await git([...inside, "rev-parse", "main"]);
  const who = ["-c", "user.name=ada", "-c", "user.email=ada@example.org"];
  await git([...inside, ...who, "tag", "-a", "-m", "one", "v1", "main"]);
  const tag = await git([...inside, "rev-parse", "refs/tags/v1"]);
  const before = "0".repeat(40);
  const payload = github.pushPayload(repository, { branch: "main", before, after: tag });
  await push({ ...payload, ref: "refs/tags/v1", head_commit: { id: commit } });
  expect(await ended(0)).toMatchObject({ status: "done", commit });
  await waitUntil("GitHub to show it", () => repository.checkRuns[0]?.status === "completed");
  expect(repository.checkRuns.map(({ headSha }) => headSha)).toEqual([commit]);
});

const MERGED = `
on: { github: pull_request }
steps:
  a:
    workspace: { base: "refs/pull/\${{ event.number }}/merge" }
    run: test -e two && test -e topic.txt && test "$(git rev-list --parents -1 HEAD | wc -w)" = 3
`;

test("a run that waits for an approval is superseded, too", async () => {
  const { github, repository, store, send, ended, runs } = await scene();
  await store(
    "asking",
    "on: { github: { event: pull_request, supersede: true } }\nsteps: { ask: { approval: true } }\n",
  );
  const pull = await github.openPullRequest(repository);
  await send(pull, "opened");
  const waits = (nth: number) =>
    waitUntil(`run ${nth} to wait`, async () => (await runs())[nth]?.status === "waiting");
  await waits(0);
  await send(pull, "synchronize");
  expect(await ended(0)).toMatchObject({ status: "cancelled", error: { code: "superseded" } });
  await waits(1);
});

test("a superseded run ends and publishes nothing, not even by what always runs; the newer one does", async () => {
  const { github, repository, store, send, ended, query, settled } = await scene();
  await store("publish", PUBLISH);
  const pull = await github.openPullRequest(repository, { head: "topic", files: { wait: "yes" } });
  await send(pull, "opened");
  await waitUntil("its slow step to run", async () => {
    const rows = await query(
      "select from croft.job where type = 'step' and step = 'slow' and status = 'running'",
    );
    return rows.length === 1;
  });
  await github.push(repository, "topic", { wait: "no" });
  await send(pull, "synchronize");
  await settled();
  const first = await ended(0);
  expect(first).toMatchObject({ status: "cancelled", error: { code: "superseded" } });
  const late = first.steps.find(({ step }) => step === "late");
  expect(late).toMatchObject({ status: "failed", error: { code: "superseded" } });
  const second = await ended(1);
  expect(second).toMatchObject({ status: "done", error: null });
  const branches = await git(["--git-dir", repository.path, "branch", "--format=%(refname)"]);
  expect(branches.split("\n").sort()).toEqual(
    ["late/2", "main", "made/2", "topic"].map((name) => `refs/heads/${name}`).sort(),
  );
  const [{ early } = { early: true }] = await query<{ early: boolean }>(
    `select b.started_at < a.finished_at as early from croft.run a, croft.run b where a.number = 1 and b.number = 2`,
  );
  expect(early).toBe(false);
}, 120_000);

const PUBLISH = `
on: { github: { event: [pull_request.opened, pull_request.synchronize], supersede: true, key: "sha:\${{ event.pull_request.head.sha }}" } }
steps:
  make: { run: cp README.md made }
  slow: { needs: [make], run: test "$(cat wait)" = no || sleep 600 }
  push: { needs: [make, slow], publish: { from: make, branch: "made/\${{ run.number }}" } }
  late: { needs: [make, slow], if: always(), continue-on-error: true, publish: { from: make, branch: "late/\${{ run.number }}" } }
`;
