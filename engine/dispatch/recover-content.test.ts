// The host that had the content is lost: another fetches it, or sends everything anew.
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createWatch, onboardApp, startDispatching } from "@croft/engine";
import { expect, onTestFinished, test } from "vitest";
import { startGitServer } from "../../test/support/git-server.ts";
import { git, makeRepository } from "../../test/support/make-repository.ts";
import { scratchDatabase } from "../../test/support/scratch-database.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { engineOn } from "../../test/support/scratch-engine.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { webhookReceiver } from "../../test/support/webhook-receiver.ts";

/** A first sync that its host could not send; `takeOver` is another host's turn. */
async function lostHost() {
  const root = await scratchDirectory();
  const bare = await makeRepository(root, "docs", { files: 3 });
  const server = await startGitServer(root);
  const receiver = await webhookReceiver();
  const keyFile = join(root, "secrets.keys");
  writeFileSync(keyFile, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600 });
  const flags = {
    ...{ "git.allowHttp": server.host, allowPrivate: `${server.host},${receiver.host}` },
    ...{ "watches.poll": "1h", "deliveries.retries": "1h", "secrets.keyFile": keyFile },
  };
  const database = await scratchDatabase();
  const engine = await engineOn(database, flags);
  const query = async <T>(text: string) => (await engine.database.pool.query(text)).rows as T[];
  const first = await startDispatching(engine);
  receiver.answer = () => ({ status: 500 });
  const app = await onboardApp(engine, {
    ...{ name: "docs", email: "a@example.com", description: "", delivery_slots: 4 },
    base_url: receiver.url,
  });
  await createWatch(engine, app.id, { url: server.url("docs"), include: [], exclude: [] });
  const failed = "select from croft.delivery where failures = 1 and state = 'pending'";
  await waitUntil("the failure", async () => (await query(failed)).length === 1);
  await first.close(0);
  receiver.answer = () => ({ status: 204 });
  receiver.received.length = 0;
  const takeOver = async () => {
    const second = await engineOn(database, flags);
    await query("update croft.app set endpoint_failures = 0, endpoint_closed_until = null");
    await query("update croft.delivery set due_at = croft.now()");
    const dispatching = await startDispatching(second);
    onTestFinished(() => dispatching.close(0));
    return second.hostId;
  };
  const settled = () =>
    waitUntil("all to be settled", async () => {
      const open = "select from croft.delivery where settled_at is null";
      return (await query(open)).length === 0 && receiver.received.length > 0;
    });
  return { bare, receiver, query, takeOver, settled };
}

test("another host fetches the commit, and keeps it", async () => {
  const { receiver, query, takeOver, settled } = await lostHost();
  const host = await takeOver();
  await settled();
  expect(await query("select state, host from croft.delivery")).toEqual([
    { state: "delivered", host },
  ]);
  expect(await query("select host from croft.kept_commit where kind = 'sync'")).toContainEqual({
    host,
  });
  expect(receiver.received[0]?.body.data.files?.every(({ content }) => content !== undefined)).toBe(
    true,
  );
});

test("a commit that the remote has forgotten is not waited for: every file is sent anew", async () => {
  const { bare, receiver, query, takeOver, settled } = await lostHost();
  const identity = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
  const tree = (await git(["-C", bare, "rev-parse", "main^{tree}"])).trim();
  const other = await git([...identity, "-C", bare, "commit-tree", "-m", "another history", tree]);
  await git(["-C", bare, "update-ref", "refs/heads/main", other.trim()]);
  await takeOver();
  await settled();
  expect(
    await query("select state, error ->> 'code' as code from croft.delivery order by id"),
  ).toEqual([
    { state: "cancelled", code: "content-lost" },
    { state: "delivered", code: null },
  ]);
  expect(receiver.received[0]?.body.data["commit"]).toBe(other.trim());
});
