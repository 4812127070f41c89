// Before a message goes out the remote is asked; one that does not answer holds nobody, and is not asked for every message.
import { expect, test } from "vitest";
import { waitUntil } from "../../test/support/wait-until.ts";
import { watchedRepository } from "../../test/support/watched-repository.ts";
import { newId } from "../new-id.ts";
import { ReadCheckFailed, ReadChecks } from "./read-checks.ts";

test("a remote that fails is asked more and more seldom, and a silent one is left when Croft ends", async () => {
  const { engine, onboard, watch, told, remote, query } = await watchedRepository({ files: 1 });
  const app = await onboard("docs");
  const { id } = await watch(app.id, { poll: 3600 });
  await told(id);
  await query("update croft.repository set next_poll_at = 'infinity'");
  const check = () => new ReadChecks(engine).mayRead(id);
  expect(await check()).toBe(true);

  remote.fault = { kind: "status", status: 500 };
  const first = await check().catch((error: unknown) => error as ReadCheckFailed);
  if (!(first instanceof ReadCheckFailed)) throw new Error("it was not refused");
  await expect(check()).rejects.toBeInstanceOf(ReadCheckFailed); // within the same pause
  const paused = () =>
    query<{ failures: number; paused: boolean }>(
      "select check_failures as failures, check_after > croft.now() as paused from croft.watch",
    );
  expect(await paused()).toEqual([{ failures: 1, paused: true }]);
  const claimed = async () =>
    await query("select id from croft.claim_deliveries((select id from croft.dispatcher), $1, 9)", [
      engine.hostId,
    ]);
  await query("update croft.app set is_paused = true"); // the runner is to leave it to this test
  await query(
    `insert into croft.delivery (id, app_id, watch_id, type, files) values ($1, $2, $3, 'files.changed', '[]')`,
    [newId(), app.id, id],
  );
  await query("update croft.app set is_paused = false");
  expect(await claimed()).toEqual([]);
  await query("update croft.app set is_paused = true");
  await query("update croft.watch set check_after = croft.now()");
  const again = await check().catch((error: unknown) => error as ReadCheckFailed);
  expect(again).toMatchObject({ fault: { code: "remote-unreachable" } });
  expect((again as ReadCheckFailed).pauseMs).toBeGreaterThan(first.pauseMs);

  remote.fault = { kind: "silence" };
  const asked = remote.requests.length;
  const closing = new AbortController();
  const silent = new ReadChecks(engine).mayRead(id, closing.signal);
  silent.catch(() => {});
  await waitUntil("the question", () => remote.requests.length > asked);
  closing.abort();
  await expect(silent).rejects.toThrow();

  remote.fault = undefined;
  expect(await check()).toBe(true);
  expect(await paused()).toEqual([{ failures: 0, paused: null }]);
});
