// Work for a pull request that somebody wants once more: in the same line, and only while no newer event has taken its place.
import {
  type Attempt,
  createBulk,
  defineJobType,
  JobFailure,
  mayPublish,
  putPipeline,
  RunAdvancer,
  readBulk,
  retryJob,
  retryRun,
  startWorker,
  type TriggerInput,
} from "@croft/engine";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { BulkRunner } from "../engine/bulk/bulk-runner.ts";
import { inboxScene } from "./support/inbox-scene.ts";
import { waitUntil } from "./support/wait-until.ts";

const ALL = { owner: undefined };

function pullEvent(n: number, pull = 5) {
  const repo = { id: 100 };
  const full_name = "acme/engine";
  return {
    ...{ action: "synchronize", n, number: pull, installation: { id: 1 } },
    repository: { ...repo, full_name, clone_url: `https://github.com/${full_name}.git` },
    pull_request: { number: pull, base: { ref: "main", repo }, head: { repo } },
    sender: { login: "ada", type: "User" },
  };
}

/** Each runs until the test ends it. */
async function scene(more: Partial<TriggerInput>) {
  const held: {
    readonly attempt: Attempt<{ n: number }>;
    end(how?: "done" | "failed"): void;
  }[] = [];
  const type = defineJobType<{ n: number }>({
    name: "held",
    input: z.object({ n: z.number() }),
    run: (attempt) =>
      new Promise<void>((resolve, reject) => {
        const { signal } = attempt;
        const end = (how = "done") => {
          if (signal.aborted) reject(signal.reason);
          else if (how === "done") resolve();
          else reject(new JobFailure("command", "no", "no"));
        };
        held.push({ attempt, end });
      }),
  });
  const input = { n: `\${{ event.n }}` };
  const trigger = {
    ...{ on: "pull_request", key: `k:\${{ event.n }}`, job: { type: "held", input } },
    ...more,
  };
  const parts = await inboxScene({ types: [type], triggers: [trigger] });
  const { engine, bring, dispatch, settled, query } = parts;
  const worker = await startWorker(engine);
  onTestFinished(() => worker.close(0));
  await dispatch();
  const jobs = () =>
    query<{ id: string; status: string; n: number }>(
      "select id, status, (input ->> 'n')::integer as n from croft.job order by id",
    );
  return {
    ...{ ...parts, held, jobs },
    send: async (n: number) => {
      await bring("pull_request", pullEvent(n), `delivery-${n}`);
      await settled();
    },
    begun: (count: number) => waitUntil(`${count} to begin`, () => held.length === count),
    retry: (id: string) => retryJob(engine.database, engine.intake, ALL, id),
    ended: (id: string) =>
      waitUntil("its end", async () => {
        const job = (await jobs()).find((each) => each.id === id);
        return job?.status === "queued" || job?.status === "running" ? undefined : job?.status;
      }),
  };
}

test("what was superseded is not done again, alone or with others", async () => {
  const { send, begun, held, jobs, retry, engine } = await scene({ supersede: true });
  await send(1);
  await begun(1);
  await send(2);
  await waitUntil("the signal", () => held[0]?.attempt.signal.aborted === true);
  held[0]?.end();
  await begun(2);
  const [first] = await jobs();
  await expect(retry(first?.id ?? "")).rejects.toMatchObject({ code: "superseded" });
  const runner = BulkRunner.start(engine);
  onTestFinished(() => runner.close());
  const bulk = await createBulk(engine.database, "installation:1", {
    action: "retry",
    filter: { status: "cancelled" },
  });
  const { done, skipped } = await waitUntil("the bulk action", async () => {
    const now = await readBulk(engine.database, ALL, bulk.id);
    return now.status === "done" ? now : undefined;
  });
  expect({ done, skipped }).toEqual({ done: 0, skipped: 1 });
  expect(await jobs()).toHaveLength(2);
  held[1]?.end();
});

test("one that failed before the newer event came is not done again after it", async () => {
  const { send, begun, held, jobs, retry, ended } = await scene({ supersede: true });
  await send(1);
  await begun(1);
  held[0]?.end("failed");
  const [first] = await jobs();
  await ended(first?.id ?? "");
  await send(2);
  await begun(2);
  await expect(retry(first?.id ?? "")).rejects.toMatchObject({ code: "superseded" });
  held[1]?.end();
});

