// A pull request's way through a real server, also one that is killed again and again: what GitHub shows in the end is the same.
import type { RunList } from "@croft/contract";
import { expect, onTestFinished, test } from "vitest";
import { callApi } from "./support/call-api.ts";
import { type RunningServer, startServer } from "./support/croft-process.ts";
import { git } from "./support/make-repository.ts";
import { scratchDatabase } from "./support/scratch-database.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { startFakeGithub } from "./support/start-fake-github.ts";
import { waitUntil } from "./support/wait-until.ts";

const TEXT = `
on: { github: pull_request.opened }
check: { name: "repair of #\${{ event.number }}" }
steps:
  plan:
    artifacts: { parts: parts.json }
    run: printf '["a","b","c"]' > parts.json
  build:
    needs: plan
    matrix: { part: "\${{ fromJSON(artifacts.plan.parts) }}" }
    workspace: { branch: "croft/\${{ matrix.part }}" }
    artifacts: { remarks: checks.json }
    run: |
      echo "of \${{ matrix.part }}" > \${{ matrix.part }}.txt
      echo '[{"path":"topic.txt","start_line":1,"level":"notice","message":"seen by \${{ matrix.part }}"}]' > checks.json
  merge: { needs: build, integrate: build }
  push:
    needs: merge
    publish:
      from: merge
      branch: "croft/repair-\${{ event.number }}"
      pull-request:
        title: "Repair of #\${{ event.number }}"
        body: "For \${{ event.pull_request.head.sha }}"
        base: "\${{ event.pull_request.head.ref }}"
        draft: true
  tell:
    needs: push
    comment: { body: "Repaired in #\${{ steps.push.outputs.number }}" }
`;
const CEILING_MS = 120_000;

async function scene() {
  const fake = await startFakeGithub();
  const installation = fake.addInstallation({ id: 42, account: "acme" });
  const repository = await fake.addRepository(installation, "tools", {
    files: { "README.md": "# tools\n", ".gitignore": "checks.json\nparts.json\n" },
  });
  const pull = await fake.openPullRequest(repository);
  const data = `${await scratchDirectory()}/data`;
  const env = { ...fake.environment, DATABASE_URL: await scratchDatabase() };
  const begin = () => startServer(data, { env });
  let server: RunningServer = await begin();
  onTestFinished(async () => {
    await server.stop();
  });
  await callApi(server, "PUT", "/api/pipelines/repair", { text: TEXT });
  return {
    ...{ fake, repository, pull },
    send: () => fake.send(server.url, "pull_request", fake.pullPayload(pull, "opened")),
    runs: async () => (await callApi<RunList>(server, "GET", "/api/runs")).runs,
    killed: async (meanwhile: () => void = () => {}) => {
      server.child.kill("SIGKILL");
      await server.exit;
      meanwhile();
      server = await begin();
    },
    output: () => server.output(),
  };
}

type Scene = Awaited<ReturnType<typeof scene>>;

/** When GitHub knows that the run has ended, everything else of it has happened. */
async function untilShown({ repository, runs }: Scene): Promise<void> {
  const isShown = async () =>
    repository.checkRuns.some(({ status }) => status === "completed") &&
    (await runs()).every(({ finished_at }) => finished_at !== null);
  await waitUntil("GitHub to show the end", isShown, CEILING_MS);
}

