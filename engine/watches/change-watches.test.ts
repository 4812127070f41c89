// Whoever changes a watch waits for others in one order, so that nobody waits for each other; races have plain answers.
import { expect, test } from "vitest";
import { deliveryScene } from "../../test/support/delivery-scene.ts";
import { startGitServer } from "../../test/support/git-server.ts";
import { git, makeRepository } from "../../test/support/make-repository.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { onboardApp } from "../apps/onboard-app.ts";
import { inTransaction } from "../database/in-transaction.ts";
import { changeWatch, createWatch, resyncWatch } from "./change-watches.ts";
import { deleteWatch } from "./remove-watch.ts";

const ALL = { owner: undefined };

async function scene() {
  const root = await scratchDirectory();
  const bare = await makeRepository(root, "docs", { files: 1 });
  await git(["--git-dir", bare, "branch", "other", "main"]);
  const remote = await startGitServer(root);
  const engine = await scratchEngine({ allowPrivate: remote.host });
  const app = await onboardApp(engine, {
    ...{ name: "docs", email: "a@example.com", description: "", delivery_slots: 4 },
  });
  const create = (ref = "main") =>
    createWatch(engine, app.id, { url: remote.url("docs"), ref, include: [], exclude: [] });
  const query = async <T>(text: string, values: unknown[] = []) =>
    (await engine.database.pool.query(text, values)).rows as T[];
  const someoneWaits = () =>
    waitUntil("somebody to wait for a lock", async () => {
      const waiting = await query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return waiting.length > 0;
    });
  return { engine, remote, create, query, someoneWaits };
}

test.each(["resync", "change", "delete"] as const)(
  "%s waits for the repository before it holds the watch",
  async (what) => {
    const { engine, create, someoneWaits } = await scene();
    const { watch } = await create();
    const act = {
      resync: () => resyncWatch(engine, ALL, watch.id),
      change: () => changeWatch(engine, ALL, watch.id, { include: ["a"] }),
      delete: () => deleteWatch(engine, ALL, watch.id),
    }[what];
    let acting: Promise<unknown> | undefined;
    await inTransaction(engine.database, async (client) => {
      await client.query("select from croft.repository for update"); // as whoever removes an app does
      acting = act();
      acting.catch(() => {});
      await someoneWaits();
      await client.query("update croft.watch set told_at = croft.now()");
    });
    await acting;
  },
);

test("to watch the same again waits for nobody who is at the watch", async () => {
  const { engine, create } = await scene();
  const { watch } = await create();
  await inTransaction(engine.database, async (client) => {
    await client.query("update croft.watch set told_at = croft.now()");
    expect(await create()).toMatchObject({ isNew: false, watch: { id: watch.id } });
    await client.query("update croft.watch set seq = seq + 1"); // looks at all that it refers to
  });
});

test("a sync that ends needs nothing that others lock before the watch", async () => {
  const { engine, sync, query } = await deliveryScene();
  await inTransaction(engine.database, async (client) => {
    await client.query("select from croft.repository for update");
    await sync({ a: "1" });
  });
  expect(await query("select state from croft.sync")).toEqual([{ state: "ready" }]);
});

test("many at once make one watch, and of two that want the same ref one has it", async () => {
  const { engine, create, query } = await scene();
  const made = await Promise.all(Array.from({ length: 6 }, () => create()));
  expect(new Set(made.map(({ watch }) => watch.id)).size).toBe(1);
  expect(made.filter(({ isNew }) => isNew)).toHaveLength(1);
  const { watch: second } = await create("other");
  const first = made[0]?.watch.id ?? "";
  const outcomes = await Promise.allSettled(
    [first, second.id].map((id) => changeWatch(engine, ALL, id, { ref: null })),
  );
  const reasons = outcomes.map((each) => (each.status === "rejected" ? each.reason.code : "done"));
  expect(reasons.sort()).toEqual(["done", "name-taken"]);
  const events = await query<{ seq: number }>(
    "select seq from croft.event where subject = $1 order by seq",
    [first],
  );
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
});

test("a remote that is away is no fault of the request", async () => {
  const { remote, create } = await scene();
  remote.fault = { kind: "status", status: 502 };
  await expect(create()).rejects.toMatchObject({ code: "unavailable" });
  remote.fault = { kind: "status", status: 404 };
  await expect(create()).rejects.toMatchObject({ code: "invalid-input" });
});

test("an address by ssh without a key of the app's own is refused", async () => {
  const { engine, remote, query } = await scene();
  const [app] = await query<{ id: string }>("select id from croft.app");
  const url = `ssh://git@${remote.host}/a/b`;
  await expect(
    createWatch(engine, app?.id ?? "", { url, include: [], exclude: [] }),
  ).rejects.toMatchObject({
    code: "invalid-input",
    message: expect.stringContaining("needs a credential of the kind 'ssh-key'"),
  });
});
