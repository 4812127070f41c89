// Git goes to GitHub with an installation's own tokens, wherever it goes there, and nowhere else with them.
import { createApp, readJob } from "@croft/engine";
import { parseRemoteUrl, readTips } from "@croft/git";
import { expect, test } from "vitest";
import { accessOf } from "../engine/watches/watch-access.ts";
import { HOLD, heldSteps, letGo } from "./support/held-steps.ts";
import { importCommits, treeOf } from "./support/import-commits.ts";
import { git } from "./support/make-repository.ts";
import { runScene } from "./support/run-scene.ts";
import { scratchServer } from "./support/scratch-server.ts";
import { startFakeGithub } from "./support/start-fake-github.ts";
import { waitUntil } from "./support/wait-until.ts";

const ALL = { owner: undefined };
const PUBLISH = `
steps:
  change:
    workspace: { branch: "croft/change" }
    run: echo more > more.txt && git add . && git commit -qm more
  push: { needs: change, publish: { from: change, branch: "croft/published" } }
`;

async function scene() {
  const github = await startFakeGithub();
  const installation = github.addInstallation({ account: "acme" });
  const repository = await github.addRepository(installation, "one");
  const runs = await runScene({ flags: github.settings });
  const owner = `installation:${installation.id}`;
  const whole = { owner, repository: repository.cloneUrl };
  const submit = async (type: string, input: object, as = owner) => {
    const { intake, database } = runs.engine;
    const job = { type, input, owner: as, priority: "normal" } as const;
    const { id } = await intake.submit(job as never);
    return await waitUntil("the end of the job", async () => {
      const now = await readJob(database, ALL, id);
      return ["done", "failed", "cancelled"].includes(now.status) ? now : undefined;
    });
  };
  return { github, installation, repository, runs, owner, whole, submit };
}

test("a run reads with a token that may only read, and publishes with one that may write, each for one repository", async () => {
  const { github, repository, runs, whole } = await scene();
  const { status, steps } = await runs.run(PUBLISH, whole);
  expect(steps.map(({ error }) => error?.message ?? null)).toEqual([null, null]);
  expect(status).toBe("done");
  const branches = await git(["--git-dir", repository.path, "for-each-ref", "refs/heads"]);
  expect(branches).toContain("croft/published");
  expect(github.tokens.length).toBeGreaterThan(1);
  for (const { permissions, repositories } of github.tokens) {
    expect(repositories?.map(({ name }) => name)).toEqual(["one"]);
    expect(Object.keys(permissions).sort()).toEqual(["contents", "metadata"]);
  }
  const levels = github.tokens.map(({ permissions }) => permissions["contents"]);
  expect(new Set(levels)).toEqual(new Set(["read", "write"]));
});

test("a job of seventy minutes still publishes: its token has ended, and is replaced", async () => {
  const { github, repository, runs, whole } = await scene();
  const early = await runs.run(PUBLISH, whole); // so that there is a token to write with, too
  expect(early.status).toBe("done");
  const before = github.tokens.length;
  const text = PUBLISH.replace("echo more", `${HOLD}; echo more`).replaceAll("published", "late");
  const id = await runs.start(text, whole);
  const held = await heldSteps({ query: runs.query as never }, [id], 1);
  github.advance(70 * 60_000);
  await letGo(held);
  const isOver = async () => (await runs.detail(id)).finished_at !== null;
  await waitUntil("the end of the run", isOver);
  const { steps } = await runs.detail(id);
  expect(steps.map(({ error }) => error?.message ?? null)).toEqual([null, null]);
  expect(github.tokens.length).toBeGreaterThan(before);
  const tree = ["--git-dir", repository.path, "ls-tree", "--name-only", "croft/late"];
  expect(await git(tree)).toContain("more.txt");
});

