// The first admin: a one-time link, and the account made with it.
import type { Admin, Setup } from "@croft/contract";
import { sql } from "kysely";
import type { Engine } from "../engine.ts";
import { EngineError } from "../engine-error.ts";
import { adminOf, isSetupNeeded } from "./admin-store.ts";
import { hashPassword } from "./password.ts";
import { digestOf, newSecret } from "./secret.ts";
import { beginSession, type OpenSession, type Visitor } from "./session.ts";

export interface NewSetupLink {
  readonly token: string;
  readonly expiresAt: Date;
}

export async function createSetupLink({ database, config }: Engine): Promise<NewSetupLink> {
  if (!(await isSetupNeeded(database))) throw setupDone();
  const token = newSecret();
  const { expires_at } = await database.kysely
    .insertInto("croft.setup_link")
    .values({
      digest: digestOf(token),
      expires_at: sql<Date>`croft.now() + ${`${config.setup.linkLifetime} milliseconds`}::interval`,
    })
    .returning("expires_at")
    .executeTakeFirstOrThrow();
  return { token, expiresAt: expires_at };
}

/** Uses up the link, makes the admin and signs in. Of two at the same moment one wins, the other is told so. */
export async function createFirstAdmin(
  { database, config, log }: Engine,
  { token, email, name, password }: Setup,
  visitor: Visitor,
): Promise<OpenSession> {
  if (!(await isSetupNeeded(database))) throw setupDone();
  await requireOpenLink(database, token); // before the costly hash, which anybody could ask for
  const passwordHash = await hashPassword(password);
  const admin = await database.kysely.transaction().execute(async (transaction): Promise<Admin> => {
    await sql`lock table croft.admin in share row exclusive mode`.execute(transaction);
    const existing = await transaction.selectFrom("croft.admin").select("id").executeTakeFirst();
    if (existing !== undefined) throw setupDone();
    await transaction.deleteFrom("croft.setup_link").execute();
    const row = await transaction
      .insertInto("croft.admin")
      .values({ email, name, password_hash: passwordHash, role: "admin" })
      .returningAll()
      .executeTakeFirstOrThrow();
    return adminOf(row);
  });
  log.info({ admin: admin.id }, "first admin created");
  return await beginSession(database, config, admin, visitor);
}

async function requireOpenLink({ kysely }: Engine["database"], token: string): Promise<void> {
  const link = await kysely
    .selectFrom("croft.setup_link")
    .select("digest")
    .where("digest", "=", digestOf(token))
    .where("expires_at", ">", sql<Date>`croft.now()`)
    .executeTakeFirst();
  if (link !== undefined) return;
  throw new EngineError(
    "setup-link-invalid",
    "the set-up link is used or expired; 'croft login' prints a new one",
  );
}

function setupDone(): EngineError {
  return new EngineError("setup-done", "the first admin exists already; sign in instead");
}
