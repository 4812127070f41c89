// Admins in the database.
import type { Admin } from "@croft/contract";
import type { Database } from "../database/open-database.ts";
import type { AdminTable } from "../database/tables.ts";

type AdminColumns = Pick<AdminTable, "email" | "name" | "role"> & { id: string; created_at: Date };

export function adminOf({ id, email, name, role, created_at }: AdminColumns): Admin {
  return { id, email, name, role, created_at: created_at.toISOString() };
}

export async function findAdminByEmail({ kysely }: Database, email: string) {
  return await kysely
    .selectFrom("croft.admin")
    .selectAll()
    .where("email", "=", email)
    .executeTakeFirst();
}

export async function isSetupNeeded({ kysely }: Database): Promise<boolean> {
  const row = await kysely.selectFrom("croft.admin").select("id").limit(1).executeTakeFirst();
  return row === undefined;
}
