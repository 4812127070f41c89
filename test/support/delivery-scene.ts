// An app with a watch whose syncs a test writes itself, and a runner that sends them; contents are the test's own.
import { createHash } from "node:crypto";
import { type Engine, onboardApp } from "@croft/engine";
import { expect, onTestFinished } from "vitest";
import type { DeliveryFile } from "../../engine/deliveries/delivery-files.ts";
import { DeliveryRunner } from "../../engine/deliveries/delivery-runner.ts";
import { Dispatcher } from "../../engine/dispatch/dispatcher.ts";
import { newId } from "../../engine/new-id.ts";
import { openSigningSecrets } from "../../engine/secrets/signing-secret-store.ts";
import { findWatch } from "../../engine/watches/watch-rows.ts";
import { SyncWriter } from "../../engine/watches/write-sync.ts";
import { scratchEngine } from "./scratch-engine.ts";
import { waitUntil } from "./wait-until.ts";
import { webhookReceiver } from "./webhook-receiver.ts";

const QUICK = { "deliveries.retries": "10ms,20ms,30ms", "deliveries.timeout": "2s" };

/** `hosts`: further ones that messages may go to. */
export async function deliveryScene(
  flags: Record<string, string> = {},
  hosts: readonly string[] = [],
) {
  const receiver = await webhookReceiver();
  const allowPrivate = [receiver.host, ...hosts].join();
  const engine = await scratchEngine({ ...QUICK, allowPrivate, ...flags });
  const app = await onboardApp(engine, {
    ...{ name: "docs", email: "a@example.com", description: "", delivery_slots: 4 },
    base_url: receiver.url,
  });
  const blobs = new Map<string, Buffer>();
  const dispatcher = await Dispatcher.start(engine);
  const watchId = await addWatch(engine, app.id, dispatcher.id);
  onTestFinished(() => dispatcher.close());
  const start = () => startRunner(engine, dispatcher, blobs);
  const query = async <T>(text: string, values: unknown[] = []) =>
    (await engine.database.pool.query(text, values)).rows as T[];
  const states = async () =>
    (await query<{ state: string }>("select state from croft.delivery order by id")).map(
      ({ state }) => state,
    );
  const settled = () =>
    waitUntil("all to be settled", async () =>
      (await states()).every((state) => !["pending", "sending", "staged"].includes(state)),
    );
  return {
    ...{ engine, app, receiver, watchId, blobs, dispatcher, start, query, states, settled },
    sync,
  };

  /** One step of the watch: these files with these contents. */
  async function sync(
    files: Record<string, string | Buffer | null>,
    { filesMax = 100, isReset = false }: { filesMax?: number; isReset?: boolean } = {},
  ): Promise<string> {
    const watch = await findWatch(engine.database.pool, watchId);
    if (watch === undefined) throw new Error("no watch");
    const commit = createHash("sha1").update(newId()).digest("hex");
    const plan = {
      watch,
      dispatcherId: dispatcher.id,
      host: engine.hostId,
      isResync: false,
      isReset,
    };
    const writer = new SyncWriter(engine.database, {
      ...{ ...plan, to: { commit, ref: "refs/heads/main" }, filesMax },
    });
    await writer.begin();
    for (const [path, content] of Object.entries(files))
      if (content === null) await writer.add({ path, change: "deleted" });
    await writer.endDeletions();
    for (const [path, content] of Object.entries(files))
      if (content !== null) await writer.add(fileOf(path, content));
    expect(await writer.finish()).toBe(true);
    return commit;
  }

  function fileOf(path: string, content: string | Buffer): DeliveryFile {
    const bytes = Buffer.from(content);
    const blob = createHash("sha1").update(bytes).digest("hex");
    blobs.set(blob, bytes);
    return { path, change: "created", mode: "100644", blob, size: bytes.length };
  }
}

/** Its repository is being polled by this dispatcher for as long as the test takes. */
async function addWatch(
  { database }: Engine,
  appId: string,
  dispatcherId: string,
): Promise<string> {
  const [repository, watch] = [newId(), newId()];
  await database.pool.query(
    `with r as (insert into croft.repository (id, url, poll_ms, next_poll_at, dispatcher_id)
       values ($1, 'https://example.com/r', 1000, 'infinity', $4) returning id)
     insert into croft.watch (id, app_id, repository_id, ref) select $2, $3, id, '' from r`,
    [repository, watch, appId, dispatcherId],
  );
  return watch;
}

function startRunner(engine: Engine, dispatcher: Dispatcher, blobs: Map<string, Buffer>) {
  const read = (blob: string) => {
    const found = blobs.get(blob);
    if (found === undefined) throw new Error(`no blob ${blob}`);
    return found;
  };
  const runner = DeliveryRunner.start({
    ...engine,
    dispatcher,
    secrets: (appId) => openSigningSecrets(engine.vault, appId),
    mayRead: async () => true,
    recover: async () => "there",
    contentsOf: async () => ({
      read: async (blob) => read(blob),
      stream: async function* (blob) {
        const bytes = read(blob);
        for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
      },
    }),
  });
  onTestFinished(() => runner.close(0));
  return runner;
}
