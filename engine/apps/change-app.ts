// Changes, pauses and resumes an app, and tries its address.
import type { AppChange, AppDetail } from "@croft/contract";
import { inTransaction } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import type { Engine } from "../engine.ts";
import { EngineError } from "../engine-error.ts";
import { newId } from "../new-id.ts";
import { requireBaseUrl } from "./base-url.ts";
import { readApp } from "./read-apps.ts";
import { tellApp, touchApp } from "./touch-app.ts";

/** Another address, or a resumption, begins anew: what the old one did counts no more. */
export async function changeApp(
  { database, config }: Pick<Engine, "database" | "config">,
  id: string,
  change: AppChange,
): Promise<AppDetail> {
  const { name, base_url: wanted, email, description, delivery_slots: slots, paused } = change;
  const fields = Object.entries(change).flatMap(([field, value]) =>
    value === undefined ? [] : [field],
  );
  if (fields.length === 0) return await readApp(database, id);
  const baseUrl = wanted == null ? wanted : await requireBaseUrl(wanted, config);
  await inTransaction(database, async (client) => {
    const app = await touchApp(client, id);
    const isMoved = baseUrl !== undefined && baseUrl !== app.base_url;
    await client.query(
      `update croft.app set name = coalesce($2, name), email = coalesce($3, email),
         description = coalesce($4, description), delivery_slots = coalesce($5, delivery_slots),
         is_paused = coalesce($6, is_paused), base_url = case when $7 then $8 else base_url end
       where id = $1`,
      [
        ...[id, name ?? null, email ?? null, description ?? null, slots ?? null, paused ?? null],
        ...[isMoved, baseUrl ?? null],
      ],
    );
    if (isMoved || paused === false) {
      await client.query(
        `update croft.app set endpoint_failures = 0, endpoint_closed_until = null, endpoint_gone_at = null
         where id = $1`,
        [id],
      );
    }
    await tellApp(client, app, "app.changed", { fields });
    await client.query("select pg_notify('croft_delivery', '')");
  });
  return await readApp(database, id);
}

/** A message without a meaning, sent as all others are; returns its id. */
export async function pingApp(database: Database, id: string): Promise<string> {
  return await inTransaction(database, async (client) => {
    const { rows } = await client.query<{ base_url: string | null }>(
      "select base_url from croft.app where id = $1 and deleted_at is null for share",
      [id],
    );
    const [app] = rows;
    if (app === undefined) throw new EngineError("not-found", "there is no such app");
    if (app.base_url === null) {
      throw new EngineError("invalid-input", "the app has no base_url: give it one first");
    }
    const delivery = newId();
    await client.query(
      "insert into croft.delivery (id, app_id, type, data, state, number) values ($1, $2, 'ping', '{}', 'pending', 0)",
      [delivery, id],
    );
    await client.query("select pg_notify('croft_delivery', '')");
    return delivery;
  });
}
