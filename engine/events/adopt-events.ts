// After a restore or a fail-over events may have numbers that this cluster has not given yet: they get one that it has.
import type { Queryable } from "../database/in-transaction.ts";

/** Whoever stands at a place from before is told to begin anew. Nothing happens where all is as it was. */
export async function adoptEvents(client: Queryable): Promise<void> {
  await client.query("select croft.adopt_events()");
}
