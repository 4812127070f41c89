// Events of GitHub start work: one after the other for an installation, in order for a pull request, the newest for a trigger.
import {
  type Attempt,
  defineJobType,
  JobFailure,
  type JobType,
  mayPublish,
  startWorker,
  type TriggerInput,
} from "@croft/engine";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { JobEnqueuer } from "../engine/handlers/enqueue-job.ts";
import { inboxScene } from "./support/inbox-scene.ts";
import { holdType } from "./support/job-scene.ts";
import { waitUntil } from "./support/wait-until.ts";

interface Input {
  readonly n: number;
  readonly pull: number;
}

interface Seen extends Input {
  readonly owner: string;
  readonly what: "start" | "end" | "failed";
}

/** Tells what it did and when, in one list; `work` decides how it goes. */
function seenType(work: (attempt: Attempt<Input>) => Promise<void>) {
  const seen: Seen[] = [];
  const type = defineJobType<Input>({
    name: "seen",
    input: z.object({ n: z.number(), pull: z.number() }),
    run: async (attempt) => {
      const { owner, input } = attempt;
      seen.push({ ...input, owner, what: "start" });
      try {
        await work(attempt);
        seen.push({ ...input, owner, what: "end" });
      } catch (error) {
        seen.push({ ...input, owner, what: "failed" });
        throw error;
      }
    },
  });
  return { seen, type };
}

const TRIGGER: TriggerInput = {
  on: ["pull_request.opened", "pull_request.synchronize"],
  job: { type: "seen", input: { n: `\${{ event.n }}`, pull: `\${{ event.number }}` } },
};

function pullEvent(installation: number, pull: number, n: number) {
  const full_name = `acme-${installation}/engine`;
  const repo = { id: installation * 100 };
  return {
    ...{ action: "synchronize", n, number: pull, installation: { id: installation } },
    repository: { ...repo, full_name, clone_url: `https://github.com/${full_name}.git` },
    pull_request: { number: pull, base: { ref: "main", repo }, head: { repo } },
    sender: { login: "ada", type: "User" },
  };
}

async function scene(triggers: readonly TriggerInput[], types: readonly JobType[]) {
  const parts = await inboxScene({ triggers, types });
  let count = 0;
  return {
    ...parts,
    send: (installation: number, pull: number, n = ++count) =>
      parts.bring("pull_request", pullEvent(installation, pull, n), `${installation}-${pull}-${n}`),
    work: async () => {
      const worker = await startWorker(parts.engine);
      onTestFinished(() => worker.close(0));
    },
    jobs: () =>
      parts.query<{ id: string; status: string; n: number; code: string | null; key: string }>(
        `select id, status, (input ->> 'n')::integer as n, error ->> 'code' as code, key from croft.job order by id`,
      ),
    ended: (many: number) =>
      waitUntil(`${many} jobs to end`, async () => {
        const [row] = await parts.query<{ done: number }>(
          "select count(*)::integer as done from croft.job where finished_at is not null",
        );
        return row?.done === many;
      }),
  };
}

test("3 installations × 50 events at once: one job of each at a time, all beside each other, in the order of arrival", async () => {
  const started = new Set<string>();
  const { seen, type } = seenType(async ({ owner }) => {
    started.add(owner);
    await waitUntil("work of all three", () => started.size === 3); // only so it goes on at all
  });
  const { send, dispatch, work, ended, settled } = await scene([TRIGGER], [type]);
  await work();
  await dispatch();
  const brought = [1, 2, 3].map(async (installation) => {
    for (let n = 0; n < 50; n++) await send(installation, 1 + (n % 7), n);
  });
  await Promise.all(brought);
  await settled();
  await ended(150);
  for (const installation of [1, 2, 3]) {
    const own = seen.filter(({ owner }) => owner === `installation:${installation}`);
    const expected = Array.from({ length: 50 }, (_, n) => [
      ...[`start ${n}`, `end ${n}`], // none begins before the one before it has ended
    ]).flat();
    expect(own.map(({ what, n }) => `${what} ${n}`)).toEqual(expected);
  }
}, 120_000);