test("command jobs and renderers of an installation read its private repositories", async () => {
  const { repository, submit } = await scene();
  const command = { repository: repository.cloneUrl, command: "cat README.md" };
  expect(await submit("command", command)).toMatchObject({ status: "done", error: null });
  const archive = await submit("archive", { repository: repository.cloneUrl });
  expect(archive).toMatchObject({ status: "done", error: null });
});

test("a submodule of the same installation is read by a token of its own", async () => {
  const { github, installation, repository, submit } = await scene();
  const sub = await github.addRepository(installation, "sub");
  const commit = await git(["--git-dir", sub.path, "rev-parse", "main"]);
  const modules = `[submodule "sub"]\n\tpath = sub\n\turl = ../sub.git\n`;
  const tree = treeOf({ ".gitmodules": modules, sub: { mode: "160000", commit } });
  await importCommits(repository.path, "with-sub", [tree]);
  const input = { repository: repository.cloneUrl, ref: "with-sub", submodules: true };
  const job = await submit("command", { ...input, command: "cat sub/README.md" });
  expect(job).toMatchObject({ status: "done", error: null });
  const names = github.tokens.map(({ repositories }) => repositories?.map(({ name }) => name));
  expect(names).toContainEqual(["sub"]);
});

test("what the installation has not is refused as such; what GitHub cannot answer is tried again", async () => {
  const { github, repository, submit } = await scene();
  const other = await github.addRepository(github.addInstallation({ account: "other" }), "one");
  const closed = await submit("command", { repository: other.cloneUrl, command: "true" });
  expect(closed.error).toMatchObject({ class: "invalid" });
  expect(closed.error?.message).toContain("may not use 'other/one'");
  expect(closed.attempt).toBe(1);
  github.faults = [{ kind: "status", status: 503, of: /access_tokens$/, times: 1 }];
  const again = await submit("command", { repository: repository.cloneUrl, command: "true" });
  expect(again).toMatchObject({ status: "done", attempt: 2 });
});

test("an app, and this machine's own people, have no token of an installation", async () => {
  const { github, repository, runs, submit } = await scene();
  const input = { repository: repository.cloneUrl, command: "true" };
  const { app } = await createApp(runs.engine.database, "curious");
  for (const owner of [`app:${app.id}`, "local"]) {
    expect(await submit("command", input, owner)).toMatchObject({ status: "failed" });
  }
  expect(github.tokens).toEqual([]);
});

test("admins give an app an installation as its credential, apps give themselves none, and watches go by it", async () => {
  const { github, installation, repository, runs } = await scene();
  const { engine } = runs;
  const server = await scratchServer(engine);
  const made = await createApp(engine.database, "reader");
  const credential = {
    ...{ app: made.app.id, kind: "github-app", url: `${github.webUrl}/acme` },
    ...{ value: String(installation.id), check_url: repository.cloneUrl },
  };
  const post = async (token: string, body: object) => {
    const headers = { authorization: `Bearer ${token}` };
    const url = "/api/credentials";
    return await server.inject({ method: "POST", url, headers, payload: body });
  };
  expect((await post(made.token, credential)).statusCode).toBe(403);
  const put = (body: object) => post(engine.localToken, { ...credential, ...body });
  for (const wrong of [{ value: "99" }, { value: "x" }, { url: "https://example.org/acme" }]) {
    expect((await put(wrong)).statusCode).toBe(422);
  }
  const answer = await put({});
  expect(answer.json()).toMatchObject({ kind: "github-app", state: "working" });
  const watch = { app_id: made.app.id, credential_id: answer.json().id, url: repository.cloneUrl };
  const { access } = await accessOf(engine, watch);
  const remote = parseRemoteUrl(watch.url);
  const tips = await readTips(remote, [""], access);
  expect(tips.size).toBe(1);
  installation.suspended = true;
  github.revokeTokens();
  const refused = await accessOf(engine, watch);
  await expect(readTips(remote, [""], refused.access)).rejects.toMatchObject({ code: "auth" });
});
