// What goes wrong with one watch, one app or one remote costs nobody else their turn.
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startGitServer } from "../../test/support/git-server.ts";
import { makeAuthority } from "../../test/support/make-authority.ts";
import { git, makeRepository } from "../../test/support/make-repository.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { serveGit } from "../../test/support/serve-git.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { onboardApp } from "../apps/onboard-app.ts";
import { startDispatching } from "../dispatch/start-dispatching.ts";
import type { Engine } from "../engine.ts";
import { putCredential } from "../secrets/credential-store.ts";
import { createWatch } from "./change-watches.ts";

const HOURLY = { "watches.poll": "1h" };

async function onboard(engine: Engine, name: string): Promise<string> {
  const request = { name, email: "a@example.com", description: "", delivery_slots: 4 };
  return (await onboardApp(engine, request)).id;
}

function asking(engine: Engine) {
  return async <T>(text: string, values: unknown[] = []) =>
    (await engine.database.pool.query(text, values)).rows as T[];
}

async function dispatch(engine: Engine): Promise<void> {
  const dispatching = await startDispatching(engine);
  onTestFinished(() => dispatching.close(1000));
}

test("a credential that cannot be read is its own app's fault, and asked once it refuses all who have it", async () => {
  const root = await scratchDirectory();
  const authority = makeAuthority(root);
  const bare = await makeRepository(join(root, "remotes"), "docs", { files: 1 });
  const remote = await serveGit(join(root, "remotes"), authority.identity);
  onTestFinished(() => remote.close());
  remote.tokens = new Set(["of-a", "of-b"]);
  const flags = { ...HOURLY, "git.caFile": authority.caFile, allowPrivate: remote.host };
  const engine = await scratchEngine(flags);
  const query = asking(engine);
  const ids: string[] = [];
  for (const name of ["a", "b"]) {
    const id = await onboard(engine, name);
    const value = `of-${name}`;
    const credential = { kind: "token", url: `https://${remote.host}`, value } as const;
    await putCredential(engine.vault, `app:${id}`, credential);
    for (const ref of name === "a" ? ["main"] : ["b1", "b2", "b3", "b4"]) {
      if (ref !== "main") await git(["--git-dir", bare, "branch", ref, "main"]);
      await createWatch(engine, id, { url: remote.url("docs"), ref, include: [], exclude: [] });
    }
    ids.push(id);
  }
  const [a, b] = ids;
  await query("update croft.credential set ciphertext = 'x' where owner = $1", [`app:${a}`]);
  await dispatch(engine);
  const told = async () =>
    await query("select 1 from croft.watch where app_id = $1 and told_commit is not null", [b]);
  await waitUntil("the other app to be told", async () => (await told()).length === 4);
  const state = async (app: string | undefined) =>
    await query(
      "select distinct state, is_held, error ->> 'code' as code from croft.watch where app_id = $1",
      [app],
    );
  expect(await state(a)).toEqual([
    { state: "failing", is_held: true, code: "credential-unreadable" },
  ]);
  const polled = () =>
    query("select failures, error from croft.repository where dispatcher_id is null");
  await waitUntil("the end of the poll", async () => (await polled()).length === 1);
  expect(await polled()).toEqual([{ failures: 0, error: null }]);

  remote.tokens = new Set();
  const before = remote.requests.length;
  await query("update croft.watch set checked_at = null");
  await query("update croft.repository set next_poll_at = croft.now()");
  await query("select pg_notify('croft_watch', '')");
  await waitUntil("all to be refused", async () =>
    JSON.stringify(await state(b)).includes("credential-refused"),
  );
  await waitUntil("the end of the poll", async () => (await polled()).length === 1);
  expect(await state(b)).toEqual([{ state: "failing", is_held: true, code: "credential-refused" }]);
  const asked = remote.requests.slice(before).filter(({ token }) => token === "of-b");
  expect(asked.length).toBeLessThanOrEqual(2); // a second time with a fresh one
  const retries = await query(
    "select 1 from croft.watch where retry_at > croft.now() + interval '10 minutes'",
  );
  expect(retries).toHaveLength(5);
});

test("however many silent remotes one app watches, another's repository is polled", async () => {
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  onTestFinished(() => void silent.close());
  await new Promise((resolve) => silent.once("listening", resolve));
  const { port } = silent.address() as { port: number };
  const root = await scratchDirectory();
  await makeRepository(root, "docs", { files: 1 });
  const remote = await startGitServer(root);
  const engine = await scratchEngine({
    ...{ ...HOURLY, allowPrivate: `${remote.host},127.0.0.1:${port}` },
  });
  const query = asking(engine);
  const [noisy, other] = [await onboard(engine, "noisy"), await onboard(engine, "other")];
  await query(
    `with r as (insert into croft.repository (id, url, poll_ms, next_poll_at)
       select croft.new_id(), 'http://127.0.0.1:' || $2 || '/r' || n || '.git', 3600000, croft.now() - interval '1 hour'
       from generate_series(1, 100) n returning id)
     insert into croft.watch (id, app_id, repository_id, ref) select croft.new_id(), $1, id, '' from r`,
    [noisy, port],
  );
  await createWatch(engine, other, { url: remote.url("docs"), include: [], exclude: [] });
  await dispatch(engine);
  await waitUntil("the other app to be told", async () => {
    const told = await query("select 1 from croft.watch where told_commit is not null");
    return told.length === 1;
  });
  const taken = await query(
    `select 1 from croft.repository r join croft.watch w on w.repository_id = r.id
     where dispatcher_id is not null and app_id = $1`,
    [noisy],
  );
  expect(taken.length).toBeLessThanOrEqual(32);
});
