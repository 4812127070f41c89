// A mirror goes when nobody watches its repository and no job or run uses it, and whoever comes meanwhile loses nothing.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git } from "../../test/support/make-repository.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { watchedRepository } from "../../test/support/watched-repository.ts";
import { deleteApp } from "../apps/delete-app.ts";
import { newId } from "../new-id.ts";
import { deleteWatch } from "../watches/remove-watch.ts";
import { forgetDeletedApps } from "./app-remover.ts";
import { UnusedMirrors } from "./unused-mirrors.ts";

const ALL = { owner: undefined };

async function scene() {
  const parts = await watchedRepository({ files: 5 });
  const { engine } = parts;
  const place = join(engine.config.data, "mirrors");
  const mirrors = () => readdirSync(place).filter((name) => /^[^.].*\.git$/.test(name));
  const gitDir = () => join(place, mirrors()[0] ?? "none");
  return {
    ...{ ...parts, mirrors, gitDir },
    kept: () =>
      git(["--git-dir", gitDir(), "for-each-ref", "--format=%(refname)", "refs/croft/kept"]),
    remove: () => new UnusedMirrors(engine).remove(),
    end: (id: string) => deleteWatch(engine, ALL, id),
  };
}

test("it goes with the last watch, and not before", async () => {
  const { onboard, watch, told, end, remove, mirrors, query } = await scene();
  expect(await remove()).toBe(0);
  const [one, other] = [await onboard("one"), await onboard("other")];
  const watches = [await watch(one.id), await watch(other.id)] as const;
  for (const { id } of watches) await told(id);
  expect([await remove(), mirrors().length]).toEqual([0, 1]);
  await end(watches[0].id);
  expect([await remove(), mirrors().length]).toEqual([0, 1]);
  await end(watches[1].id);
  expect([await remove(), mirrors().length]).toEqual([1, 0]);
  expect(await query("select 1 from croft.repository")).toEqual([]);
  const again = await watch(one.id);
  await told(again.id);
  expect(mirrors()).toHaveLength(1);
});

test("it goes with the app that alone watched it", async () => {
  const { engine, onboard, watch, told, remove, mirrors } = await scene();
  const app = await onboard("one");
  await told((await watch(app.id)).id);
  await deleteApp(engine.database, app.id);
  await waitUntil("the app's end", async () => !(await forgetDeletedApps(engine)));
  expect([await remove(), mirrors().length]).toEqual([1, 0]);
});

test("a run or a job of it keeps it, but not what was kept for watches; nobody's is left alone", async () => {
  const { onboard, watch, told, end, remove, mirrors, kept, query, url, gitDir } = await scene();
  const { id } = await watch((await onboard("one")).id);
  await told(id);
  expect(await kept()).toContain(`watch-${id}`);
  await query(
    `insert into croft.run (id, owner, name, number, status, text, inputs, repository, started_by, finished_at)
     values ($1, 'local', 'p', 1, 'done', 'x', '{}', $2, 'test', now())`,
    [newId(), url],
  );
  await query(
    `insert into croft.job (id, owner, key, lane_id, type, class, status, run_at, input)
     values ($1, 'local', '', $1, 'command', 1, 'done', now(), $2)`,
    [newId(), { repository: url.replace(/\.git$/, "") }],
  );
  await end(id);
  expect([await remove(), mirrors().length]).toEqual([0, 1]);
  expect(await kept()).toBe("");
  await query("delete from croft.run");
  expect([await remove(), mirrors().length]).toEqual([0, 1]);
  await query("delete from croft.job");
  rmSync(join(gitDir(), "croft-remote"));
  expect([await remove(), mirrors().length]).toEqual([0, 1]);
});

test("who begins to watch while it is removed is told everything all the same", async () => {
  const { onboard, watch, told, end, engine, tip, receiver, query } = await scene();
  const app = await onboard("one");
  const commit = await tip();
  await told((await watch(app.id)).id, commit);
  const unused = new UnusedMirrors(engine);
  for (let round = 0; round < 6; round++) {
    for (const { id } of await query<{ id: string }>("select id from croft.watch")) await end(id);
    const count = receiver.received.length;
    const [made] = await Promise.all([watch(app.id), unused.remove(), unused.remove()]);
    await told(made.id, commit);
    expect(receiver.received.length).toBeGreaterThan(count);
  }
});
