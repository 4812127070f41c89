// What has had its time goes, what has not stays, and nothing that still waits is forgotten.
import { expect, test } from "vitest";
import { jobScene } from "../../test/support/job-scene.ts";
import { usualRetention } from "../../test/support/usual-retention.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { clean } from "./janitor.ts";

test("old jobs, events and logs go, younger ones stay", async () => {
  const { engine, submit, startWorker, query } = await jobScene();
  const worker = await startWorker();
  const { id } = await submit({ type: "noop" });
  await waitUntil(
    "its end",
    async () => (await query("select 1 from croft.job where status = 'done'")).length > 0,
  );
  await worker.close(0);
  const counts = async () =>
    await query(
      "select (select count(*)::int from croft.job) as jobs, (select count(*)::int from croft.event where subject = $1) as events",
      [id],
    );
  await clean(engine.database, usualRetention);
  expect(await counts()).toEqual([{ jobs: 1, events: 3 }]);
  await clean(engine.database, { retention: { ...usualRetention.retention, events: -1000 } });
  expect(await counts()).toEqual([{ jobs: 1, events: 0 }]);
  expect(await query("select xid > '0' as moved from croft.event_floor")).toEqual([
    { moved: true },
  ]);
  await clean(engine.database, {
    retention: { ...usualRetention.retention, jobs: -1000, events: -1000 },
  });
  expect(await counts()).toEqual([{ jobs: 0, events: 0 }]);
});

test("an idle lane goes after an hour, unless it has a limit of its own or a job that is not due yet", async () => {
  const { engine, submit, query, startWorker, begun, held } = await jobScene();
  const { id } = await submit({ key: "later", run_at: "2999-01-01T00:00:00Z" });
  const others = [await submit({ key: "idle" }), await submit({ key: "own limit" })];
  await query("select croft.cancel($1)", [others.map((each) => each.id)]);
  await query(
    "update croft.lane set has_own_limit = key = 'own limit', used_at = now() - interval '2 hours'",
  );
  await clean(engine.database, usualRetention);
  const lanes = await query("select key from croft.lane order by key");
  expect(lanes).toEqual([{ key: "later" }, { key: "own limit" }]);
  await query("update croft.job set run_at = now() where id = $1", [id]);
  await startWorker();
  await begun(1);
  expect(held[0]?.attempt.id).toBe(id);
});
