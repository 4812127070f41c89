// What the App asks GitHub, with which tokens, and how it bears with refusals; at a real HTTP server that plays GitHub.
import { createPrivateKey } from "node:crypto";
import { parseRemoteUrl } from "@croft/git";
import { expect, onTestFinished, test } from "vitest";
import type { FakeGithub } from "../../test/support/fake-github.ts";
import { startFakeGithub } from "../../test/support/start-fake-github.ts";
import { openGithubApp } from "./github-app.ts";
import type { Clock } from "./github-door.ts";

interface SceneOptions {
  readonly privateKey?: (pem: string) => string;
  /** Of the fake, not of the App. */
  readonly aheadMs?: number;
  readonly timeoutMs?: number;
}

/** A clock that both share, and that waits by being turned. */
function turnedClock(): Clock & {
  now(): number;
  readonly waits: number[];
  turn(ms: number): void;
} {
  let now = 1_800_000_000_000;
  const waits: number[] = [];
  return {
    waits,
    now: () => now,
    turn: (ms) => {
      now += ms;
    },
    wait: async (ms, signal) => {
      signal?.throwIfAborted();
      waits.push(ms);
      now += ms;
    },
  };
}

async function scene({ privateKey = (pem) => pem, aheadMs = 0, timeoutMs }: SceneOptions = {}) {
  const clock = turnedClock();
  const github = await startFakeGithub({ now: () => clock.now() + aheadMs });
  const settings = {
    ...{ appId: github.appId, privateKey: privateKey(github.privateKey) },
    ...{ apiUrl: github.url, webUrl: github.webUrl, redeliverEvery: 900_000 },
  };
  const config = { github: settings, git: { caFile: github.caFile } };
  const options = { config: config as never, version: "test", clock, timeoutMs };
  const app = openGithubApp(options);
  if (app === undefined) throw new Error("there is no App");
  onTestFinished(() => app.close());
  const installation = github.addInstallation({ account: "acme" });
  const repository = await github.addRepository(installation, "one");
  const pull = await github.openPullRequest(repository);
  const comment = (body: string, signal?: AbortSignal) =>
    app.ask<{ id: number }>({
      ...{ installation: installation.id, repository: repository.fullName },
      route: "POST /repos/{owner}/{repo}/issues/{issue_number}/comments",
      parameters: { issue_number: pull.number, body },
      ...(signal === undefined ? {} : { signal }),
    });
  return { clock, github, app, installation, repository, pull, comment };
}

const tokenRequests = ({ requests }: FakeGithub) =>
  requests.filter(({ line }) => line.endsWith("/access_tokens")).length;

test("a token is narrowed to the repository and what the route needs, and used until ten minutes before its end", async () => {
  const { github, clock, comment, repository } = await scene();
  await comment("first");
  expect(github.tokens).toMatchObject([
    { repositories: [{ name: "one" }], permissions: { metadata: "read", issues: "write" } },
  ]);
  clock.turn(49 * 60_000);
  await comment("second");
  expect(github.tokens).toHaveLength(1);
  clock.turn(2 * 60_000);
  await comment("third");
  expect(github.tokens).toHaveLength(2);
  expect(repository.comments.map(({ body }) => body)).toEqual(["first", "second", "third"]);
});

test("many who need the same token at once make one request for it", async () => {
  const { github, comment } = await scene();
  await Promise.all(Array.from({ length: 20 }, (_, at) => comment(`no. ${at}`)));
  expect(tokenRequests(github)).toBe(1);
});

test("an installation is asked for one token at a time, whatever they are for; others do not wait for it", async () => {
  const { github, app, installation, repository, pull, comment } = await scene();
  const other = await github.addRepository(github.addInstallation({ account: "other" }), "two");
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  github.faults = [{ kind: "gate", opened, of: /access_tokens$/, times: 1 }];
  const [owner, repo] = repository.fullName.split("/");
  const first = comment("first");
  const more = ["", "/files"].map((what) =>
    app.ask({
      ...{ installation: installation.id, repository: repository.fullName },
      route: `GET /repos/{owner}/{repo}/pulls/{pull_number}${what}`,
      parameters: { owner, repo, pull_number: pull.number },
    }),
  );
  const asked = (id: number) =>
    github.requests.filter(({ line }) => line.endsWith(`/${id}/access_tokens`)).length;
  const theirs = { installation: other.installation?.id ?? 0, repository: other.fullName };
  await app.ask({ ...theirs, route: "GET /repos/{owner}/{repo}" });
  expect(asked(installation.id)).toBe(1);
  open();
  await Promise.all([first, ...more]);
  expect(asked(installation.id)).toBe(2);
});

