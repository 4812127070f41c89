// The directory of the embedded PostgreSQL's unix socket.
import { createHash } from "node:crypto";
import { chown, lstat, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DataDirectory } from "../data-directory/data-directory.ts";
import { POSTGRES_UID } from "../data-directory/postgres-uid.ts";
import { EngineError } from "../engine-error.ts";

/** The kernel's limit on the whole path of a socket, on the strictest system (macOS: 104 with the final NUL). */
const PATH_BYTES_MAX = 103;
const SOCKET_NAME = ".s.PGSQL.5432";

/** The server's owner makes it. */
export async function makeSocketDirectory(directory: DataDirectory): Promise<string> {
  const path = socketDirectoryOf(directory);
  try {
    await mkdir(path, { mode: 0o700 });
    if (directory.separatesUsers) await chown(path, POSTGRES_UID, POSTGRES_UID);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const uid = await requireOwn(path, directory);
  if (directory.separatesUsers && uid === 0) await chown(path, POSTGRES_UID, POSTGRES_UID);
  return path;
}

/** Of a server that somebody else runs. */
export async function findSocketDirectory(directory: DataDirectory): Promise<string> {
  const path = socketDirectoryOf(directory);
  await requireOwn(path, directory);
  return path;
}

/** In the data directory, unless its path is too long for a socket: then in the system's temporary directory. */
function socketDirectoryOf(directory: DataDirectory): string {
  const preferred = join(directory.postgres, "socket");
  return fits(preferred) ? preferred : join(tmpdir(), `croft-${digestOf(directory.path)}`);
}

/** In a shared temporary directory anyone could have made it first. */
async function requireOwn(path: string, { separatesUsers }: DataDirectory): Promise<number> {
  const owner = separatesUsers ? POSTGRES_UID : process.getuid?.();
  const { uid, mode } = await lstat(path);
  const made = owner === undefined || uid === owner || (separatesUsers && uid === 0);
  if (!made || (mode & 0o077) !== 0) {
    throw new EngineError(
      "data-directory-unusable",
      `cannot put PostgreSQL's socket into '${path}': it belongs to somebody else or is open to others; remove it, or choose a data directory with a shorter path`,
    );
  }
  return uid;
}

function fits(path: string): boolean {
  return Buffer.byteLength(join(path, SOCKET_NAME)) <= PATH_BYTES_MAX;
}

function digestOf(path: string): string {
  return createHash("sha256").update(path).digest("hex").slice(0, 16);
}
