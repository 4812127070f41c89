// Counts failed sign-ins by address and by e-mail, in the database, for all processes together.
import { isIPv6 } from "node:net";
import { sql } from "kysely";
import type { Database } from "../database/open-database.ts";
import { EngineError } from "../engine-error.ts";
import { digestOf } from "./secret.ts";

const WINDOW_MINUTES = 15;
/** One address may try many e-mails, one e-mail may be tried from many addresses: the second limit is wider, because
 *  anybody can use it up for somebody else. */
const FAILURES_MAX = { address: 10, email: 50 };

export interface Attempt {
  /** A sign-in that succeeded does not count. */
  forgive(): Promise<void>;
}

/** Counted before the password is looked at, so that a thousand parallel guesses are a thousand, not one. */
export async function beginAttempt(
  database: Database,
  { address, email }: { address: string; email: string },
): Promise<Attempt> {
  const buckets = [
    { bucket: `address:${networkOf(address)}`, max: FAILURES_MAX.address },
    { bucket: `email:${digestOf(email).toString("hex")}`, max: FAILURES_MAX.email },
  ];
  await sql`delete from croft.sign_in_limit where window_ends_at < croft.now()`.execute(
    database.kysely,
  );
  for (const { bucket, max } of buckets) {
    const { failures, retryAfterSeconds } = await countOne(database, bucket);
    if (failures > max) {
      throw new EngineError(
        "too-many-attempts",
        `too many failed sign-ins; try again in ${Math.ceil(retryAfterSeconds / 60)} min`,
        { details: { retryAfterSeconds } },
      );
    }
  }
  return {
    forgive: async () => {
      const names = buckets.map(({ bucket }) => bucket);
      await sql`update croft.sign_in_limit set failures = failures - 1
        where bucket = any(${names}) and failures > 0`.execute(database.kysely);
    },
  };
}

async function countOne({ kysely }: Database, bucket: string) {
  const { rows } = await sql<{ failures: number; retryAfterSeconds: number }>`
    insert into croft.sign_in_limit as counted (bucket, failures, window_ends_at)
    values (${bucket}, 1, croft.now() + ${`${WINDOW_MINUTES} minutes`}::interval)
    on conflict (bucket) do update set
      failures = case when counted.window_ends_at < croft.now() then 1 else counted.failures + 1 end,
      window_ends_at = case
        when counted.window_ends_at < croft.now() then excluded.window_ends_at
        else counted.window_ends_at
      end
    returning failures,
      greatest(1, ceil(extract(epoch from window_ends_at - croft.now())))::int as "retryAfterSeconds"
  `.execute(kysely);
  const [row] = rows;
  if (row === undefined) throw new Error("an upsert returned no row");
  return row;
}

/** A home has a whole /64 of IPv6: its addresses count as one. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes(".")) return address; // with dots it is an IPv4 one in other clothes
  const [before = "", after] = (address.split("%", 1)[0] ?? "").split("::");
  const head = before.split(":").filter(Boolean);
  const tail = after?.split(":").filter(Boolean) ?? [];
  const zeros = after === undefined ? [] : Array(8 - head.length - tail.length).fill("0");
  const groups = [...head, ...zeros, ...tail].map((group) =>
    Number.parseInt(group, 16).toString(16),
  );
  return groups.slice(0, 4).join(":");
}
