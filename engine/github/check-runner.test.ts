// Runs of GitHub's events as check runs there, and steps that write to it.
import { expect, test } from "vitest";
import { githubRunScene } from "../../test/support/github-run-scene.ts";
import { HOLD, heldSteps, letGo } from "../../test/support/held-steps.ts";
import { git } from "../../test/support/make-repository.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { retryRun } from "../runs/change-runs.ts";

const CHANGE = /PATCH .*check-runs/;
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

test("GitHub away at the end of a run is told later", async () => {
  const { run, completed, fake } = await githubRunScene();
  fake.faults = [{ kind: "status", status: 503, of: /check-runs/, times: 2 }];
  const away = await run("name: away\nsteps: { say: { run: 'true' } }");
  expect((await completed(away.id)).conclusion).toBe("success");
});

const HELD = `name: held\nsteps: { a: { run: '${HOLD}' }, b: { needs: a, run: 'true' } }`;

test("a refusal while a run goes on ends what is told live, not what is told of its end", async () => {
  const { start, completed, fake, repository, query, hurry } = await githubRunScene();
  const id = await start(HELD);
  await waitUntil("its check", () => repository.checkRuns.length === 1);
  const refusal = { kind: "status" as const, status: 403, of: CHANGE, times: 1 };
  fake.faults = [refusal];
  const held = await heldSteps({ query }, [id], 1);
  const error = await waitUntil("its refusal", async () => {
    await hurry();
    const [check] = await query<{ error: string | null }>(
      "select error from croft.github_check where is_open and due_at = 'infinity'",
    );
    return check?.error ?? undefined;
  });
  expect(error).toContain("403");
  expect(refusal.times).toBe(0);
  await letGo(held);
  expect((await completed(id)).history).toEqual(["queued", "completed/success"]);
});

test("an end that GitHub refuses is tried again for hours, and the run is none the worse", async () => {
  const { start, ended, completed, fake, repository, query, hurry } = await githubRunScene();
  const id = await start(HELD);
  const held = await heldSteps({ query }, [id], 1);
  await waitUntil("its check", () => repository.checkRuns.length === 1);
  fake.faults = [{ kind: "status", status: 404, of: CHANGE }];
  await letGo(held);
  expect((await ended(id)).status).toBe("done");
  for (const minutes of [1, 4, 16]) {
    await waitUntil(`a pause of ${minutes} minutes`, async () => {
      const within = "due_at - croft.now() between $1::interval - interval '30 s' and $1::interval";
      const text = `select from croft.github_check where is_open and refusals > 0 and ${within}`;
      return (await query(text, [`${minutes} minutes`])).length === 1;
    });
    if (minutes === 16) fake.faults = [];
    await hurry();
  }
  expect((await completed(id)).conclusion).toBe("success");
});

test("what GitHub goes on refusing is given up", async () => {
  const { run, fake, query, hurry, installation } = await scene();
  installation.permissions = { metadata: "read", contents: "write" };
  fake.revokeTokens();
  const { id, status } = await run("name: refused\nsteps: { say: { run: 'true' } }");
  expect(status).toBe("done");
  const [given] = await waitUntil("it to be given up", async () => {
    await hurry();
    const row = "select error, refusals from croft.github_check where run_id = $1 and not is_open";
    const rows = await query(row, [id]);
    return rows.length === 1 ? rows : undefined;
  });
  expect(given).toMatchObject({ error: expect.any(String), refusals: 6 });
});

test("a dispatcher that was taken for dead tells how a run stood: its end is told again", async () => {
  const { start, ended, fake, repository, query, hurry } = await githubRunScene();
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const id = await start(HELD);
  await waitUntil("its check", () => repository.checkRuns.length === 1);
  fake.faults = [{ kind: "gate", opened, of: CHANGE, times: 1 }];
  const held = await heldSteps({ query }, [id], 1);
  await waitUntil("word that it goes on", async () => {
    await hurry();
    return fake.requests.some(({ line }) => CHANGE.test(line));
  });
  await query("delete from croft.dispatcher");
  await letGo(held);
  await ended(id);
  const history = () => repository.checkRuns[0]?.history ?? [];
  await waitUntil("its end", () => history().at(-1) === "completed/success");
  const known = history().length;
  open();
  await waitUntil("its end once more", () => history().length === known + 2);
  expect(history().slice(known)).toEqual(["in_progress", "completed/success"]);
  await waitUntil("nothing to be left to tell", async () => {
    return (await query("select from croft.github_check where is_open")).length === 0;
  });
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
