// An app that is deleted in the middle of a sync, or of its deliveries: nothing is sent to it any more, and nothing is left.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { deleteApp, type Engine, forgetDeletedApps } from "@croft/engine";
import { directoryNameOf, parseRemoteUrl } from "@croft/git";
import { expect, test } from "vitest";
import { UnusedMirrors } from "../engine/janitor/unused-mirrors.ts";
import { importHidden, treeOf } from "./support/import-commits.ts";
import { waitUntil } from "./support/wait-until.ts";
import { watchScene } from "./support/watch-scene.ts";

const TREES = [
  treeOf({ "a.md": "one", "b.md": "one" }),
  treeOf(Object.fromEntries(Array.from({ length: 40 }, (_, nth) => [`f${nth}.md`, `two ${nth}`]))),
  treeOf({ "a.md": "three" }),
];

/** Rows that belong to no app and no watch that is there. */
async function orphans({ database }: Engine): Promise<string[]> {
  const { rows } = await database.pool.query<{ what: string }>(`
    select 'watch ' || id as what from croft.watch w where not exists (select from croft.app where id = w.app_id and deleted_at is null)
    union all select 'sync ' || id from croft.sync s where not exists (select from croft.watch where id = s.watch_id)
    union all select 'delivery ' || id from croft.delivery d where not exists (select from croft.app where id = d.app_id)
    union all select 'staged ' || id from croft.delivery where state = 'staged'
    union all select 'wait ' || delivery_id from croft.delivery_wait w where not exists (select from croft.delivery where id = w.delivery_id)
    union all select 'attempt ' || delivery_id from croft.delivery_attempt a where not exists (select from croft.delivery where id = a.delivery_id)
    union all select 'repository ' || url from croft.repository r where not exists (select from croft.watch where repository_id = r.id)
    union all select 'kept ' || subject_id from croft.kept_commit k where kind = 'watch' and not exists (select from croft.watch where id = k.subject_id)
    union all select 'secret ' || id from croft.signing_secret s where not exists (select from croft.app where id = s.app_id)
    union all select 'event ' || type from croft.event e where owner like 'app:%' and not exists (select from croft.app where 'app:' || id = e.owner)`);
  return rows.map(({ what }) => what);
}

function mirrorOf({ config }: Engine, url: string): string {
  const remote = parseRemoteUrl(url, { allowHttp: [new URL(url).host] });
  return join(config.data, "mirrors", `${directoryNameOf(remote)}.git`);
}

/** All that can be removed is: of attempts there are none. */
async function forgotten(engine: Engine): Promise<void> {
  await waitUntil("the app to be gone", async () => !(await forgetDeletedApps(engine)));
}

test("deleted in the middle of a sync: nothing of it arrives, another app has all, and no row is left", async () => {
  const { bare, remote, engine, move, watch, url } = await watchScene({}, 2);
  const commits = await importHidden(bare, TREES);
  await move("main", commits[0]);
  const [gone, stays] = [await watch(0), await watch(1)];
  await gone.told(commits[0]);
  await stays.told(commits[0]);
  const before = gone.receiver.requests.length;
  // The fetch of the next sync waits until its app is gone.
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const asked = remote.requests.length;
  remote.fault = { kind: "gate", opened, after: 2 };
  await move("main", commits[1]);
  await waitUntil("the fetch", () => remote.requests.length > asked + 2);
  await deleteApp(engine.database, gone.id);
  remote.fault = undefined;
  open();
  await stays.told(commits[1]);
  stays.expectTree(TREES[1]);
  await move("main", commits[2]);
  await stays.told(commits[2]);
  expect(gone.receiver.requests.length).toBe(before);
  await forgotten(engine);
  expect(await orphans(engine)).toEqual([]);
  expect(existsSync(mirrorOf(engine, url))).toBe(true); // somebody else needs it
});

test("deleted in the middle of its deliveries: what is on its way is the last", async () => {
  const { bare, engine, move, watch } = await watchScene({ "deliveries.files": "1" }, 2);
  const commits = await importHidden(bare, TREES);
  await move("main", commits[0]);
  const [gone, stays] = [await watch(0), await watch(1)];
  await gone.told(commits[0]);
  await stays.told(commits[0]);
  const before = gone.receiver.requests.length;
  let isDeleted = false;
  let deletion: Promise<void> | undefined;
  const late: string[] = [];
  gone.receiver.mood = (type) => {
    if (isDeleted) late.push(type);
    // From within its own answer: others of its messages are on their way at this moment.
    if (gone.receiver.requests.length === before + 5) {
      deletion = deleteApp(engine.database, gone.id).then(() => {
        isDeleted = true;
      });
    }
    return "well";
  };
  await move("main", commits[1]);
  await waitUntil("the deletion", () => isDeleted);
  await deletion;
  await stays.told(commits[1]);
  await forgotten(engine);
  await move("main", commits[2]);
  await stays.told(commits[2]);
  stays.expectTree(TREES[2]);
  expect(late.length).toBeLessThanOrEqual(4); // as many as were signed before
  expect(gone.receiver.requests.length).toBeLessThan(before + 15);
  expect(await orphans(engine)).toEqual([]);
});

test("with the last app that watches it a repository is asked no more, and its mirror goes", async () => {
  const { bare, engine, move, watch, url } = await watchScene();
  const commits = await importHidden(bare, TREES);
  await move("main", commits[0]);
  const gone = await watch();
  await gone.told(commits[0]);
  await deleteApp(engine.database, gone.id);
  await forgotten(engine);
  expect(await orphans(engine)).toEqual([]);
  const { rows } = await engine.database.pool.query("select from croft.repository");
  expect(rows).toEqual([]);
  const mirrors = new UnusedMirrors(engine);
  await waitUntil("its mirror to go", async () => (await mirrors.remove()) === 1);
  expect(existsSync(mirrorOf(engine, url))).toBe(false);
  await move("main", commits[1]);
  const other = await watch();
  await other.told(commits[1]);
  expect(gone.notices()).toEqual([]);
});
