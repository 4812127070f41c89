// A watch with a long history ends at once, and what it leaves behind goes in parts.
import { expect, test } from "vitest";
import { deliveryScene } from "../../test/support/delivery-scene.ts";
import { listWatches } from "./read-watches.ts";
import { deleteWatch, forgetRemovedWatches } from "./remove-watch.ts";

const ALL = { owner: undefined };

test("at once nothing of it is shown or sent; whoever comes later removes the rest", async () => {
  const { engine, app, watchId, receiver, sync, start, query } = await deliveryScene();
  await sync({ a: "1" });
  await query(
    `insert into croft.delivery (id, app_id, watch_id, type, state, settled_at)
     select croft.new_id(), $1, $2, 'files.changed', 'delivered', croft.now() from generate_series(1, 4500)`,
    [app.id, watchId],
  );
  await query(
    "insert into croft.delivery (id, app_id, watch_id, type, data) values (croft.new_id(), $1, $2, 'sync.failed', '{}')",
    [app.id, watchId],
  );
  await deleteWatch(engine, ALL, watchId);
  const left = async () =>
    await query("select state, count(*)::int as count from croft.delivery group by state");
  expect(await left()).toEqual([{ state: "delivered", count: expect.any(Number) }]);
  const page = { limit: 50 };
  expect((await listWatches(engine.database, ALL, page)).watches).toEqual([]);
  expect((await listWatches(engine.database, { owner: `app:${app.id}` }, page)).watches).toEqual(
    [],
  );
  await expect(deleteWatch(engine, ALL, watchId)).rejects.toMatchObject({ code: "not-found" });
  start();
  expect(await forgetRemovedWatches(engine.database, () => false)).toBe(false);
  expect(await left()).toEqual([]);
  expect(await query("select 1 from croft.sync union all select 1 from croft.watch")).toEqual([]);
  expect(receiver.received).toEqual([]);
});