test("work for a pull request begins when all before it has ended, retries included, in whatever lanes", async () => {
  const { seen, type } = seenType(async ({ attempt, input }) => {
    if (input.n % 3 !== 0 || attempt > 2) return;
    throw new JobFailure("transient", "again", "try again", { retryAfterMs: 20, attempts: 5 });
  });
  const trigger = { ...TRIGGER, key: `each:\${{ event.n }}` };
  const { send, dispatch, work, ended, settled, jobs } = await scene([trigger], [type]);
  for (let n = 0; n < 60; n++) await send(1, 1 + (n % 4), n);
  await dispatch();
  await work();
  await settled();
  await ended(60);
  const statuses = (await jobs()).map(({ status }) => status);
  expect(statuses).toEqual(Array(60).fill("done"));
  for (let pull = 1; pull <= 4; pull++) {
    const own = seen.filter((each) => each.pull === pull).map(({ n }) => n);
    const order = [...own].sort((a, b) => a - b); // all of one, then all of the next
    expect(own).toEqual(order);
    expect(new Set(own).size).toBe(15);
  }
  expect(seen.filter(({ what }) => what === "failed").length).toBe(40);
}, 60_000);

test("the usual lane is the installation's; key, priority and owner", async () => {
  const { type } = seenType(async () => {});
  const { send, dispatch, settled, query } = await scene(
    [
      { ...TRIGGER, name: "usual" },
      { ...TRIGGER, name: "own", key: `pull:\${{ event.number }}`, priority: "background" },
      { ...TRIGGER, name: "bad", key: `\${{ event.nothing }}` },
      { ...TRIGGER, name: "unfit", job: { type: "seen", input: { n: "x", pull: 1 } } },
      { ...TRIGGER, name: "unknown", job: { type: "no-such" } },
    ],
    [type],
  );
  await send(7, 3);
  await dispatch();
  await settled();
  expect(await query("select owner, key, class from croft.job order by id")).toEqual([
    { owner: "installation:7", key: "installation:7", class: 1 },
    { owner: "installation:7", key: "pull:3", class: 0 },
  ]);
  const effects = await query(
    "select trigger, job_id is not null as has_job, problem is not null as has_problem from croft.inbox_effect where trigger like 'trigger:%' order by trigger",
  );
  expect(effects).toEqual([
    { trigger: "trigger:bad", has_job: false, has_problem: true },
    { trigger: "trigger:own", has_job: true, has_problem: false },
    { trigger: "trigger:unfit", has_job: false, has_problem: true },
    { trigger: "trigger:unknown", has_job: false, has_problem: true },
    { trigger: "trigger:usual", has_job: true, has_problem: false },
  ]);
});

test("a command of a comment overtakes what waits", async () => {
  const { type } = seenType(async () => {});
  const command = { ...TRIGGER, on: "issue_comment", command: "/review" };
  const { send, bring, dispatch, settled, query } = await scene([TRIGGER, command], [type]);
  await send(1, 1);
  const comment = { body: "/review", author_association: "OWNER" };
  const issue = { number: 9, pull_request: {} };
  const said = {
    ...pullEvent(1, 9, 2),
    action: "created",
    pull_request: undefined,
    comment,
    issue,
  };
  await bring("issue_comment", said, "command");
  await dispatch();
  await settled();
  const rows = await query(
    "select (input ->> 'n')::integer as n, class from croft.job order by rank",
  );
  expect(rows).toEqual([
    { n: 2, class: 2 },
    { n: 1, class: 1 },
  ]);
});

test("supersede: what waits for the same pull request and trigger is cancelled, nothing else", async () => {
  const { type } = seenType(async () => {});
  const { send, dispatch, settled, jobs, query } = await scene(
    [
      { ...TRIGGER, name: "newest", supersede: true },
      { ...TRIGGER, name: "every" },
    ],
    [type],
  );
  for (const n of [1, 2, 3]) await send(1, 5, n);
  await send(1, 6, 4);
  await send(2, 5, 5);
  await dispatch();
  await settled();
  const ofTrigger = await query<{ n: number; status: string; code: string | null }>(
    `select (j.input ->> 'n')::integer as n, j.status, j.error ->> 'code' as code from croft.github_work w
     join croft.job j on j.id = w.job_id where w.trigger = 'trigger:newest' order by n`,
  );
  expect(ofTrigger).toEqual([
    { n: 1, status: "cancelled", code: "superseded" },
    { n: 2, status: "cancelled", code: "superseded" },
    ...[3, 4, 5].map((n) => ({ n, status: "queued", code: null })),
  ]);
  expect((await jobs()).filter(({ status }) => status === "queued")).toHaveLength(8);
});