test("a token that is refused is replaced once, for all who were refused", async () => {
  const { github, comment, repository } = await scene();
  await comment("before");
  github.revokeTokens();
  await Promise.all(Array.from({ length: 5 }, (_, at) => comment(`no. ${at}`)));
  expect(tokenRequests(github)).toBe(2);
  expect(repository.comments).toHaveLength(6);
  github.faults = [{ kind: "status", status: 401, of: /comments$/ }];
  await expect(comment("never")).rejects.toMatchObject({ name: "GithubError", status: 401 });
});

test("keys as GitHub gives them out, as others write them, and as people paste them into a variable", async () => {
  const pkcs8 = (pem: string) =>
    String(createPrivateKey(pem).export({ type: "pkcs8", format: "pem" }));
  const oneLine = (pem: string) => pem.replaceAll("\n", "\\n");
  for (const privateKey of [pkcs8, oneLine, (pem: string) => oneLine(pkcs8(pem))]) {
    const { app } = await scene({ privateKey });
    expect(await app.login()).toBe("croft[bot]");
  }
});

test.each([-20, 20])(
  "a clock that is %i minutes off is corrected by GitHub's own",
  async (minutes) => {
    const { app, comment, github, clock } = await scene({ aheadMs: minutes * 60_000 });
    expect(await app.login()).toBe("croft[bot]");
    expect(Math.round(app.skewMs / 60_000)).toBe(minutes);
    await comment("first");
    clock.turn(45 * 60_000);
    await comment("by the same token");
    clock.turn(6 * 60_000);
    await comment("by another");
    expect(github.tokens).toHaveLength(2);
  },
);

test("a short limit is waited for, a long one is told, and nothing is asked before its time", async () => {
  const { github, clock, comment, repository, installation } = await scene();
  github.faults = [
    { kind: "secondary-rate-limit", retryAfterSeconds: 7, of: /comments$/, times: 1 },
  ];
  await comment("after seven seconds");
  expect(clock.waits).toEqual([7000]);
  github.faults = [{ kind: "rate-limit", resetInMs: 600_000, of: /comments$/, times: 1 }];
  const limited = { isRateLimit: true, code: "github-rate-limit" };
  await expect(comment("no")).rejects.toMatchObject({ ...limited, retryAfterMs: 600_000 });
  const asked = github.requests.length;
  await expect(comment("no")).rejects.toMatchObject(limited);
  expect(github.requests).toHaveLength(asked);
  clock.turn(601_000);
  await comment("in time again");
  installation.rateLimit = { limit: 10, remaining: 1, resetAt: clock.now() + 300_000 };
  await comment("the last");
  const spent = github.requests.length;
  await expect(comment("one too many")).rejects.toMatchObject({
    ...limited,
    retryAfterMs: 300_000,
  });
  expect(github.requests).toHaveLength(spent);
  expect(repository.comments).toHaveLength(3);
});

test("a limit of one installation is none of another's", async () => {
  const { github, app, comment } = await scene();
  const other = github.addInstallation({ account: "other" });
  const { fullName } = await github.addRepository(other, "two");
  github.faults = [{ kind: "rate-limit", resetInMs: 600_000, of: /comments$/ }];
  await expect(comment("no")).rejects.toMatchObject({ isRateLimit: true });
  const route = "GET /repos/{owner}/{repo}";
  const found = await app.ask({ installation: other.id, repository: fullName, route });
  expect(found).toMatchObject({ full_name: "other/two" });
});

test.each([
  [{ kind: "status", status: 502 } as const, { status: 502, mayPass: true }],
  [{ kind: "status", status: 422 } as const, { status: 422, mayPass: false }],
  [{ kind: "cut" } as const, { status: undefined, mayPass: true }],
  [{ kind: "silence" } as const, { status: undefined, mayPass: true }],
  [{ kind: "bad-json" } as const, { status: undefined, mayPass: true }],
  [{ kind: "redirect", to: "https://127.0.0.1:1" } as const, { status: 302, mayPass: false }],
])("%j is told as such, and is asked once", async (fault, expected) => {
  const { github, comment } = await scene({ timeoutMs: 1000 });
  await comment("with a token");
  github.faults = [{ ...fault, of: /comments$/ }];
  const before = github.requests.length;
  await expect(comment("no")).rejects.toMatchObject({ name: "GithubError", ...expected });
  expect(github.requests.length - before).toBe(1);
});

test("whoever no longer waits gets no answer, and the token that others wait for still comes", async () => {
  const { github, comment } = await scene();
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  github.faults = [{ kind: "gate", opened, of: /access_tokens$/, times: 1 }];
  const stopping = new AbortController();
  const stopped = comment("no", stopping.signal);
  const patient = comment("yes");
  stopping.abort(new Error("enough"));
  await expect(stopped).rejects.toThrow("enough");
  open();
  expect(await patient).toMatchObject({ id: expect.any(Number) });
});

