// The right of one `croft serve` to run the embedded database of a data directory, held by a kernel lock.
import { open } from "node:fs/promises";
import { join } from "node:path";
import { tryLock } from "fs-native-extensions";
import { EngineError } from "../engine-error.ts";
import type { DataDirectory } from "./data-directory.ts";

export interface Ownership {
  release(): Promise<void>;
}

/** The kernel frees the lock when this process dies, however it dies. */
export async function ownDataDirectory(directory: DataDirectory): Promise<Ownership> {
  const file = await open(join(directory.locks, "serve"), "a+", 0o600);
  if (!tryLock(file.fd)) {
    const holder = (await file.readFile("utf8")).trim();
    await file.close();
    throw new EngineError(
      "data-directory-in-use",
      `another 'croft serve'${holder === "" ? "" : ` (pid ${holder})`} uses data directory '${directory.path}': stop it, choose another with CROFT_DATA, or set DATABASE_URL to let several share one database`,
      { details: { pid: Number(holder) || undefined } },
    );
  }
  await file.truncate();
  await file.write(`${process.pid}\n`);
  return { release: () => file.close() };
}
