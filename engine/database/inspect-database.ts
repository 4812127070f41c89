// How it stands with the database, without starting or changing anything.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Check, checkNamed, type DiagnosisPlace, redactText } from "@croft/git";
import type { Config } from "../config/config.ts";
import { findServer } from "../data-directory/server-address.ts";
import { askServerVersion } from "./open-database.ts";
import { importedPackageRoot } from "./postgres-binaries.ts";
import { findPostmaster } from "./postmaster.ts";

export async function inspectDatabase(
  { data, database }: Config,
  { isUsable }: DiagnosisPlace,
): Promise<Check> {
  const check = checkNamed("database");
  try {
    if (database.url !== undefined) {
      return check.ok(`PostgreSQL ${await askServerVersion(database.url)} of DATABASE_URL answers`);
    }
    await importedPackageRoot();
    if (!isUsable) return check.warning("embedded PostgreSQL: it has no data directory");
    return check.ok(`embedded PostgreSQL: ${await stateOfEmbedded(data)}`);
  } catch (error) {
    return check.failed(redactText(error instanceof Error ? error.message : String(error)));
  }
}

async function stateOfEmbedded(data: string): Promise<string> {
  const server = await findServer(join(data, "run"));
  if (server !== undefined)
    return `'croft serve' runs with it at ${server.url} (pid ${server.pid})`;
  const cluster = join(data, "postgres/data");
  const postmaster = await findPostmaster(cluster);
  if (postmaster !== undefined) {
    return `it runs (pid ${postmaster.pid}); the next 'croft serve' takes it over`;
  }
  return existsSync(cluster)
    ? "it is stopped; 'croft serve' starts it"
    : "the first 'croft serve' makes it";
}