test("one that is retried is superseded by what comes then, and may publish no more", async () => {
  const { send, begun, held, jobs, retry, ended, engine } = await scene({ supersede: true });
  const { pool } = engine.database;
  await send(1);
  await begun(1);
  held[0]?.end("failed");
  const [first] = await jobs();
  await ended(first?.id ?? "");
  const { id } = await retry(first?.id ?? "");
  await begun(2);
  expect(await mayPublish(pool, { jobId: id, attempt: 1 })).toBe(true);
  await send(2);
  expect(await mayPublish(pool, { jobId: id, attempt: 1 })).toBe(false);
  expect(held).toHaveLength(2); // the newer waits for its end
  held[1]?.end();
  await begun(3);
  expect(await ended(id)).toBe("cancelled");
  held[2]?.end();
});

test("one that is retried waits for what came meanwhile, and what comes then waits for it", async () => {
  const { send, begun, held, jobs, retry, ended } = await scene({});
  await send(1);
  await begun(1);
  held[0]?.end("failed");
  const [first] = await jobs();
  await ended(first?.id ?? "");
  await send(2);
  await begun(2);
  await retry(first?.id ?? "");
  await send(3);
  expect(held).toHaveLength(2);
  held[1]?.end();
  await begun(3);
  held[2]?.end();
  await begun(4);
  held[3]?.end();
  expect(held.map(({ attempt }) => attempt.input.n)).toEqual([1, 2, 1, 3]);
});

test("a run of an older event is not gone on with; one that is waits in its line", async () => {
  const { engine, bring, dispatch, settled, query } = await inboxScene();
  const put = (name: string, more: string) =>
    putPipeline(engine, {
      ...{ owner: "local", name, by: "test" },
      text: `name: ${name}\non: { github: [ { event: pull_request${more} } ] }\nsteps:\n  ask: { approval: true }\n`,
    });
  await put("newest", ", supersede: true");
  await put("every", "");
  const worker = await startWorker(engine);
  const advancer = RunAdvancer.start(engine);
  onTestFinished(async () => {
    await advancer.close();
    await worker.close(0);
  });
  await dispatch();
  await bring("pull_request", pullEvent(1), "one");
  await settled();
  await query("select croft.cancel_runs(array(select id from croft.run), true)");
  await waitUntil("their end", async () => {
    const open = await query("select from croft.run where finished_at is null");
    return open.length === 0;
  });
  await bring("pull_request", pullEvent(2), "two");
  await settled();
  const ofFirst = await query<{ id: string; name: string }>(
    "select id, name from croft.run where (event ->> 'n')::integer = 1",
  );
  const idOf = (name: string) => ofFirst.find((run) => run.name === name)?.id ?? "";
  await expect(retryRun(engine, ALL, idOf("newest"))).rejects.toMatchObject({ code: "superseded" });
  await retryRun(engine, ALL, idOf("every"));
  const line = await query<{ n: number; name: string; is_held: boolean }>(
    `select (r.event ->> 'n')::integer as n, r.name, m.is_held from croft.line_member m
     join croft.run r on r.id = m.run_id order by m.place`,
  );
  expect(line.at(-1)).toEqual({ n: 1, name: "every", is_held: expect.any(Boolean) });
  expect(line.filter(({ name }) => name === "every").map(({ n }) => n)).toEqual([2, 1]);
});

test("an event that GitHub had to be asked for again is as old as it was sent first", async () => {
  const { send, begun, held, jobs, query } = await scene({ supersede: true });
  await query(
    "insert into croft.gap (delivery_id, github_id, event, delivered_at) values ('delivery-1', 1, 'pull_request', croft.now() - interval '5 minutes')",
  );
  await send(2);
  await begun(1);
  await send(1);
  expect((await jobs()).map(({ n, status }) => [n, status])).toEqual([[2, "running"]]);
  const effects = await query("select problem from croft.inbox_effect order by at");
  expect(effects).toEqual([
    { problem: null },
    { problem: "a newer event of the pull request was handled before" },
  ]);
  held[0]?.end();
});
