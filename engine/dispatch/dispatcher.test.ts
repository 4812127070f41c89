// What a dead process was writing goes, however much it is; what a living one writes stays.
import { expect, test } from "vitest";
import { deliveryScene } from "../../test/support/delivery-scene.ts";
import { newId } from "../new-id.ts";

test("unfinished work is forgotten a part at a time", async () => {
  const { dispatcher, query, watchId, app } = await deliveryScene();
  const making = async (dispatcherId: string, count: number) => {
    const id = newId();
    await query(
      `insert into croft.sync (id, watch_id, dispatcher_id, host, to_commit, ref) values ($1, $2, $3, 'h', 'c', 'r')`,
      [id, watchId, dispatcherId],
    );
    await query(
      `insert into croft.delivery (id, app_id, watch_id, sync_id, type, files, state)
       select croft.new_id(), $1, $2, $3, 'files.changed', '[]', 'staged' from generate_series(1, $4::integer)`,
      [app.id, watchId, id, count],
    );
    return id;
  };
  await making(newId(), 25);
  const alive = await making(dispatcher.id, 5);
  const forget = async () =>
    (await query<{ more: boolean }>("select croft.forget_unmade_syncs(10) as more"))[0]?.more;
  expect([await forget(), await forget(), await forget(), await forget()]).toEqual([
    ...[true, true, false, false],
  ]);
  expect(await query("select id from croft.sync")).toEqual([{ id: alive }]);
  expect(await query("select from croft.delivery")).toHaveLength(5);
});