/** What people see, without ids and times. */
async function shownAt({ repository, pull, runs }: Scene) {
  const branches = await git(["--git-dir", repository.path, "for-each-ref", "refs/heads"]);
  const tree = await git([
    ...["--git-dir", repository.path, "ls-tree", "-r", "--name-only", "croft/repair-1"],
  ]);
  return {
    runs: (await runs()).map(({ status, started_by: _, name }) => ({ name, status })),
    branches: branches.split("\n").map((line) => line.split("\t")[1]),
    files: tree.split("\n"),
    pulls: repository.pulls.map(({ number, title, head, base, draft, author, state, body }) => ({
      ...{ number, title, head, base, draft, author, state },
      body: body?.replace(pull.headSha, "HEAD"),
    })),
    comments: repository.comments.map(({ number, author, body }) => ({
      ...{ number, author, body: body.replace(/croft:[0-9a-f-]{36}/, "croft:ID") },
    })),
    checks: repository.checkRuns.map((check) => ({
      ...{ name: check.name, status: check.status, conclusion: check.conclusion },
      isOfHead: check.headSha === pull.headSha,
      title: check.output.title,
      annotations: check.annotations.map(({ message }) => message).sort(),
    })),
  };
}

const EXPECTED = {
  runs: [{ name: "repair", status: "done" }],
  branches: ["refs/heads/croft/repair-1", "refs/heads/main", "refs/heads/topic"],
  files: [".gitignore", "README.md", "a.txt", "b.txt", "c.txt", "topic.txt"],
  pulls: [
    expect.objectContaining({ number: 1, head: "topic", base: "main", author: "author" }),
    {
      ...{ number: 2, title: "Repair of #1", head: "croft/repair-1", base: "topic", draft: true },
      ...{ author: "croft[bot]", state: "open", body: "For HEAD" },
    },
  ],
  comments: [{ number: 1, author: "croft[bot]", body: "Repaired in #2\n\n<!-- croft:ID -->" }],
  checks: [
    {
      ...{ name: "repair of #1", status: "completed", conclusion: "success", isOfHead: true },
      title: "5 steps, all ended well",
      annotations: ["seen by a", "seen by b", "seen by c"],
    },
  ],
};

test("from the event to the comment", { timeout: 240_000 }, async () => {
  const own = await scene();
  expect((await own.send())?.status).toBe(202);
  await untilShown(own);
  expect(await shownAt(own)).toEqual(EXPECTED);
  expect(own.repository.checkRuns[0]?.history[0]).toMatch(/queued|in_progress/);
  expect(own.repository.comments[0]?.edits).toBe(0);
});

/** Where the server dies; `acts`: GitHub still does what it was asked for, and nobody hears of it. */
const KILLS: readonly { readonly at: RegExp; readonly acts: boolean }[] = [
  { at: /POST \/app\/installations\/42\/access_tokens/, acts: true },
  { at: /POST \/repos\/acme\/tools\/check-runs/, acts: true },
  { at: /GET \/acme\/tools\.git\/info\/refs/, acts: false },
  { at: /PATCH \/repos\/acme\/tools\/check-runs/, acts: true },
  { at: /POST \/acme\/tools\.git\/git-receive-pack/, acts: true },
  { at: /POST \/repos\/acme\/tools\/pulls/, acts: true },
  { at: /POST \/repos\/acme\/tools\/issues\/1\/comments/, acts: true },
  { at: /PATCH \/repos\/acme\/tools\/check-runs/, acts: false },
];

test("the same with the server killed eight times on the way", { timeout: 480_000 }, async () => {
  const own = await scene();
  const { fake } = own;
  const left = [...KILLS];
  let isSent = false;
  while (left.length > 0) {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    // Whichever comes first.
    fake.faults = left.map(({ at, acts }) =>
      acts ? { kind: "gate", opened, of: at } : { kind: "silence", of: at },
    );
    const from = fake.requests.length;
    if (!isSent) expect((await own.send())?.status).toBe(202);
    isSent = true;
    const reached = await waitUntil(
      "the server to be where it is killed",
      () => {
        const lines = fake.requests.slice(from).map(({ line }) => line);
        return left.find(({ at }) => lines.some((line) => at.test(line)));
      },
      CEILING_MS,
    );
    left.splice(left.indexOf(reached), 1);
    await own.killed(() => {
      fake.faults = [];
      open();
    });
  }
  await untilShown(own);
  expect(await shownAt(own)).toEqual(EXPECTED);
});
