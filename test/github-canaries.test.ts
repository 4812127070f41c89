// Private key, webhook secret, JWTs and tokens are nowhere to be read: in success, and in every way that it can go wrong.
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunList } from "@croft/contract";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callApi } from "./support/call-api.ts";
import { type RunningServer, startServer } from "./support/croft-process.ts";
import { type FakeGithub, serveFakeGithub } from "./support/fake-github.ts";
import type { GithubFault } from "./support/fake-github-faults.ts";
import type { FakeRepository } from "./support/fake-github-state.ts";
import { type ProcessTexts, watchProcesses } from "./support/process-texts.ts";
import { scratchDatabase } from "./support/scratch-database.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { waitUntil } from "./support/wait-until.ts";

/** The first step shows all that a job can see. */
const TEXT = `
on: { github: pull_request.opened }
steps:
  look:
    workspace: { branch: "croft/look-\${{ event.number }}" }
    run: |
      env; git config --list --show-origin; cat .git/config; git remote -v
      cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null || true
      echo "of \${{ event.number }}" > mine.txt
  push: { needs: look, publish: { from: look, branch: "croft/\${{ event.number }}" } }
  tell: { needs: push, comment: { body: "done" } }
`;
const CEILING_MS = 60_000;
const TOKENS = /access_tokens$/;
const FAULTS: Readonly<Record<string, GithubFault[]>> = {
  "401 to everything": [{ kind: "status", status: 401 }],
  "403 for tokens": [{ kind: "status", status: 403, of: TOKENS }],
  "404 for tokens": [{ kind: "status", status: 404, of: TOKENS }],
  "429 for comments": [
    { kind: "status", status: 429, headers: { "retry-after": "3600" }, of: /comments/ },
  ],
  "503 for tokens": [{ kind: "status", status: 503, of: TOKENS }],
  "a cut answer with a token": [{ kind: "cut", isDone: true, of: TOKENS }],
  "no answer to git": [{ kind: "silence", of: /info\/refs$/ }],
  "a redirect": [{ kind: "redirect", to: "https://127.0.0.1:1" }],
  "bad JSON": [{ kind: "bad-json", of: /access_tokens$|comments/ }],
  "an answer that tells what came": [{ kind: "echo", of: /access_tokens$|comments|check-runs/ }],
};

let github: FakeGithub;
let server: RunningServer;
let processes: ProcessTexts;
let pool: pg.Pool;
let data: string;
const answers: string[] = [];
const ends: (() => Promise<unknown> | unknown)[] = [];

beforeAll(async () => {
  const atEnd = (end: () => Promise<void>) => void ends.push(end);
  github = await serveFakeGithub();
  ends.push(() => github.close());
  const databaseUrl = await scratchDatabase(atEnd);
  data = `${await scratchDirectory(atEnd)}/data`;
  processes = watchProcesses();
  ends.push(() => processes.stop());
  const env = { ...github.environment, DATABASE_URL: databaseUrl, CROFT_LOG_LEVEL: "trace" };
  server = await startServer(data, { env });
  ends.push(() => server.stop());
  pool = new pg.Pool({ connectionString: databaseUrl });
  ends.push(() => pool.end());
  await callApi(server, "PUT", "/api/pipelines/look", { text: TEXT });
});

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

/** Of an installation of its own: GitHub may have told the others to wait. */
async function makeRepository(): Promise<FakeRepository> {
  return await github.addRepository(github.addInstallation(), "tools");
}

/** Opens a pull request; its run, when it has begun. */
async function begin(repository: FakeRepository): Promise<string> {
  const pull = await github.openPullRequest(repository);
  const before = (await runs()).map(({ id }) => id);
  const answer = await github.send(server.url, "pull_request", github.pullPayload(pull, "opened"));
  answers.push((await answer?.text()) ?? "");
  return await waitUntil("a run", async () => {
    return (await runs()).find(({ id }) => !before.includes(id))?.id;
  });
}

async function runs() {
  const list = await callApi<RunList>(server, "GET", "/api/runs?limit=100");
  answers.push(JSON.stringify(list));
  return list.runs;
}

async function until(id: string, what: string, look: () => Promise<boolean> | boolean) {
  await waitUntil(what, look, CEILING_MS);
  answers.push(JSON.stringify(await callApi(server, "GET", `/api/runs/${id}`)));
  answers.push(await (await callApiText(`/api/runs/${id}`)).text());
}

async function callApiText(path: string, method = "GET"): Promise<Response> {
  const headers = { authorization: `Bearer ${server.token}` };
  return await fetch(server.url + path, { method, headers });
}

