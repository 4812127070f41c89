// Runs of GitHub's events as check runs there, and steps that write to it.
import { expect, test } from "vitest";
import { githubRunScene } from "../../test/support/github-run-scene.ts";
import { git } from "../../test/support/make-repository.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { retryRun } from "../runs/change-runs.ts";

const ANNOTATED = `
name: lint
steps:
  lint:
    matrix: { part: [a, b] }
    artifacts: { remarks: { path: out/checks.json, optional: true } }
    run: |
      mkdir -p out
      echo '[{"path":"topic.txt","start_line":1,"level":"failure","message":"in \${{ matrix.part }}"},{"path":"/x"}]' > out/checks.json
      echo "found **one** in \${{ matrix.part }}" >> $CROFT_SUMMARY
      test \${{ matrix.part }} = a
`;

test("a run is a check run of its commit, with its steps, and annotations of those that failed too", async () => {
  const { run, completed, pull, repository } = await githubRunScene();
  const { id, status } = await run(ANNOTATED);
  expect(status).toBe("failed");
  const check = await completed(id);
  expect(check).toMatchObject({ name: "lint", headSha: pull.headSha, conclusion: "failure" });
  expect(check.output.title).toBe("Step 'lint' failed");
  expect(check.output.summary).toMatch(/\| &nbsp;&nbsp;a \| ✓ done \|/);
  expect(check.output.summary).toMatch(/\| &nbsp;&nbsp;b \| ✗ failed: .*exit code 1/);
  expect(check.output.summary).toContain("annotation 2: start\\_line");
  expect(check.output.text).toContain("found **one** in a");
  expect(check.annotations.map(({ message }) => message).sort()).toEqual(["in a", "in b"]);
  expect(repository.checkRuns).toHaveLength(1);
});

test("which runs are checks is said by the pipeline, or else by the event", async () => {
  const { run, completed, repository, fake, pull } = await githubRunScene();
  const text = "name: quick\nsteps: { say: { run: 'true' } }";
  const comment = { ...fake.commentPayload(pull, "/run"), event: "issue_comment" };
  const event = JSON.parse(JSON.stringify(comment));
  await run(`check: false\n${text}`);
  await run(text, { event });
  const named = await run(`check: { name: "on #\${{ event.issue.number }}" }\n${text}`, { event });
  const usual = await run(text);
  expect((await completed(named.id)).name).toBe(`on #${pull.number}`);
  expect((await completed(usual.id)).name).toBe("quick");
  expect(repository.checkRuns).toHaveLength(2);
});

test("a branch that has moved on before the run began: the check of the first commit ends, too", async () => {
  const { start, ended, completed, fake, repository, pull } = await githubRunScene();
  const before = pull.headSha;
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  fake.faults = [{ kind: "gate", opened, of: /info\/refs/ }];
  const id = await start("name: quick\nsteps: { say: { run: 'true' } }");
  await waitUntil("the first check run", () => repository.checkRuns.length === 1);
  const after = await fake.push(repository, pull.head, { "more.txt": "more\n" });
  open();
  fake.faults = [];
  expect((await ended(id)).commit).toBe(after);
  await waitUntil("the second check run", () =>
    repository.checkRuns.some(({ headSha, status }) => headSha === after && status === "completed"),
  );
  await completed(id);
  expect(repository.checkRuns.map(({ headSha, conclusion }) => ({ headSha, conclusion }))).toEqual([
    { headSha: before, conclusion: "neutral" },
    { headSha: after, conclusion: "success" },
  ]);
});

test("a run that is begun again is another check run", async () => {
  const { run, ended, completed, engine, repository } = await githubRunScene();
  const { id } = await run("name: fails\nsteps: { say: { run: 'false' } }");
  await completed(id);
  await retryRun(engine, { owner: undefined }, id);
  await ended(id);
  const second = await completed(`${id} 2`);
  expect(second.conclusion).toBe("failure");
  expect(repository.checkRuns).toHaveLength(2);
});

