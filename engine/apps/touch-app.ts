// A change of an app: holds its row to the end of the transaction, and is told as an event.
import type { Queryable } from "../database/in-transaction.ts";
import { EngineError } from "../engine-error.ts";

export interface TouchedApp {
  readonly id: string;
  readonly name: string;
  readonly base_url: string | null;
  /** The number of this change's event. */
  readonly seq: number;
}

/** One that is being deleted is not there. */
export async function touchApp(client: Queryable, id: string): Promise<TouchedApp> {
  const { rows } = await client.query<TouchedApp>(
    `update croft.app set seq = seq + 1, updated_at = croft.now()
     where id = $1 and deleted_at is null returning id, name, base_url, seq`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) throw noSuchApp();
  return row;
}

/** To people only: what an admin does to an app is not the app's to see. */
export async function tellApp(
  client: Queryable,
  { id, seq }: Pick<TouchedApp, "id" | "seq">,
  type: "app.created" | "app.changed",
  data: Readonly<Record<string, unknown>>,
): Promise<void> {
  await client.query(
    "insert into croft.event (subject, seq, owner, type, data) values ($1, $2, 'local', $3, $4)",
    [id, seq, type, data],
  );
  await client.query("select croft.announce(array[$1::uuid])", [id]);
}

export function noSuchApp(): EngineError {
  return new EngineError("not-found", "there is no such app");
}