/** It may have ended by itself a moment ago. */
async function stop(id: string): Promise<void> {
  const answer = await callApiText(`/api/runs/${id}/cancel`, "POST");
  answers.push(await answer.text());
  expect([200, 202, 409]).toContain(answer.status);
}

const isOver = async (id: string) =>
  (await runs()).some((run) => run.id === id && run.finished_at !== null);

test("as it should go", async () => {
  const repository = await makeRepository();
  const id = await begin(repository);
  await until(id, "the end of the run", () => isOver(id));
  expect((await runs()).find((run) => run.id === id)?.status).toBe("done");
  expect(repository.comments).toHaveLength(1);
  answers.push(await (await callApiText("/api/github/installations")).text());
  const check = await callApi(server, "POST", "/api/github/check");
  answers.push(JSON.stringify(check));
});

test.each(Object.keys(FAULTS))("%s", async (name) => {
  const repository = await makeRepository();
  const before = github.requests.length;
  github.faults = FAULTS[name]?.map((fault) => ({ ...fault })) ?? [];
  const id = await begin(repository);
  const of = github.faults[0]?.of ?? /./;
  const isMet = async () => {
    const isAsked = github.requests.slice(before).some(({ line }) => of.test(line));
    if (!isAsked) return false;
    if (name === "no answer to git" || (await isOver(id))) return true;
    const { rowCount } = await pool.query(
      "select from croft.job where run_id = $1 and error is not null",
      [id],
    );
    return rowCount !== 0;
  };
  await until(id, "the fault to be met", isMet);
  await stop(id);
  github.faults = [];
  await until(id, "the end of the run", () => isOver(id));
});

test("a push that is refused", async () => {
  const repository = await makeRepository();
  const hook = join(repository.path, "hooks/pre-receive");
  writeFileSync(hook, "#!/bin/sh\nenv >&2\necho no >&2\nexit 1\n");
  chmodSync(hook, 0o755);
  const id = await begin(repository);
  const isRefused = async () => {
    const { rowCount } = await pool.query(
      "select from croft.job where run_id = $1 and error is not null",
      [id],
    );
    return rowCount !== 0 || (await isOver(id));
  };
  await until(id, "the refusal", isRefused);
  await stop(id);
  rmSync(hook);
  await until(id, "the end of the run", () => isOver(id));
});

test("none of it is anywhere", async () => {
  const canaries = canariesOf(github);
  expect(canaries.filter(([what]) => what === "token").length).toBeGreaterThan(5);
  expect(canaries.filter(([what]) => what === "jwt").length).toBeGreaterThan(5);
  const places: (readonly [string, string])[] = [
    ["log", server.output()],
    ["answers", answers.join("\n")],
    ...[...processes.seen].map((text) => ["process", text] as const),
    ...(await tableTexts()),
    ...filesBelow(data),
  ];
  // What is looked at is really there.
  expect(places.some(([place, text]) => place === "process" && text.includes("croft.js"))).toBe(
    true,
  );
  expect(
    places.some(([place, text]) => place === "croft.job_log" && text.includes("mine.txt")),
  ).toBe(true);
  expect(places.some(([place, text]) => place === "croft.run" && text.includes("/tools"))).toBe(
    true,
  );
  const found = places.flatMap(([place, text]) =>
    canaries.filter(([, canary]) => text.includes(canary)).map(([what]) => `${what} in ${place}`),
  );
  expect([...new Set(found)]).toEqual([]);
});

/** Each as it is, as git sends it, and as PostgreSQL shows bytes. */
function canariesOf({ privateKey, webhookSecret, requests, tokens }: FakeGithub) {
  const lines = privateKey.split("\n").slice(1, -2);
  const jwts = requests.filter(({ authorization }) => authorization === "jwt");
  const given = tokens.map(({ token }) => token);
  const words: (readonly [string, string])[] = [
    ...lines.map((line) => ["key", line] as const),
    ["webhook secret", webhookSecret],
    ...jwts.map(({ secret }) => ["jwt", secret ?? ""] as const),
    ...given.map((token) => ["token", token] as const),
    ...given.map((token) => ["token", btoa(`x-access-token:${token}`)] as const),
  ];
  return words.flatMap(([what, word]) => [
    [what, word] as const,
    [what, Buffer.from(word).toString("hex")] as const,
  ]);
}

async function tableTexts(): Promise<[string, string][]> {
  const { rows: tables } = await pool.query<{ name: string }>(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
  );
  const texts: [string, string][] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<{ text: string }>(`select t::text as text from ${name} t`);
    texts.push([name, rows.map(({ text }) => text).join("\n")]);
  }
  return texts;
}

/** Packs too, though what is in them is packed. */
function filesBelow(directory: string): [string, string][] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path, readFileSync(path, "latin1")];
    });
}
