// Credentials that are about to expire are told of: a week before, and a day.
import { inTransaction } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import { type CredentialScope, urlOfScope } from "./credential-scope.ts";
import { tellVault } from "./tell-vault.ts";

interface ExpiringRow extends CredentialScope {
  readonly id: string;
  readonly owner: string;
  readonly seq: number;
  readonly days: number;
  readonly expires_at: Date;
}

/** Short transactions, and nobody has more of them than that on one day. */
const MANY = 500;

/** Each once for each of the two; how many were told of. One that is replaced begins anew. */
export async function warnExpiring(database: Database): Promise<number> {
  return await inTransaction(database, async (client) => {
    const { rows } = await client.query<ExpiringRow>(
      `update croft.credential c set warned_days = d.days, seq = seq + 1
       from (
         select id, case when expires_at <= croft.now() + interval '1 day' then 1 else 7 end as days
         from croft.credential
         where expires_at > croft.now() and expires_at <= croft.now() + interval '7 days'
           and (warned_days is null or warned_days > 1 and expires_at <= croft.now() + interval '1 day')
         order by id limit ${MANY} for update skip locked) d
       where c.id = d.id
       returning c.id, c.owner, c.seq, c.protocol, c.host, c.path, c.expires_at, d.days`,
    );
    for (const row of rows) {
      await tellVault(client, row, "credential.expiring", {
        url: urlOfScope(row),
        expires_at: row.expires_at.toISOString(),
        within: row.days === 1 ? "1 day" : "7 days",
      });
    }
    return rows.length;
  });
}
