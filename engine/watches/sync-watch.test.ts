// A re-sync leaves its app with exactly what is there; what cannot be told is a fault of the watch.

import { resyncWatch } from "@croft/engine";
import { expect, test } from "vitest";
import { deliveryScene } from "../../test/support/delivery-scene.ts";
import { importHidden, treeOf } from "../../test/support/import-commits.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { watchScene } from "../../test/support/watch-scene.ts";
import { keysOf } from "../deliveries/delivery-files.ts";
import { faultOf } from "./watch-health.ts";

const ALL = { owner: undefined };

test("what went since the last sync, and what an app was never told of, is gone after a re-sync", async () => {
  const { engine, bare, move, watch } = await watchScene({ "watches.poll": "1h" });
  const trees = [{ "victim.md": "1", kept: "1" }, { kept: "1", more: "2" }, { kept: "1" }];
  const commits = await importHidden(bare, trees.map(treeOf));
  await move("main", commits[0]);
  const app = await watch(0);
  await app.told(commits[0]);
  await move("main", commits[1]);
  await resyncWatch(engine, ALL, app.watchId);
  await app.told(commits[1]);
  app.expectTree(treeOf(trees[1] ?? {}));
  // As if it had been told of the third, and that had been given up.
  const { pool } = engine.database;
  await move("main", commits[2]);
  await pool.query("update croft.watch set told_commit = $1", [commits[2]]);
  await resyncWatch(engine, ALL, app.watchId);
  await waitUntil("both re-syncs to be told", async () => {
    const { rows } = await pool.query(
      "select from croft.sync where is_resync and is_reset and state = 'settled'",
    );
    return rows.length === 2;
  });
  app.expectTree(treeOf(trees[2] ?? {}));
});

test("a path in too many directories is a fault that its app is told", async () => {
  const { sync, query } = await deliveryScene();
  const error = await sync({ [`${"d/".repeat(300)}f`]: "1" }).catch((caught: unknown) => caught);
  expect(faultOf(error)).toMatchObject({ code: "path-too-deep", holds: false, mayPass: false });
  await sync({ [`${"d/".repeat(256)}f`]: "1" });
  expect(await query("select cardinality(above_keys) as above from croft.delivery")).toEqual([
    { above: 256 },
  ]);
});

test("keys of many files are those of each of them", () => {
  const paths = ["a", "a/b", "a/b/c", "a/bc/d", "a/b/c/d", "b/b/c", "ab/c", "a/b/d", "b"];
  const each = paths.map((path) => keysOf([{ path, change: "deleted" }]));
  const all = keysOf(paths.map((path) => ({ path, change: "deleted" })));
  expect(all.path_keys).toEqual(each.flatMap(({ path_keys }) => path_keys));
  expect(all.above_keys).toEqual([...new Set(each.flatMap(({ above_keys }) => above_keys))]);
  const keyOf = (path: string) => keysOf([{ path, change: "deleted" }]).path_keys[0];
  expect(keysOf([{ path: "a/b/c", change: "deleted" }]).above_keys).toEqual([
    ...[keyOf("a"), keyOf("a/b")],
  ]);
});
