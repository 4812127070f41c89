// Events of GitHub go when they have had their time, as jobs do; those that wait never.
import { expect, test } from "vitest";
import { inboxScene } from "../../test/support/inbox-scene.ts";
import { usualRetention } from "../../test/support/usual-retention.ts";
import { clean } from "./janitor.ts";

test("what is over goes with jobs, what waits never", async () => {
  const { engine, bring, query } = await inboxScene();
  const make = async (status: string, days: number) => {
    const deliveryId = `${status}-${days}`;
    const { id } = await bring("ping", {}, deliveryId);
    await query(
      `update croft.inbox set status = $2,
         settled_at = case when $2 <> 'pending' then croft.now() - make_interval(days => $3) end,
         received_at = croft.now() - make_interval(days => $3)
       where id = $1`,
      [id, status, days],
    );
    await query(
      "insert into croft.inbox_effect (inbox_id, replay, trigger) values ($1, 0, 'croft/test')",
      [id],
    );
  };
  for (const status of ["handled", "ignored", "failed", "pending"]) {
    for (const days of [5, 29, 31, 91]) await make(status, days);
  }
  const left = async () =>
    (
      await query<{ delivery_id: string }>("select delivery_id from croft.inbox order by place")
    ).map(({ delivery_id }) => delivery_id);
  await clean(engine.database, usualRetention);
  expect(await left()).toEqual(
    ["handled", "ignored", "failed", "pending"].flatMap((status) =>
      [5, 29, 31, ...(status === "pending" ? [91] : [])].map((days) => `${status}-${days}`),
    ),
  );
  expect(await query("select from croft.inbox_effect")).toHaveLength(13);
  // What GitHub may still send again is known, however short the retention is.
  const short = { ...usualRetention.retention, events: 3_600_000, jobs: 3_600_000 };
  await clean(engine.database, { retention: short });
  expect((await left()).slice(0, 3)).toEqual(["handled-5", "ignored-5", "failed-5"]);
});
