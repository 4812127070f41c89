// The fake GitHub is as strict as the real one: signed and timely Apps, narrow tokens that end, git for them only.
import { createSign } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, request } from "undici";
import { expect, test } from "vitest";
import type { FakeGithub } from "./support/fake-github.ts";
import { git } from "./support/make-repository.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { startFakeGithub } from "./support/start-fake-github.ts";

interface Claims {
  readonly iat?: number;
  readonly exp?: number;
  readonly iss?: unknown;
}

function jwtOf(github: FakeGithub, claims: Claims = {}, key = github.privateKey): string {
  const now = Math.floor(github.state.now() / 1000);
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${part({ alg: "RS256", typ: "JWT" })}.${part({ iat: now - 30, exp: now + 540, iss: github.appId, ...claims })}`;
  return `${text}.${createSign("RSA-SHA256").update(text).sign(key, "base64url")}`;
}

async function scene() {
  const github = await startFakeGithub();
  const dispatcher = new Agent({ connect: { ca: readFileSync(github.caFile, "utf8") } });
  const ask = async (secret: string, line: string, body?: object) => {
    const [method = "GET", path] = line.split(" ");
    const answer = await request(`${github.url}${path}`, {
      ...{ method, dispatcher, headers: { authorization: `bearer ${secret}` } },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: whatever was answered
    const json = JSON.parse((await answer.body.text()) || "null") as any;
    return { status: answer.statusCode, body: json, headers: answer.headers };
  };
  const installation = github.addInstallation();
  const tokenFor = async (narrowing: object = {}) => {
    const line = `POST /app/installations/${installation.id}/access_tokens`;
    return (await ask(jwtOf(github), line, narrowing)).body.token as string;
  };
  return { github, ask, installation, tokenFor };
}

test("an App is who signs with its key, now", async () => {
  const { github, ask } = await scene();
  const now = Math.floor(github.state.now() / 1000);
  const other = await startFakeGithub();
  expect((await ask(jwtOf(github), "GET /app")).body).toMatchObject({ id: 4711, slug: "croft" });
  for (const jwt of [
    jwtOf(github, {}, other.privateKey),
    jwtOf(github, { iss: 1 }),
    jwtOf(github, { iat: now + 120 }),
    jwtOf(github, { iat: now - 700, exp: now - 1 }),
    jwtOf(github, { exp: now + 1200 }),
    "no.jwt.at-all",
  ]) {
    expect((await ask(jwt, "GET /app")).status).toBe(401);
  }
});

test("a token is for its repository, its permissions and an hour", async () => {
  const { github, ask, installation, tokenFor } = await scene();
  await github.addRepository(installation, "one");
  await github.addRepository(installation, "two");
  const path = `/repos/${installation.account}`;
  const token = await tokenFor({ repositories: ["one"], permissions: { contents: "read" } });
  expect((await ask(token, `GET ${path}/one`)).status).toBe(200);
  expect((await ask(token, `GET ${path}/two`)).status).toBe(404);
  expect((await ask(token, `GET ${path}/one/pulls`)).status).toBe(403);
  expect((await ask(token, `GET /app`)).status).toBe(401);
  const line = `POST /app/installations/${installation.id}/access_tokens`;
  expect((await ask(jwtOf(github), line, { repositories: ["three"] })).status).toBe(422);
  const greedy = { permissions: { administration: "write" } };
  expect((await ask(jwtOf(github), line, greedy)).status).toBe(422);
  github.advance(59 * 60_000);
  expect((await ask(token, `GET ${path}/one`)).status).toBe(200);
  github.advance(60_000);
  expect((await ask(token, `GET ${path}/one`)).status).toBe(401);
});

test("a pull request has refs, files, a merge, and moves on when its branch is pushed by git", async () => {
  const { github, ask, installation, tokenFor } = await scene();
  const repository = await github.addRepository(installation, "one");
  const pull = await github.openPullRequest(repository, { fork: "stranger" });
  const own = await github.openPullRequest(repository, { head: "own" });
  const token = await tokenFor();
  const path = `/repos/${repository.fullName}/pulls`;
  expect((await ask(token, `GET ${path}/${pull.number}/files`)).body).toMatchObject([
    { filename: "topic.txt", status: "added" },
  ]);
  const clone = join(await scratchDirectory(), "clone");
  const withToken = (value: string, ...args: string[]) =>
    git([
      ...["-c", `http.sslCAInfo=${github.caFile}`, "-c", "credential.helper="],
      ...["-c", `http.extraHeader=authorization: basic ${btoa(`x-access-token:${value}`)}`],
      ...args,
    ]);
  await withToken(token, "clone", "--quiet", repository.cloneUrl, clone, "--branch", "own");
  await withToken(token, "-C", clone, "commit", "--quiet", "--allow-empty", "-m", "more");
  await withToken(token, "-C", clone, "push", "--quiet", "origin", "own");
  const head = await git(["rev-parse", "HEAD"], clone);
  expect((await ask(token, `GET ${path}/${own.number}`)).body.head.sha).toBe(head);
  await github.state.settled();
  const refs = await withToken(token, "ls-remote", repository.cloneUrl);
  expect(refs).toContain(`${head}\trefs/pull/${own.number}/head`);
  expect(refs).toContain(`${pull.mergeSha}\trefs/pull/${pull.number}/merge`);
  github.revokeTokens();
  const readOnly = await tokenFor({ permissions: { contents: "read" } });
  await expect(withToken(token, "ls-remote", repository.cloneUrl)).rejects.toThrow();
  await withToken(readOnly, "ls-remote", repository.cloneUrl);
  const push = withToken(readOnly, "-C", clone, "push", "origin", "HEAD:refs/heads/other");
  await expect(push).rejects.toThrow("403");
});

test("lists have pages, requests are counted, and faults come as often as they are asked for", async () => {
  const { github, ask, installation, tokenFor } = await scene();
  const repository = await github.addRepository(installation, "one");
  const { number } = await github.openPullRequest(repository);
  const token = await tokenFor();
  const path = `/repos/${repository.fullName}/issues/${number}/comments`;
  for (let at = 0; at < 3; at++) await ask(token, `POST ${path}`, { body: `no. ${at}` });
  const first = await ask(token, `GET ${path}?per_page=2`);
  expect(first.body).toHaveLength(2);
  expect(String(first.headers["link"])).toContain('page=2>; rel="next"');
  expect((await ask(token, `GET ${path}?per_page=2&page=2`)).body).toHaveLength(1);
  github.faults = [{ kind: "status", status: 502, of: /comments$/, times: 1 }];
  expect((await ask(token, `GET ${path}`)).status).toBe(502);
  expect((await ask(token, `GET ${path}`)).status).toBe(200);
  installation.rateLimit.remaining = 0;
  const spent = await ask(token, `GET ${path}`);
  expect(spent.status).toBe(403);
  expect(spent.headers["x-ratelimit-remaining"]).toBe("0");
});

test("comments are deleted by who has written them, and commits compared as GitHub does", async () => {
  const { github, ask, installation, tokenFor } = await scene();
  const repository = await github.addRepository(installation, "one");
  const { number, headSha } = await github.openPullRequest(repository, { head: "more/topic" });
  const main = await github.push(repository, "main", { "base.txt": "moved on\n" });
  const token = await tokenFor();
  const path = `/repos/${repository.fullName}`;
  const made = await ask(token, `POST ${path}/issues/${number}/comments`, { body: "hello" });
  repository.comments.push({ id: 7, number, body: "mine", author: "ada", edits: 0 });
  const remove = (id: number) => ask(token, `DELETE ${path}/issues/comments/${id}`);
  expect((await remove(7)).status).toBe(403);
  expect((await remove(made.body.id)).status).toBe(204);
  expect((await remove(made.body.id)).status).toBe(404);
  expect(repository.comments.map(({ id }) => id)).toEqual([7]);
  const compared = await ask(token, `GET ${path}/compare/${main}...more%2Ftopic`);
  expect(compared.body).toMatchObject({
    ...{ status: "diverged", ahead_by: 1, behind_by: 1, total_commits: 1 },
    files: [{ filename: "more/topic.txt", status: "added" }],
  });
  const ahead = await ask(token, `GET ${path}/compare/${headSha}...${headSha}`);
  expect(ahead.body).toMatchObject({ status: "identical", files: [] });
  expect((await ask(token, `GET ${path}/compare/main...nothing`)).status).toBe(404);
  const reads = await tokenFor({ permissions: { issues: "read" } });
  expect((await ask(reads, `GET ${path}/compare/main...main`)).status).toBe(403);
});

test("deliveries are listed the newest first and are sent again with the same id", async () => {
  const { github, ask } = await scene();
  const guids = [await github.lose("ping", {}), await github.lose("push", {})];
  const { body, headers } = await ask(jwtOf(github), "GET /app/hook/deliveries?per_page=1");
  expect(body).toMatchObject([{ guid: guids[1], status_code: 0 }]);
  const cursor = /cursor=(\w+)/.exec(String(headers["link"]))?.[1];
  const older = await ask(jwtOf(github), `GET /app/hook/deliveries?cursor=${cursor}`);
  expect(older.body).toMatchObject([{ guid: guids[0] }]);
  const line = `POST /app/hook/deliveries/${body[0].id}/attempts`;
  expect((await ask(jwtOf(github), line)).status).toBe(202);
  await github.state.settled();
  expect(github.deliveries.at(-1)).toMatchObject({ guid: guids[1], redelivery: true });
});
