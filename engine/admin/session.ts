// Signed-in browsers: begin, recognise, list and end sessions.
import type { Admin, Session } from "@croft/contract";
import { sql } from "kysely";
import type { Config } from "../config/config.ts";
import type { Database } from "../database/open-database.ts";
import { adminOf } from "./admin-store.ts";
import { derivedSecret, digestOf, newSecret } from "./secret.ts";

/** What a browser is known by: the secret goes into its cookie and is nowhere else. */
export interface OpenSession {
  readonly id: string;
  readonly secret: string;
  readonly csrfToken: string;
  readonly admin: Admin;
  readonly expiresAt: Date;
}

export interface Visitor {
  readonly address: string;
  readonly userAgent: string;
}

/** `last_seen_at` is written at most this often: a page makes many requests. */
const SEEN_EVERY_MS_MAX = 60_000;
const USER_AGENT_LENGTH_MAX = 300;

export async function beginSession(
  { kysely }: Database,
  { session }: Config,
  admin: Admin,
  { address, userAgent }: Visitor,
): Promise<OpenSession> {
  await sql`delete from croft.session where expires_at < croft.now()`.execute(kysely);
  const secret = newSecret();
  const { id, expires_at } = await kysely
    .insertInto("croft.session")
    .values({
      digest: digestOf(secret),
      admin_id: admin.id,
      address,
      user_agent: userAgent.slice(0, USER_AGENT_LENGTH_MAX),
      expires_at: sql<Date>`croft.now() + ${`${session.lifetime} milliseconds`}::interval`,
    })
    .returning(["id", "expires_at"])
    .executeTakeFirstOrThrow();
  return { id, secret, csrfToken: csrfTokenOf(secret), admin, expiresAt: expires_at };
}

/** Undefined for an unknown, ended, expired or long unused session alike. */
export async function recogniseSession(
  { kysely }: Database,
  { session }: Config,
  secret: string,
): Promise<OpenSession | undefined> {
  const seenEveryMs = Math.min(SEEN_EVERY_MS_MAX, session.idle / 4);
  const row = await kysely
    .selectFrom("croft.session as session")
    .innerJoin("croft.admin as admin", "admin.id", "session.admin_id")
    .select(["session.id as session_id", "session.expires_at"])
    .select(["admin.id", "admin.email", "admin.name", "admin.role", "admin.created_at"])
    .select(
      sql<boolean>`session.last_seen_at < croft.now() - ${`${seenEveryMs} milliseconds`}::interval`.as(
        "seen_long_ago",
      ),
    )
    .where("session.digest", "=", digestOf(secret))
    .where("session.expires_at", ">", sql<Date>`croft.now()`)
    .where(
      "session.last_seen_at",
      ">",
      sql<Date>`croft.now() - ${`${session.idle} milliseconds`}::interval`,
    )
    .executeTakeFirst();
  if (row === undefined) return undefined;
  if (row.seen_long_ago) {
    await kysely
      .updateTable("croft.session")
      .set({ last_seen_at: sql<Date>`croft.now()` })
      .where("id", "=", row.session_id)
      .execute();
  }
  return {
    id: row.session_id,
    secret,
    csrfToken: csrfTokenOf(secret),
    admin: adminOf(row),
    expiresAt: row.expires_at,
  };
}

/** All sessions of one admin, or of everybody. */
export async function listSessions(
  { kysely }: Database,
  { session: limits }: Config,
  { adminId, currentId }: { adminId: string | undefined; currentId: string | undefined },
): Promise<Session[]> {
  const rows = await kysely
    .selectFrom("croft.session as session")
    .innerJoin("croft.admin as admin", "admin.id", "session.admin_id")
    .selectAll("session")
    .select("admin.email")
    .where("session.expires_at", ">", sql<Date>`croft.now()`)
    .where(
      "session.last_seen_at",
      ">",
      sql<Date>`croft.now() - ${`${limits.idle} milliseconds`}::interval`,
    )
    .$if(adminId !== undefined, (query) => query.where("session.admin_id", "=", adminId ?? ""))
    .orderBy("session.last_seen_at", "desc")
    .orderBy("session.id")
    .limit(500)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    admin_id: row.admin_id,
    email: row.email,
    current: row.id === currentId,
    address: row.address,
    user_agent: row.user_agent,
    created_at: row.created_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  }));
}

/** False when there is no such session, or it is somebody else's. */
export async function endSession(
  { kysely }: Database,
  { id, adminId }: { id: string; adminId: string | undefined },
): Promise<boolean> {
  const { numDeletedRows } = await kysely
    .deleteFrom("croft.session")
    .where("id", "=", id)
    .$if(adminId !== undefined, (query) => query.where("admin_id", "=", adminId ?? ""))
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

function csrfTokenOf(secret: string): string {
  return derivedSecret(secret, "csrf");
}
