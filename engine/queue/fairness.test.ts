// Who goes next: owners and lanes take turns, priority goes first but not for ever, nobody waits for a stuck neighbour.
import { expect, onTestFinished, test } from "vitest";
import { checkQueue } from "../../test/support/check-queue.ts";
import { jobScene } from "../../test/support/job-scene.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { newId } from "../new-id.ts";

type Job = Parameters<Awaited<ReturnType<typeof jobScene>>["submit"]>[0];

async function scene(flags: Record<string, string> = {}) {
  const parts = await jobScene(flags);
  const { engine, query, submit } = parts;
  onTestFinished(async () => expect(await checkQueue(engine.database.pool)).toEqual([]));
  return {
    ...parts,
    submitMany: (count: number, jobOf: (number: number) => Job) =>
      Promise.all(Array.from({ length: count }, (_, number) => submit(jobOf(number)))),
    /** In the order of their starts, the oldest first. */
    starts: async () =>
      await query(
        `select j.owner, j.key, j.id from croft.event e join croft.job j on j.id = e.subject
         where e.type = 'job.started' order by e.xid, e.place`,
      ),
    allDone: () =>
      waitUntil("the end of all", async () => {
        const [row] = await query(
          "select exists (select from croft.job where status in ('queued', 'running')) as left",
        );
        return row.left === false;
      }),
  };
}

test("a lane with a stuck job delays no other lane, however much waits behind it", async () => {
  const { submit, submitMany, startWorker, begun, held, query } = await scene({
    "worker.slots": "2",
  });
  await startWorker();
  await submit({ key: "stuck" });
  await begun(1);
  await submitMany(200, () => ({ key: "stuck", priority: "interactive", type: "noop" }));
  await submitMany(40, (number) => ({ key: `other-${number % 4}`, type: "noop" }));
  const isOtherLeft =
    "select from croft.job where key <> 'stuck' and status in ('queued', 'running')";
  await waitUntil("the other lanes' end", async () => (await query(isOtherLeft)).length === 0);
  expect(held[0]?.attempt.signal.aborted).toBe(false);
  const [{ running, queued }] = await query("select * from croft.lane where key = 'stuck'");
  expect({ running, queued }).toEqual({ running: 1, queued: 200 });
});

test.each([
  { whose: "of the same owner", owner: "local" },
  { whose: "of another owner", owner: "app:other" },
])(
  "an interactive job goes before 1,000 background jobs $whose, also of its lane",
  async ({ owner }) => {
    const { submit, submitMany, startWorker, begun, held } = await scene({ "worker.slots": "1" });
    const priority = "background";
    await submitMany(950, (number) => ({ key: `lane-${number % 100}`, owner, priority }));
    await submitMany(50, () => ({ key: "own", priority }));
    await startWorker();
    await begun(1);
    const { id } = await submit({ key: "own", priority: "interactive" });
    held[0]?.succeed();
    await begun(2);
    expect(held[1]?.attempt.id).toBe(id);
  },
);

test("priority goes first, but not for ever: background work gets a turn in every twenty", async () => {
  const { submitMany, startWorker, allDone, starts } = await scene({ "worker.slots": "1" });
  await submitMany(10, () => ({ key: "slow", priority: "background", type: "noop" }));
  await submitMany(100, () => ({ key: "quick", priority: "interactive", type: "noop" }));
  await startWorker();
  await allDone();
  const keys = (await starts()).map(({ key }) => key);
  expect(keys.slice(0, 10)).toEqual(Array(10).fill("quick"));
  for (const from of [0, 20, 40, 60, 80]) expect(keys.slice(from, from + 20)).toContain("slow");
});

test("a tenant with 1,000 lanes gets no more starts than one with one lane", async () => {
  const { submitMany, startWorker, allDone, starts } = await scene({ "worker.slots": "1" });
  await submitMany(1000, (number) => ({ owner: "app:many", key: `lane-${number}`, type: "noop" }));
  await submitMany(50, () => ({ owner: "app:one", key: "only", type: "noop" }));
  await startWorker();
  await allDone();
  const owners = (await starts()).map(({ owner }) => owner);
  for (const length of [10, 20, 50, 98]) {
    const ofOne = owners.slice(0, length).filter((owner) => owner === "app:one").length;
    expect(Math.abs(length - 2 * ofOne)).toBeLessThanOrEqual(2);
  }
});

test("a tenant that was idle gets no credit for it", async () => {
  const { submitMany, startWorker, allDone, starts } = await scene({ "worker.slots": "1" });
  await submitMany(1, () => ({ owner: "app:idle", type: "noop" }));
  await startWorker();
  await allDone();
  await submitMany(60, () => ({ owner: "app:busy", type: "noop" }));
  await allDone();
  const before = (await starts()).length;
  const both = ["app:busy", "app:idle"];
  await submitMany(80, (number) => ({ owner: both[number % 2] ?? "", type: "noop" }));
  await allDone();
  const next = (await starts()).slice(before, before + 40).map(({ owner }) => owner);
  expect(Math.abs(next.filter((owner) => owner === "app:idle").length - 20)).toBeLessThanOrEqual(6);
});

test("a background job that has waited long enough goes before a newer interactive one of its lane", async () => {
  const { engine, submit, startWorker, begun, held } = await scene({ "worker.slots": "1" });
  const past = await engine.database.pool.connect();
  const enqueueThen = async (ago: string, name: string) => {
    await past.query(`set croft.clock_offset = '-${ago}'`);
    const job = { id: newId(), owner: "local", key: "k", type: "hold", class: 0, input: { name } };
    await past.query("select croft.enqueue($1)", [JSON.stringify([job])]);
  };
  try {
    await enqueueThen("119 minutes", "not yet");
    await enqueueThen("121 minutes", "long enough");
  } finally {
    past.release(true); // its clock is wrong
  }
  await submit({ key: "k", priority: "interactive", input: { name: "new" } });
  await startWorker();
  for (const count of [1, 2, 3]) {
    await begun(count);
    held[count - 1]?.succeed();
  }
  expect(held.map(({ attempt }) => attempt.input.name)).toEqual(["long enough", "new", "not yet"]);
});

test("a delayed job gets in line when it is due, holds nobody up before, and starts by itself", async () => {
  const { submit, startWorker, begun, held, query } = await scene({ "worker.slots": "1" });
  await startWorker();
  const { id: late } = await submit({ key: "k", run_at: "2999-01-01T00:00:00Z" });
  await submit({ key: "k" });
  await begun(1);
  expect(held[0]?.attempt.id).not.toBe(late);
  const { id: waiting } = await submit({ key: "k" });
  await query("update croft.job set run_at = croft.now() where id = $1", [late]);
  held[0]?.succeed();
  await begun(2);
  expect(held[1]?.attempt.id).toBe(waiting);
  held[1]?.succeed();
  await begun(3);
  expect(held[2]?.attempt.id).toBe(late);
  held[2]?.succeed();
  const { id: soon } = await submit({ run_at: new Date(Date.now() + 300).toISOString() });
  await begun(4);
  const [row] = await query("select started_at >= run_at as is_due from croft.job where id = $1", [
    soon,
  ]);
  expect(row).toEqual({ is_due: true });
});
