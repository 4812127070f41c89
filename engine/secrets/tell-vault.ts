// The event of a change to a secret or credential: what it is called, never what it is.
import type { Queryable } from "../database/in-transaction.ts";

export interface VaultSubject {
  readonly id: string;
  readonly owner: string;
  /** The number of this event among those of the subject. */
  readonly seq: number;
}

export async function tellVault(
  client: Queryable,
  { id, owner, seq }: VaultSubject,
  type: string,
  data: Readonly<Record<string, string>>,
): Promise<void> {
  await client.query(
    "insert into croft.event (subject, seq, owner, type, data) values ($1, $2, $3, $4, $5)",
    [id, seq, owner, type, data],
  );
  await client.query("select croft.announce(array[$1::uuid])", [id]);
}