test("GitHub away at the end of a run is told later; what it refuses is given up, and the run is none the worse", async () => {
  const { run, completed, fake, query, installation } = await scene();
  fake.faults = [{ kind: "status", status: 503, of: /check-runs/, times: 2 }];
  const away = await run("name: away\nsteps: { say: { run: 'true' } }");
  expect((await completed(away.id)).conclusion).toBe("success");
  installation.permissions = { metadata: "read", contents: "write" };
  fake.revokeTokens();
  const { id, status } = await run("name: refused\nsteps: { say: { run: 'true' } }");
  expect(status).toBe("done");
  const row = "select error from croft.github_check where run_id = $1 and not is_open";
  const [given] = await waitUntil("it to be given up", async () => {
    const rows = await query(row, [id]);
    return rows.length === 1 ? rows : undefined;
  });
  expect(given?.["error"]).not.toBeNull();
});

async function scene() {
  const all = await githubRunScene();
  const installation = all.fake.installations[0];
  if (installation === undefined) throw new Error("there is no installation");
  return { ...all, installation };
}

test("a branch is published, its pull request opened and updated, and a comment written", async () => {
  const { run, repository, pull } = await githubRunScene();
  const text = (title: string) => `
name: fix
steps:
  change: { run: echo fixed >> topic.txt }
  push:
    needs: change
    publish:
      from: change
      branch: "croft/fix-\${{ event.number }}"
      force: true
      pull-request: { title: "${title} #\${{ event.number }}", body: "Of \${{ repository.commit }}", base: topic }
  tell:
    needs: push
    comment: { body: "See \${{ steps.push.outputs.url }}", per: pull-request, name: fix }
`;
  const first = await run(text("Fix"));
  expect(first.error).toBeNull();
  const [, made] = repository.pulls;
  expect(made).toMatchObject({
    title: "Fix #1",
    base: "topic",
    head: "croft/fix-1",
    state: "open",
  });
  const outputs = first.steps.find(({ step }) => step === "push")?.outputs;
  expect(outputs).toMatchObject({ number: "2", url: expect.stringMatching(/\/pull\/2$/) });
  expect(first.steps.find(({ step }) => step === "tell")?.kind).toBe("comment");
  expect((await run(text("Fix all of"))).status).toBe("done");
  expect(repository.pulls).toHaveLength(2);
  expect(made?.title).toBe("Fix all of #1");
  expect(repository.comments).toHaveLength(1);
  expect(repository.comments[0]).toMatchObject({ number: pull.number, author: "croft[bot]" });
  expect(repository.comments[0]?.body).toContain(`See ${String(outputs?.["url"])}`);
});

test("a comment needs an event of GitHub and a number, and the installation comes from the owner", async () => {
  const { run, payload, fake } = await githubRunScene();
  const text = "steps: { tell: { comment: { body: hello } } }";
  const failure = async (...wish: Parameters<typeof run>) => (await run(...wish)).error?.code;
  expect(await failure(text, { event: null })).toBe("no-github-event");
  const open = await fake.addRepository(undefined, "acme/open", { isPrivate: false });
  const own = { owner: "local", repository: open.cloneUrl, ref: "main" };
  expect(await failure(text, own)).toBe("no-installation");
  const { pull_request: _, ...rest } = payload() as Record<string, unknown>;
  const event = JSON.parse(JSON.stringify(rest));
  expect(await failure(text, { event })).toBe("no-number");
  const elsewhere = await fake.addRepository(fake.addInstallation(), "other/secret");
  const foreign = { ...event, repository: { ...event.repository, full_name: elsewhere.fullName } };
  const publish = `
steps:
  change: { run: echo more > more.txt }
  push: { needs: change, publish: { from: change, branch: more, pull-request: { title: t } } }`;
  expect(await failure(publish, own)).toBe("no-installation");
  const branches = await git(["--git-dir", open.path, "for-each-ref", "refs/heads/more"]);
  expect(branches).toBe(""); // told before anything was published
  const on = "steps: { tell: { comment: { body: hello, on: 1 } } }";
  expect(await failure(on, { event: foreign })).toMatch(/^github-/);
  expect(elsewhere.comments).toEqual([]);
});