test("superseded while it runs it may publish no more, at once; the newer begins when it has ended", async () => {
  const { type, held } = stubbornType();
  const trigger = { on: "pull_request", supersede: true, job: { type: "stubborn" } } as const;
  const { send, dispatch, work, settled, jobs, engine, query } = await scene([trigger], [type]);
  const { pool } = engine.database;
  await work();
  await dispatch();
  await send(1, 5, 1);
  await waitUntil("the first to begin", () => held.length === 1);
  const [first] = await jobs();
  const asked = { jobId: first?.id ?? "", attempt: 1 };
  expect(await mayPublish(pool, asked)).toBe(true);
  expect(await mayPublish(pool, { ...asked, attempt: 2 })).toBe(false);
  await send(1, 5, 2);
  await settled();
  expect(await mayPublish(pool, asked)).toBe(false);
  expect((await jobs()).map(({ status }) => status)).toEqual(["running", "queued"]);
  await waitUntil("the signal", () => held[0]?.attempt.signal.aborted === true);
  held[0]?.letGo();
  await waitUntil("the second to begin", () => held.length === 2);
  const [one, two] = await jobs();
  expect(one).toMatchObject({ status: "cancelled", code: "superseded" });
  expect(await mayPublish(pool, { jobId: two?.id ?? "", attempt: 1 })).toBe(true);
  held[1]?.letGo();
  const told = await query(
    "select superseded_by is not null as is_superseded from croft.github_work order by place",
  );
  expect(told).toEqual([{ is_superseded: true }, { is_superseded: false }]);
});

test("what a superseded job has enqueued is superseded with it", async () => {
  const { type, held } = stubbornType();
  const trigger = { on: "pull_request", supersede: true, job: { type: "stubborn" } } as const;
  const { send, dispatch, work, settled, jobs, engine } = await scene([trigger], [type]);
  const { database, intake } = engine;
  await work();
  await dispatch();
  await send(1, 5, 1);
  const first = await waitUntil("the first to begin", () => held[0]);
  const enqueuer = new JobEnqueuer({ database, intake: () => intake }, first.attempt);
  const { id: jobId } = await enqueuer.enqueue({ type: "stubborn", input: {}, key: "beside" });
  await waitUntil("what it enqueued to begin", () => held.length === 2);
  expect(await mayPublish(database.pool, { jobId, attempt: 1 })).toBe(true);
  await send(1, 5, 2);
  await settled();
  expect(await mayPublish(database.pool, { jobId, attempt: 1 })).toBe(false);
  await waitUntil("the signal", () => held[1]?.attempt.signal.aborted === true);
  for (const { letGo } of held) letGo();
  await waitUntil("the newer to begin", () => held.length === 3);
  // What was enqueued is not in the pull request's line, so it may still be ending then.
  const ends = async () => (await jobs()).map(({ status }) => status);
  await expect.poll(ends).toEqual(["cancelled", "cancelled", "running"]);
  held[2]?.letGo();
});

test("an older event that is replayed supersedes nothing newer, and starts nothing", async () => {
  const { type, held } = holdType();
  const trigger = { on: "pull_request", supersede: true, job: { type: "hold" } } as const;
  const { send, dispatch, settled, jobs, query, work } = await scene([trigger], [type]);
  await work();
  await dispatch();
  await send(1, 5, 1);
  await waitUntil("the first to begin", () => held.length === 1);
  held[0]?.succeed();
  await send(1, 5, 2);
  await waitUntil("the second to begin", () => held.length === 2);
  await query(
    `with again as (update croft.inbox set status = 'pending', replay = 1, settled_at = null where place = (select min(place) from croft.inbox))
     select pg_notify('croft_inbox', '')`,
  );
  await settled();
  expect((await jobs()).map(({ status }) => status)).toEqual(["done", "running"]);
  held[1]?.succeed();
});

/** Ends only when it is let go, whatever its signal says. */
function stubbornType() {
  const held: { readonly attempt: Attempt; letGo(): void }[] = [];
  const type = defineJobType({
    name: "stubborn",
    input: z.looseObject({}),
    run: (attempt) =>
      new Promise<void>((resolve, reject) => {
        const { signal } = attempt;
        const letGo = () => (signal.aborted ? reject(signal.reason) : resolve());
        held.push({ attempt, letGo });
      }),
  });
  return { type, held };
}
