// An engine whose project starts a job for events of GitHub, and ways to bring events in and to look at what became of them.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  defineJobType,
  type Engine,
  EventIntake,
  type JobType,
  listGithubEvents,
  loadConfig,
  openEngine,
  startDispatching,
  type TriggerInput,
} from "@croft/engine";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { scratchDatabase } from "./scratch-database.ts";
import { scratchDirectory } from "./scratch-directory.ts";
import { scratchServer } from "./scratch-server.ts";
import { signedEvent, WEBHOOK_SECRET } from "./signed-event.ts";
import { silentLog } from "./silent-log.ts";
import { waitUntil } from "./wait-until.ts";

/** However busy the machine is. */
const SETTLED_CEILING_MS = 90_000;

/** No worker runs: what was started is counted. */
const noteJob = defineJobType({ name: "note", input: z.looseObject({}), run: async () => ({}) });

export interface InboxOptions {
  readonly triggers?: readonly TriggerInput[];
  readonly flags?: Record<string, string>;
  /** Another process's, as far as the database can tell. */
  readonly databaseUrl?: string;
  /** Besides `note`. */
  readonly types?: readonly JobType[];
  readonly role?: "server" | "worker";
}

export async function inboxEngine(options: InboxOptions = {}): Promise<Engine> {
  const { triggers = [], types = [], flags = {} } = options;
  const { databaseUrl = await scratchDatabase() } = options;
  const directory = await scratchDirectory();
  const file = join(directory, "croft.config.mjs");
  writeFileSync(file, `export default ${JSON.stringify({ triggers })};\n`);
  const loaded = await loadConfig({
    flags: { data: join(directory, "data"), "github.webhookSecret": WEBHOOK_SECRET, ...flags },
    env: { DATABASE_URL: databaseUrl },
    ...{ directory, file, uid: process.getuid?.(), home: directory },
  });
  const engine = await openEngine({
    ...{ config: loaded.config, log: silentLog, version: "test", types: [noteJob, ...types] },
    ...(options.role === "worker" ? { role: "worker" } : { triggers: loaded.triggers }),
  });
  onTestFinished(() => engine.close());
  return engine;
}

export async function inboxScene(options: InboxOptions = {}) {
  const engine = await inboxEngine(options);
  const { pool } = engine.database;
  const intake = new EventIntake(engine.database);
  const query = async <T>(text: string, values: unknown[] = []) =>
    (await pool.query(text, values)).rows as T[];
  const events = async () => (await listGithubEvents(pool, { limit: 200 })).events;
  return {
    ...{ engine, intake, query, events },
    bring: async (event: string, payload: object, deliveryId: string) => {
      const { body } = signedEvent({ event, payload, deliveryId });
      return await intake.receive({ deliveryId, name: event, body, isForm: false });
    },
    dispatch: async () => {
      const dispatching = await startDispatching(engine);
      onTestFinished(() => dispatching.close(0));
      return dispatching;
    },
    /** On a real socket. */
    listen: async () => await (await scratchServer(engine)).listen({ host: "127.0.0.1", port: 0 }),
    settled: () =>
      waitUntil(
        "all events to be settled",
        async () => {
          const open = await query("select from croft.inbox where status = 'pending' limit 1");
          return open.length === 0;
        },
        SETTLED_CEILING_MS,
      ),
    /** Those that wait for their next try go now. */
    hurry: () =>
      query(
        `with due as (update croft.inbox set due_at = croft.now() where status = 'pending')
         select pg_notify('croft_inbox', '')`,
      ),
  };
}
