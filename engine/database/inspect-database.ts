// How it stands with the database, without starting or changing anything.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Check, checkNamed, type DiagnosisPlace, redactText } from "@croft/git";
import type { Config } from "../config/config.ts";
import { findServer } from "../data-directory/server-address.ts";
import { askServer } from "./open-database.ts";
import { importedPackageRoot } from "./postgres-binaries.ts";
import { findPostmaster } from "./postmaster.ts";

export async function inspectDatabase(
  { data, database }: Config,
  { isUsable }: DiagnosisPlace,
): Promise<Check> {
  const check = checkNamed("database");
  try {
    if (database.url !== undefined) return await stateOfServer(check, database.url);
    await importedPackageRoot();
    if (!isUsable) return check.warning("embedded PostgreSQL: it has no data directory");
    return check.ok(`embedded PostgreSQL: ${await stateOfEmbedded(data)}`);
  } catch (error) {
    return check.failed(redactText(error instanceof Error ? error.message : String(error)));
  }
}

/** A transaction that has written and does not end keeps events from all readers of `/api/events`. Ours end sooner. */
const HELD_BACK_SECONDS_MAX = 5;

async function stateOfServer(check: ReturnType<typeof checkNamed>, url: string): Promise<Check> {
  const { version, heldBack } = await askServer(url);
  const text = `PostgreSQL ${version} of DATABASE_URL answers`;
  if (heldBack === undefined || heldBack.seconds < HELD_BACK_SECONDS_MAX) return check.ok(text);
  const { pid, seconds, application } = heldBack;
  return check.warning(
    `${text}, but a transaction of pid ${pid} (${application || "unnamed"}) has been open for ${Math.round(seconds)} s: '/api/events' waits for it`,
    `end it: select pg_terminate_backend(${pid})`,
  );
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
