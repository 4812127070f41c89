// Events that GitHub is asked about: what it refuses is given up soon, what passes is waited for, and none stands in others' way.
import { replayEvent } from "@croft/engine";
import { expect, onTestFinished, test } from "vitest";
import { inboxScene } from "../../test/support/inbox-scene.ts";
import { startFakeGithub } from "../../test/support/start-fake-github.ts";
import { waitUntil } from "../../test/support/wait-until.ts";

/** Of the first GitHub is asked. */
const TRIGGERS = [
  { name: "paths", on: "pull_request", paths: "docs/**", job: { type: "note" } },
  { name: "plain", on: "issues", job: { type: "note" } },
];

const DOWN = { kind: "status", status: 503, headers: { "retry-after": "1" } } as const;

async function scene() {
  const github = await startFakeGithub();
  const parts = await inboxScene({ triggers: TRIGGERS, flags: { ...github.settings } });
  const { bring, events, hurry } = parts;
  const sender = { login: "ada", type: "User" };
  return {
    ...{ ...parts, github },
    pull: (installation: number, number: number) => {
      const full_name = `acme-${installation}/engine`;
      const clone_url = `${github.webUrl}/${full_name}.git`;
      const repo = { id: installation };
      const payload = {
        ...{ action: "opened", number, installation: { id: installation }, sender },
        repository: { ...repo, full_name, clone_url },
        pull_request: { number, base: { ref: "main", repo }, head: { repo } },
      };
      return bring("pull_request", payload, `pull-${installation}-${number}`);
    },
    issue: (installation: number) => {
      const payload = { action: "opened", installation: { id: installation }, sender };
      return bring("issues", payload, `issue-${installation}`);
    },
    eventOf: async (delivery: string) =>
      (await events()).find(({ delivery_id }) => delivery_id === delivery),
    /** No pause is waited for meanwhile; one that is in hand gets its pause only afterwards. */
    inHaste: (what: string, look: () => Promise<boolean>) =>
      waitUntil(what, async () => {
        await hurry();
        return await look();
      }),
    areSettled: async () => (await events()).every(({ status }) => status !== "pending"),
  };
}

test("what GitHub refuses is tried three times and then failed; what is behind it goes on", async () => {
  const { github, pull, issue, dispatch, events, eventOf, inHaste } = await scene();
  github.faults = [{ kind: "status", status: 401 }];
  for (const number of [1, 2, 3]) await pull(1, number);
  await issue(1);
  await dispatch();
  await inHaste("the last", async () => (await eventOf("issue-1"))?.status === "handled");
  const refused = (await events()).slice(1);
  expect(refused).toMatchObject(
    [3, 2, 1].map((number) => ({
      ...{ delivery_id: `pull-1-${number}`, status: "failed", failures: 3 },
      error: { code: "not-handled" },
    })),
  );
});

test("while GitHub is away a line waits, as long as it takes; after a day all of it gives up at once, and can be replayed", async () => {
  const { engine, github, pull, issue, dispatch, query, events, ...rest } = await scene();
  const { eventOf, inHaste, areSettled } = rest;
  github.faults = [{ kind: "status", status: 503 }];
  const { id } = await pull(1, 1);
  await pull(1, 2);
  await issue(1);
  await dispatch();
  await inHaste("many tries", async () => ((await eventOf("pull-1-1"))?.failures ?? 0) > 12);
  expect(await events()).toMatchObject([
    { delivery_id: "issue-1", status: "pending", failures: 0 },
    { delivery_id: "pull-1-2", status: "pending", failures: 0 },
    { delivery_id: "pull-1-1", status: "pending", error: { code: "github-away" } },
  ]);
  await query("update croft.inbox set wanted_at = wanted_at - interval '25 hours'");
  await inHaste("all to give up", areSettled);
  expect(await events()).toMatchObject([
    { status: "handled" },
    { status: "failed", failures: 1, error: { code: "not-handled" } },
    { status: "failed", error: { code: "not-handled" } },
  ]);
  await replayEvent(engine.database, id);
  await waitUntil("it to be waited for again", async () => {
    const { status, failures = 0 } = (await eventOf("pull-1-1")) ?? {};
    return status === "pending" && failures > 0;
  });
  github.faults = [];
  await inHaste("the replay", areSettled);
  expect((await eventOf("pull-1-1"))?.status).toBe("handled");
});

