// A submission whose answer is lost on the way back from the database was made all the same, and is made only once.
import { expect, test } from "vitest";
import { checkQueue } from "../../test/support/check-queue.ts";
import { cuttingProxy } from "../../test/support/cutting-proxy.ts";
import { noopType } from "../../test/support/job-scene.ts";
import { scratchDatabase } from "../../test/support/scratch-database.ts";
import { engineOn } from "../../test/support/scratch-engine.ts";
import { isDatabaseUnavailable } from "../database/is-database-unavailable.ts";

async function scene() {
  const proxy = await cuttingProxy(await scratchDatabase());
  const engine = await engineOn(proxy.databaseUrl, {}, [noopType]);
  const submit = (job: { input?: object; idempotency_key?: string; dedupe?: string } = {}) =>
    engine.intake.submit({
      ...{ type: "noop", priority: "normal", owner: "local", ...job },
      input: { ...job.input },
    });
  const jobs = async () =>
    (await engine.database.pool.query<{ id: string }>("select id from croft.job order by id")).rows;
  const isSound = async () => expect(await checkQueue(engine.database.pool)).toEqual([]);
  return { proxy, submit, jobs, isSound };
}

test("committed, then the connection was lost: the same request with the same key is the same job", async () => {
  const { proxy, submit, jobs, isSound } = await scene();
  const cut = proxy.cut("croft.enqueue");
  const lost = submit({ input: { a: 1 }, idempotency_key: "key" });
  await expect(lost).rejects.toSatisfy(isDatabaseUnavailable);
  await cut;
  const [made] = await jobs();
  const again = await submit({ input: { a: 1 }, idempotency_key: "key" });
  expect(again).toEqual({ id: made?.id, isNew: false });
  await expect(submit({ input: { a: 2 }, idempotency_key: "key" })).rejects.toMatchObject({
    code: "idempotency-key-reused",
  });
  expect(await jobs()).toHaveLength(1);
  await isSound();
});

test("lost twice, and asked by many at once: still one job, also under a dedupe key", async () => {
  const { proxy, submit, jobs, isSound } = await scene();
  for (const request of [{ idempotency_key: "key" }, { dedupe: "only" }]) {
    const before = (await jobs()).length;
    for (const time of ["first", "second"]) {
      const cut = proxy.cut("enqueue"); // by now it is prepared, and called by its name
      await expect(submit(request), time).rejects.toSatisfy(isDatabaseUnavailable);
      await cut;
    }
    const answers = await Promise.all(Array.from({ length: 10 }, () => submit(request)));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(answers.some(({ isNew }) => isNew)).toBe(false);
    expect(await jobs()).toHaveLength(before + 1);
  }
  await isSound();
});

test("of a batch whose answer was lost everybody hears, and each one's second request finds its own job", async () => {
  const { proxy, submit, jobs, isSound } = await scene();
  const requests = Array.from({ length: 20 }, (_, nth) => ({
    input: { nth },
    idempotency_key: `key-${nth}`,
  }));
  await submit({ input: { nth: "first" } });
  const cut = proxy.cut("enqueue", (answer) => answer.split("new").length > 10);
  const lost = await Promise.allSettled(requests.map(submit));
  await cut;
  expect(lost.filter(({ status }) => status === "rejected").length).toBeGreaterThan(9);
  const again = await Promise.all(requests.map(submit));
  expect(new Set(again.map(({ id }) => id)).size).toBe(20);
  expect(await jobs()).toHaveLength(21);
  await isSound();
});
