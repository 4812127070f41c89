// Makes the files of a new PostgreSQL cluster: all of them or none.
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { chown, mkdir, open, readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { type DataDirectory, discard } from "../data-directory/data-directory.ts";
import { POSTGRES_UID } from "../data-directory/postgres-uid.ts";
import { EngineError } from "../engine-error.ts";
import type { PostgresBinaries } from "./postgres-binaries.ts";

const INITDB_TIMEOUT_MS = 120_000;

/** In staging first: a kill in the middle leaves nothing that looks like a database. */
export async function initialiseCluster(
  directory: DataDirectory,
  { initdb, version }: PostgresBinaries,
  cluster: string,
): Promise<void> {
  if (existsSync(cluster)) return await requireSameMajor(cluster, version);

  const staged = join(directory.staging, `cluster-${randomUUID()}`);
  await mkdir(staged, { mode: 0o700 });
  if (directory.separatesUsers) await chown(staged, POSTGRES_UID, POSTGRES_UID);
  const args = [
    ...["--pgdata", staged, "--username", "croft", "--encoding", "UTF8"],
    // The builtin locale sorts alike on every machine and needs no locale files of the system.
    ...["--locale-provider", "builtin", "--builtin-locale", "C.UTF-8", "--locale", "C"],
    // The socket's directory is closed to everybody else, and there is no TCP.
    ...["--auth-local", "trust", "--auth-host", "reject"],
  ];
  try {
    await promisify(execFile)(initdb, args, {
      timeout: INITDB_TIMEOUT_MS,
      env: { LC_ALL: "C", TZ: "UTC" },
      ...(directory.separatesUsers ? { uid: POSTGRES_UID, gid: POSTGRES_UID } : {}),
    });
  } catch (error) {
    await discard(directory, staged);
    const { stderr } = error as { stderr?: string };
    throw new EngineError(
      "postgres-failed",
      `cannot create the database: ${stderr?.trim() || (error as Error).message}`,
      { cause: error },
    );
  }
  await rename(staged, cluster);
  await syncDirectory(dirname(cluster));
}

async function requireSameMajor(cluster: string, version: string): Promise<void> {
  const found = (await readFile(join(cluster, "PG_VERSION"), "utf8")).trim();
  const [major] = version.split(".");
  if (found === major) return;
  throw new EngineError(
    "postgres-failed",
    `'${cluster}' holds files of PostgreSQL ${found}, this Croft brings ${major}: start the Croft that made them, back up, and restore into a new data directory`,
  );
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, "r");
  await handle.sync();
  await handle.close();
}
