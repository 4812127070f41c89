// Pull requests from forks: their code neither becomes a branch of the repository nor reaches what only the installation may read.
import { putPipeline, RunAdvancer, showRun, startWorker } from "@croft/engine";
import { expect, onTestFinished, test } from "vitest";
import type { FakePull, FakeRepository } from "./support/fake-github-state.ts";
import { importCommits, treeOf } from "./support/import-commits.ts";
import { inboxScene } from "./support/inbox-scene.ts";
import { git } from "./support/make-repository.ts";
import { startFakeGithub } from "./support/start-fake-github.ts";
import { waitUntil } from "./support/wait-until.ts";

const ALL = { owner: undefined };

async function scene() {
  const github = await startFakeGithub();
  const installation = github.addInstallation({ account: "acme" });
  const repository = await github.addRepository(installation, "engine", { isPrivate: false });
  const { engine, bring, query, dispatch } = await inboxScene({ flags: { ...github.settings } });
  const worker = await startWorker(engine);
  onTestFinished(() => worker.close(0));
  const advancer = RunAdvancer.start(engine);
  onTestFinished(() => advancer.close());
  await dispatch();
  let count = 0;
  return {
    ...{ github, installation, repository },
    store: (text: string) =>
      putPipeline(engine, { owner: "local", name: "ours", text, by: "test" }),
    /** The run of the event, when it has ended. */
    runOf: async (pull: FakePull) => {
      const nth = count++;
      await bring("pull_request", github.pullPayload(pull, "opened"), `delivery-${nth}`);
      const ended = await waitUntil("the run to end", async () => {
        const rows = await query<{ id: string; is_over: boolean }>(
          "select id, finished_at is not null as is_over from croft.run order by created_at, id",
        );
        return rows[nth]?.is_over ? rows[nth] : undefined;
      });
      return await showRun(engine.database, ALL, ended.id);
    },
    tip: (of: FakeRepository, ref: string) => git(["--git-dir", of.path, "rev-parse", ref]),
  };
}

const BACK = (forks: string) => `
on: { github: { event: pull_request, forks: ${forks} } }
steps:
  repair: { run: echo repaired > repaired.txt }
  push: { needs: repair, publish: { from: repair, branch: "\${{ event.pull_request.head.ref }}" } }
`;

test("what is made of a fork's code is not published, whatever its branch is called, unless forks are trusted", async () => {
  const { github, repository, store, runOf, tip } = await scene();
  await store(BACK("untrusted"));
  const own = await github.openPullRequest(repository, { head: "topic" });
  expect(await runOf(own)).toMatchObject({ status: "done" });
  const main = await tip(repository, "refs/heads/main");
  const fork = await github.openPullRequest(repository, { head: "main", fork: "mallory" });
  const refused = await runOf(fork);
  expect(await tip(repository, "refs/heads/main")).toBe(main);
  expect(refused).toMatchObject({ status: "failed", error: { code: "publish-withheld" } });
  await store(BACK("trusted"));
  const trusted = await github.openPullRequest(repository, { head: "theirs", fork: "mallory" });
  expect(await runOf(trusted)).toMatchObject({ status: "done" });
});

const LOOK = `
on: { github: pull_request }
steps: { look: { workspace: { submodules: true }, run: cat sub/README.md } }
`;

test("a fork's submodules are read without the installation's tokens", async () => {
  const { github, installation, repository, store, runOf, tip } = await scene();
  const closed = await github.addRepository(installation, "closed");
  const open = await github.addRepository(installation, "open", { isPrivate: false });
  await store(LOOK);
  /** With that repository as a submodule. */
  const pullWith = async (sub: FakeRepository, options: object) => {
    const pull = await github.openPullRequest(repository, options);
    const modules = `[submodule "sub"]\n\tpath = sub\n\turl = ../${sub.name}.git\n`;
    const link = { mode: "160000", commit: await tip(sub, "main") } as const;
    const tree = treeOf({ ".gitmodules": modules, sub: link });
    const branch = `with-sub-${pull.number}`;
    const [commit = ""] = await importCommits(repository.path, branch, [tree]);
    const head = `refs/pull/${pull.number}/head`;
    await git(["--git-dir", repository.path, "update-ref", head, commit]);
    pull.headSha = commit;
    return pull;
  };
  const names = () => github.tokens.flatMap(({ repositories }) => repositories ?? []);
  const isAsked = () => names().some(({ name }) => name === "closed");
  const theirs = await runOf(await pullWith(closed, { head: "one", fork: "mallory" }));
  expect(theirs).toMatchObject({ status: "failed", error: { code: "github-no-access" } });
  expect(isAsked()).toBe(false);
  const public_ = await runOf(await pullWith(open, { head: "two", fork: "mallory" }));
  expect(public_).toMatchObject({ status: "done" });
  const ours = await runOf(await pullWith(closed, { head: "three" }));
  expect(ours).toMatchObject({ status: "done" });
  expect(isAsked()).toBe(true);
});
