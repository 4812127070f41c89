// Which sessions and tokens are over: for whoever let somebody in and still talks to them.
import type { Database } from "../database/open-database.ts";

export interface Entrances {
  readonly sessions: readonly string[];
  readonly tokens: readonly string[];
}

export async function findEnded(
  { pool }: Database,
  { sessions, tokens }: Entrances,
): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ id: string }>({
    name: "find-ended",
    text: `
      select asked.id::text from unnest($1::uuid[]) asked(id) where not exists (
        select from croft.session s where s.id = asked.id and s.expires_at > croft.now())
      union all
      select asked.id from unnest($2::text[]) asked(id) where not exists (
        select from croft.app_token t where t.id = asked.id and (t.expires_at is null or t.expires_at > croft.now()))`,
    values: [sessions, tokens],
  });
  return new Set(rows.map(({ id }) => id));
}
