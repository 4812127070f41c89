// A database of its own for one test, on the shared real PostgreSQL.
import { randomUUID } from "node:crypto";
import pg from "pg";
import { inject, onTestFinished } from "vitest";
import type { AtEnd } from "./scratch-directory.ts";

/** As the migrations leave it. */
export function scratchDatabase(atEnd: AtEnd = onTestFinished): Promise<string> {
  return createDatabase(`template ${inject("migratedDatabase")}`, atEnd);
}

/** For tests of the migrations themselves: without anything of Croft's. */
export function emptyDatabase(atEnd: AtEnd = onTestFinished): Promise<string> {
  return createDatabase("", atEnd);
}

async function createDatabase(options: string, atEnd: AtEnd): Promise<string> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const url = inject("databaseUrl");
  await administer(url, `create database ${name} ${options}`);
  atEnd(() => administer(url, `drop database ${name} with (force)`));
  return url.replace(/\/croft$/, `/${name}`);
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}