test("what an installation has not is told as such, and its token is for no other's of the same name", async () => {
  const { app, github, installation } = await scene();
  await github.addRepository(github.addInstallation({ account: "other" }), "one");
  const route = "GET /repos/{owner}/{repo}";
  const ask = (id: number, repository: string) => app.ask({ installation: id, repository, route });
  const refused = { name: "GithubError", code: "github-no-access" };
  await expect(ask(installation.id, "acme/none")).rejects.toMatchObject(refused);
  await expect(ask(installation.id, "other/one")).rejects.toThrow("may not use 'other/one'");
  await expect(ask(99, "acme/one")).rejects.toThrow("has no installation 99");
  installation.suspended = true;
  await expect(ask(installation.id, "acme/one")).rejects.toThrow("suspended");
});

test("git gets tokens for the repository it asks for, to write only for a push, and for no other host", async () => {
  const { app, github, installation, repository } = await scene();
  await github.addRepository(installation, "sub");
  const tokens = app.tokens(installation.id);
  const at = (path: string) => parseRemoteUrl(`${github.webUrl}/${path}.git`);
  const read = await tokens({ refresh: false, remote: at(repository.fullName) });
  expect(read).toEqual({ username: "x-access-token", password: github.tokens[0]?.token });
  await tokens({ refresh: false, remote: at("acme/sub"), isPush: true });
  expect(github.tokens).toMatchObject([
    { repositories: [{ name: "one" }], permissions: { contents: "read" } },
    { repositories: [{ name: "sub" }], permissions: { contents: "write" } },
  ]);
  const again = await tokens({ refresh: true, remote: at(repository.fullName) });
  expect(again.password).not.toBe(read.password);
  const evil = parseRemoteUrl("https://github.example.org/acme/one.git");
  await expect(tokens({ refresh: false, remote: evil })).rejects.toThrow("only");
  await expect(tokens({ refresh: false, remote: at("acme/one/more") })).rejects.toThrow();
  expect(github.tokens).toHaveLength(3);
});

test("a push may change workflows where the installation allows it; where it does not, that is remembered for a while", async () => {
  const { app, github, installation, repository } = await scene();
  const asked = () => github.requests.filter(({ line }) => line.endsWith("/access_tokens")).length;
  const tokens = app.tokens(installation.id);
  const push = () =>
    tokens({
      ...{ refresh: true, isPush: true },
      remote: parseRemoteUrl(`${github.webUrl}/${repository.fullName}.git`),
    });
  await push();
  expect(github.tokens.at(-1)?.permissions).toEqual({ metadata: "read", contents: "write" });
  expect(asked()).toBe(2);
  await push();
  expect(asked()).toBe(3);
  installation.permissions = { ...installation.permissions, workflows: "write" };
  github.advance(11 * 60_000);
  await push(); // whose answer says what time it is
  await push();
  expect(github.tokens.at(-1)?.permissions).toMatchObject({ workflows: "write" });
});

test("no parameter leads a token to another address", async () => {
  const { app, github, installation, repository } = await scene();
  const other = await startFakeGithub();
  for (const parameters of [
    { baseUrl: other.url },
    { url: `${other.url}/repos/acme/one` },
    { url: `${github.webUrl}/elsewhere` },
    { owner: "../../..", repo: "x" },
  ]) {
    const asked = app.ask({
      ...{ installation: installation.id, repository: repository.fullName, parameters },
      route: "GET /repos/{owner}/{repo}",
    });
    await expect(asked).rejects.toThrow();
  }
  expect(other.requests).toEqual([]);
  expect(github.requests.filter(({ line }) => line.includes("elsewhere"))).toEqual([]);
});

test("the App's own lists are read page after page", async () => {
  const { app, github } = await scene();
  for (let at = 0; at < 5; at++) await github.lose("ping", { zen: at });
  const guids: string[] = [];
  const pages = app.pagesAsApp<{ guid: string }[]>("GET /app/hook/deliveries", { per_page: 2 });
  for await (const page of pages) guids.push(...page.map(({ guid }) => guid));
  expect(guids).toEqual(github.deliveries.map(({ guid }) => guid).reverse());
});

test("before the time that a 503 names nobody asks, and what it answered is not sent again on the spot", async () => {
  const { github, clock, comment, repository } = await scene();
  await comment("first");
  const headers = { "retry-after": "10" };
  github.faults = [{ kind: "status", status: 503, headers, of: /comments$/, times: 1 }];
  const failure = { code: "github-unavailable", status: 503, retryAfterMs: 10_000 };
  await expect(comment("perhaps made all the same")).rejects.toMatchObject(failure);
  expect(clock.waits).toEqual([]);
  await comment("second");
  expect(clock.waits).toEqual([10_000]);
  expect(repository.comments.map(({ body }) => body)).toEqual(["first", "second"]);
});