test("a pull request that GitHub cannot answer for counts after three such answers, and what is behind it goes on", async () => {
  const { github, pull, issue, dispatch, query, events, areSettled, inHaste } = await scene();
  await github.addRepository(github.addInstallation({ id: 1, account: "acme-1" }), "engine");
  github.faults = [{ kind: "status", status: 502, of: /pulls\/1\/files$/ }];
  await pull(1, 1);
  await issue(1);
  await dispatch();
  await inHaste("both", areSettled);
  expect(await events()).toMatchObject([
    { delivery_id: "issue-1", status: "handled", failures: 0 },
    { delivery_id: "pull-1-1", status: "handled", failures: 2 },
  ]);
  const effects = await query("select trigger, problem from croft.inbox_effect order by at");
  expect(effects).toEqual([
    { trigger: "trigger:paths", problem: null },
    { trigger: "trigger:plain", problem: null },
  ]);
});

test.each([
  ["other pull requests of the repository", { kind: "status", status: 502, of: /pulls/ }],
  ["tokens", { kind: "status", status: 502, of: /access_tokens$/ }],
  ["anything before a time that it names", { ...DOWN, of: /files$/ }],
  ["at all", { kind: "cut" }],
] as const)("while GitHub does not answer for %s, nothing is guessed", async (_, fault) => {
  const { github, pull, dispatch, query, eventOf, areSettled, inHaste } = await scene();
  const installation = github.addInstallation({ id: 1, account: "acme-1" });
  await github.openPullRequest(await github.addRepository(installation, "engine"));
  github.faults = [fault];
  await pull(1, 1);
  await dispatch();
  await inHaste("several tries", async () => ((await eventOf("pull-1-1"))?.failures ?? 0) > 4);
  expect(await eventOf("pull-1-1")).toMatchObject({
    ...{ status: "pending", error: { code: "github-away" } },
  });
  github.faults = [];
  await inHaste("its end", areSettled);
  expect(await query("select from croft.job")).toEqual([]); // its files do not match
});

test("an event whose work the database never has time for is told of, given up, and holds back no other", async () => {
  const { issue, bring, dispatch, query, events, areSettled, inHaste } = await scene();
  await query(
    `create function croft.too_late() returns trigger language plpgsql as
     $$ begin raise exception 'canceling statement due to statement timeout' using errcode = '57014'; end $$`,
  );
  await query(
    `create trigger too_late before insert on croft.inbox_effect for each row
     when (new.trigger = 'trigger:plain') execute function croft.too_late()`,
  );
  await issue(1);
  await bring("star", { action: "created", installation: { id: 1 } }, "behind");
  await dispatch();
  await inHaste("the end", areSettled);
  const message = "canceling statement due to statement timeout";
  expect(await events()).toMatchObject([
    { delivery_id: "behind", status: "ignored" },
    { status: "failed", failures: 3, error: { code: "not-handled", message } },
  ]);
});

test("however many wait for a slow GitHub, an event that asks nothing of it is handled meanwhile", async () => {
  const { github, pull, issue, dispatch, settled, query, eventOf } = await scene();
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  onTestFinished(() => open());
  github.faults = [{ kind: "gate", opened }];
  const slow = Array.from({ length: 40 }, (_, n) => n + 1);
  await Promise.all(slow.map((installation) => pull(installation, 1)));
  await dispatch();
  const waiting = () =>
    query("select from croft.inbox where dispatcher_id is not null and failures = 0");
  await waitUntil("all to wait", async () => (await waiting()).length === slow.length);
  await issue(99);
  await waitUntil("the quick one", async () => (await eventOf("issue-99"))?.status === "handled");
  expect(await waiting()).toHaveLength(slow.length);
  open();
  await settled();
});
